# Hardened builds. A library that reads models of strangers ends a broken process instead of letting
# it run on:
#   stack protector   a return address behind an overflown array is not jumped to
#   FORTIFY           copies and prints whose room the compiler knows check it
#   RELRO, now        tables of addresses are read-only once the library is loaded
#   noexecstack       data does not run
#   CET               shadow stack and indirect branch tracking, on x86 that have it
# Sanitizers bring checks of their own that FORTIFY would hide, and an unoptimized build has none.
option(SINEW_HARDEN "stack protector, FORTIFY, RELRO, CET" ON)
# Stages of a step hold no text and follow indices that were checked at the door: there the guard is
# for arrays of characters alone, since one around every array of numbers costs small models 5% of a
# step. All else has the strong one.
function(sinew_harden_stages sources)
  if(NOT SINEW_HARDEN OR NOT SINEW_SONAMES)
    return()
  endif()
  list(FILTER sources INCLUDE REGEX "/src/(algebra|smooth|collide|constrain|solve|integrate|sense|step)/")
  set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS -fno-stack-protector -fstack-protector)
endfunction()
if(NOT SINEW_HARDEN OR NOT SINEW_SONAMES)  # other linkers and loaders have defaults of their own
  return()
endif()
add_compile_options(-fstack-protector-strong)
if(NOT SINEW_SANITIZE)
  set(optimized $<CONFIG:Release,RelWithDebInfo,MinSizeRel>)
  add_compile_options($<${optimized}:-U_FORTIFY_SOURCE> $<${optimized}:-D_FORTIFY_SOURCE=2>)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  add_compile_options(-fcf-protection=full)
  # All our code keeps a shadow stack. The linker would leave the note out, since the start-up
  # files of some systems (Debian 12) do not carry one. Not every linker knows the note.
  include(CheckLinkerFlag)
  check_linker_flag(C -Wl,-z,shstk SINEW_LINKER_SHSTK)
  if(SINEW_LINKER_SHSTK)
    add_link_options(-Wl,-z,shstk)
  endif()
endif()
add_link_options(-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
