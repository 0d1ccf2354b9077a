# Checks by the project's own tools, as tests.
find_package(Python3 COMPONENTS Interpreter)
if(SINEW_TESTS AND Python3_FOUND)
  # generated files are committed: regenerate and compare
  add_test(NAME tools/schema COMMAND ${Python3_EXECUTABLE} tools/schema.py --check
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  add_test(NAME tools/absent COMMAND ${Python3_EXECUTABLE} tools/absent.py --check
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  add_test(NAME tools/web COMMAND ${Python3_EXECUTABLE} tools/web.py --check
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  add_test(NAME tools/entries COMMAND ${Python3_EXECUTABLE} tools/entries.py --check
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  add_test(NAME tools/elementary COMMAND ${Python3_EXECUTABLE} tools/elementary.py --check
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  add_test(NAME tools/layering COMMAND ${Python3_EXECUTABLE} tools/layering.py
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  add_test(NAME tools/docs COMMAND ${Python3_EXECUTABLE} tools/docs.py
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  add_test(NAME tools/reference COMMAND ${Python3_EXECUTABLE} tools/reference.py
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  add_test(NAME tools/kernels COMMAND ${Python3_EXECUTABLE} tools/kernels.py --check
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  add_test(NAME tools/drawings COMMAND ${Python3_EXECUTABLE} tools/drawings.py --check
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  foreach(part models pictures solvers usage)
    add_test(NAME apps/${part} COMMAND ${Python3_EXECUTABLE} tests/apps/check_${part}.py $<TARGET_FILE:sinew_command>
             WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(apps/${part} PROPERTIES LABELS unit)
  endforeach()
  set_tests_properties(apps/solvers PROPERTIES LABELS "unit;long")
  if(NOT SINEW_SANITIZE AND CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT SINEW_ARCH)
    foreach(part install hardened)
      add_test(NAME apps/${part} COMMAND ${Python3_EXECUTABLE} tests/apps/check_${part}.py ${CMAKE_BINARY_DIR}
               WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
      set_tests_properties(apps/${part} PROPERTIES LABELS unit SKIP_RETURN_CODE 77)
    endforeach()
  endif()
  set_tests_properties(tools/schema tools/absent tools/web tools/entries tools/elementary tools/layering tools/docs
                       tools/reference tools/drawings tools/kernels PROPERTIES LABELS unit)
endif()
