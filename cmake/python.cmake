# The Python extension: one module for CPython 3.11 and later, the engine and its small dependencies
# inside. Built by pip (scikit-build-core), or with -DSINEW_PYTHON=ON.
option(SINEW_PYTHON "build the Python extension" OFF)
if(NOT SKBUILD AND NOT SINEW_PYTHON)
  return()
endif()
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
file(GLOB EXTENSION_SOURCES CONFIGURE_DEPENDS python/extension/*.c)
add_library(sinew_python MODULE ${EXTENSION_SOURCES})
target_include_directories(sinew_python PRIVATE ${Python_INCLUDE_DIRS} python/extension)
set(SINEW_ENGINE "" CACHE FILEPATH "sinew_whole.o of the same sources, to link instead of compiling the engine once more")
if(SINEW_ENGINE)
  target_include_directories(sinew_python PRIVATE $<TARGET_PROPERTY:sinew_objects,INTERFACE_INCLUDE_DIRECTORIES>)
  target_compile_definitions(sinew_python PRIVATE $<TARGET_PROPERTY:sinew_objects,INTERFACE_COMPILE_DEFINITIONS>)
  target_link_libraries(sinew_python PRIVATE ${SINEW_ENGINE} ${SINEW_OTHERS} Threads::Threads m ${CMAKE_DL_LIBS})
else()
  target_link_libraries(sinew_python PRIVATE sinew_objects)
endif()
# the command, for `python -m sinew`
file(GLOB COMMAND_SOURCES CONFIGURE_DEPENDS apps/*.c)
list(FILTER COMMAND_SOURCES EXCLUDE REGEX "/(main|bench)\\.c$")
target_sources(sinew_python PRIVATE ${COMMAND_SOURCES})
set_source_files_properties(${COMMAND_SOURCES} ${EXTENSION_SOURCES} PROPERTIES COMPILE_OPTIONS -Os)  # a download is small, the engine is fast
target_compile_definitions(sinew_python PRIVATE SINEW_WITHOUT_BENCH)
set_target_properties(sinew_python PROPERTIES PREFIX "" OUTPUT_NAME "_sinew" SUFFIX ".abi3.so" LINKER_LANGUAGE C
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/python)
target_link_options(sinew_python PRIVATE -Wl,--gc-sections -Wl,-Bsymbolic -Wl,--version-script=${SINEW_EXPORTS} $<$<CONFIG:Release>:-s>)
# Plugin libraries ask for the released library by name. This one has the name and nothing else: it
# lets them find the functions of the extension (sinew._compat).
file(WRITE ${CMAKE_BINARY_DIR}/name.c "")
add_library(sinew_name MODULE ${CMAKE_BINARY_DIR}/name.c)
set_target_properties(sinew_name PROPERTIES PREFIX "" OUTPUT_NAME "_name" SUFFIX ".so" LINKER_LANGUAGE C
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/python)
target_link_options(sinew_name PRIVATE -Wl,-soname,libmujoco.so.3.3.4 -s)
add_dependencies(sinew_python sinew_name)
if(SKBUILD)
  # The wheel brings expat, libpng, zlib and qhull along, found beside the module.
  set_target_properties(sinew_python PROPERTIES INSTALL_RPATH "$ORIGIN" LINK_WHAT_YOU_USE OFF)
  target_link_options(sinew_python PRIVATE -Wl,--disable-new-dtags)
  install(TARGETS sinew_python sinew_name LIBRARY DESTINATION sinew COMPONENT python)
  # the page of sinew.viewer, where `make web` has built it
  install(FILES build/web/package/page.html DESTINATION sinew COMPONENT python OPTIONAL)
  if(TARGET sinew_bundled)  # inside the module
    return()
  endif()
  install(CODE [[
    file(GET_RUNTIME_DEPENDENCIES LIBRARIES "$<TARGET_FILE:sinew_python>" RESOLVED_DEPENDENCIES_VAR found
         PRE_INCLUDE_REGEXES "lib(expat|png|z|qhull)" PRE_EXCLUDE_REGEXES ".*")
    foreach(library ${found})
      get_filename_component(name ${library} NAME)
      get_filename_component(real ${library} REALPATH)
      configure_file(${real} ${CMAKE_INSTALL_PREFIX}/sinew/${name} COPYONLY)
    endforeach()
  ]] COMPONENT python)
endif()
