# What linkers and loaders do differently. Sets
#   SINEW_SONAMES           shared libraries have names inside (ELF): plugins and programs find an engine by the
#                           released engine's name, `sinew bench` loads two
#   SINEW_EXPORTS           file with the names that libraries show
#   SINEW_SHOW              options by which the linker reads it
#   SINEW_NO_UNDEFINED      option that asks for complete libraries
#   SINEW_SYSTEM_LIBRARIES  libraries of the system
set(SINEW_EXPORTS ${PROJECT_SOURCE_DIR}/cmake/exports.map)
set(SINEW_SONAMES OFF)
if(WIN32)
  # Names are exported where they are declared (MJAPI). The run-time libraries of the compiler are linked in.
  set(SINEW_SHOW -static)
  # printf and strtod of mingw-w64, which round as elsewhere; files over 2 GB
  add_compile_definitions(__USE_MINGW_ANSI_STDIO=1 _FILE_OFFSET_BITS=64)
  add_compile_options(-Wno-format -Wno-attributes)  # mju_error is declared as a printf of Microsoft's
  # The stack is aligned to 16 bytes, and GCC stores vectors of 32 there as if it were aligned to 32
  # (https://gcc.gnu.org/bugzilla/show_bug.cgi?id=54412): the assembler writes moves that need no alignment.
  add_compile_options(-Wa,-muse-unaligned-vector-move)
  add_link_options(-static)
elseif(APPLE)
  set(SINEW_SHOW -Wl,-exported_symbols_list,${PROJECT_SOURCE_DIR}/cmake/exports.txt)
  set(SINEW_EXPORTS ${PROJECT_SOURCE_DIR}/cmake/exports.txt)
else()
  set(SINEW_SONAMES ON)
  set(SINEW_SHOW -Wl,--version-script=${SINEW_EXPORTS})
  set(SINEW_NO_UNDEFINED -Wl,--no-undefined)
endif()
