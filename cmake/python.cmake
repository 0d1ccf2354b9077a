# The Python extension: one module for CPython 3.11 and later, the engine and its small dependencies
# inside. Built by pip (scikit-build-core), or with -DSINEW_PYTHON=ON.
option(SINEW_PYTHON "build the Python extension" OFF)
if(NOT SKBUILD AND NOT SINEW_PYTHON)
  return()
endif()
if(CMAKE_CROSSCOMPILING AND NOT SINEW_SONAMES)
  # headers of the Python that builds: the stable interface is the same everywhere but for what pyconfig.h says
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter)
  execute_process(COMMAND ${Python_EXECUTABLE} -c "import sysconfig; print(sysconfig.get_paths()['include'])"
    OUTPUT_VARIABLE Python_INCLUDE_DIRS OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
else()
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
endif()
file(GLOB EXTENSION_SOURCES CONFIGURE_DEPENDS python/extension/*.c)
add_library(sinew_python MODULE ${EXTENSION_SOURCES})
if(CMAKE_CROSSCOMPILING AND WIN32)
  target_compile_options(sinew_python PRIVATE -include ${PROJECT_SOURCE_DIR}/python/windows/pyconfig.h)
endif()
target_include_directories(sinew_python PRIVATE ${Python_INCLUDE_DIRS} python/extension)
set(SINEW_ENGINE "" CACHE FILEPATH "sinew_whole.o of the same sources, to link instead of compiling the engine once more")
# Nobody unwinds the stack through this module: tables for that would be a twentieth of the download. Windows jumps by them.
if(SINEW_SONAMES)
  set(without_tables -fno-asynchronous-unwind-tables -fno-unwind-tables)
  target_compile_options(sinew_python PRIVATE ${without_tables})
endif()
if(SINEW_ENGINE)
  if(SINEW_SONAMES)
    set(bare ${CMAKE_CURRENT_BINARY_DIR}/engine.o)
    add_custom_command(OUTPUT ${bare} DEPENDS ${SINEW_ENGINE} VERBATIM
      COMMAND ${CMAKE_OBJCOPY} --remove-section=.rela.eh_frame --remove-section=.eh_frame ${SINEW_ENGINE} ${bare})
    target_sources(sinew_python PRIVATE ${bare})
    set_source_files_properties(${bare} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  else()
    target_link_libraries(sinew_python PRIVATE ${SINEW_ENGINE})
  endif()
  target_include_directories(sinew_python PRIVATE $<TARGET_PROPERTY:sinew_objects,INTERFACE_INCLUDE_DIRECTORIES>)
  target_compile_definitions(sinew_python PRIVATE $<TARGET_PROPERTY:sinew_objects,INTERFACE_COMPILE_DEFINITIONS>)
  target_link_libraries(sinew_python PRIVATE ${SINEW_OTHERS} Threads::Threads m ${CMAKE_DL_LIBS})
else()
  target_link_libraries(sinew_python PRIVATE sinew_objects)
  target_compile_options(sinew_objects PRIVATE ${without_tables})
endif()
# the command, for `python -m sinew`
file(GLOB COMMAND_SOURCES CONFIGURE_DEPENDS apps/*.c)
list(FILTER COMMAND_SOURCES EXCLUDE REGEX "/(main|bench)\\.c$")
target_sources(sinew_python PRIVATE ${COMMAND_SOURCES})
set_source_files_properties(${COMMAND_SOURCES} ${EXTENSION_SOURCES} PROPERTIES COMPILE_OPTIONS -Os)  # a download is small, the engine is fast
set_source_files_properties(${PROJECT_SOURCE_DIR}/python/extension/control.c PROPERTIES COMPILE_OPTIONS -O3)
target_compile_definitions(sinew_python PRIVATE SINEW_WITHOUT_BENCH)
set_target_properties(sinew_python PROPERTIES PREFIX "" OUTPUT_NAME "_sinew" SUFFIX ".abi3.so" LINKER_LANGUAGE C
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/python)
if(SINEW_SONAMES)
  target_link_options(sinew_python PRIVATE -Wl,--gc-sections -Wl,-Bsymbolic ${SINEW_SHOW} $<$<CONFIG:Release>:-s>)
  # Plugin libraries ask for the released library by name. This one has the name and nothing else: it
  # lets them find the functions of the extension (sinew._compat).
  file(WRITE ${CMAKE_BINARY_DIR}/name.c "")
  add_library(sinew_name MODULE ${CMAKE_BINARY_DIR}/name.c)
  set_target_properties(sinew_name PROPERTIES PREFIX "" OUTPUT_NAME "_name" SUFFIX ".so" LINKER_LANGUAGE C
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/python)
  target_link_options(sinew_name PRIVATE -Wl,-soname,libmujoco.so.3.3.4 -s)
  add_dependencies(sinew_python sinew_name)
elseif(WIN32)
  # python3.dll has the stable interface. Its import library is made of the names that the extension asks for:
  # one that is not stable would be missed when the module is loaded.
  set_target_properties(sinew_python PROPERTIES SUFFIX ".pyd")
  set(python3 ${CMAKE_BINARY_DIR}/libpython3.a)
  add_custom_command(TARGET sinew_python PRE_LINK VERBATIM COMMAND_EXPAND_LISTS
    COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/python3_library.py --nm ${CMAKE_NM} --dlltool ${CMAKE_DLLTOOL} ${python3}
            $<TARGET_OBJECTS:sinew_python>)
  target_link_libraries(sinew_python PRIVATE -Wl,${python3})
  target_link_options(sinew_python PRIVATE -Wl,--gc-sections $<$<CONFIG:Release>:-s>)
else()
  target_link_options(sinew_python PRIVATE -Wl,-dead_strip -Wl,-undefined,dynamic_lookup ${SINEW_SHOW})
endif()
if(SKBUILD)
  # The wheel brings expat, libpng, zlib and qhull along, found beside the module.
  if(SINEW_SONAMES)
    set_target_properties(sinew_python PROPERTIES INSTALL_RPATH "$ORIGIN" LINK_WHAT_YOU_USE OFF)
    target_link_options(sinew_python PRIVATE -Wl,--disable-new-dtags)
    install(TARGETS sinew_name LIBRARY DESTINATION sinew COMPONENT python)
  endif()
  install(TARGETS sinew_python LIBRARY DESTINATION sinew COMPONENT python)
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
