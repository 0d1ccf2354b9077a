# Functions marked SN_KERNEL are compiled for AVX2 and for the baseline of x86-64. Where the loader
# can pick one of two versions (GCC with glibc), the compiler does it; elsewhere tools/kernels.py
# writes sources whose kernels ask themselves. Changes SINEW_SOURCES; sets SINEW_DISPATCH to the
# definition that lanes.h asks for.
include(CheckCSourceCompiles)
set(CMAKE_REQUIRED_FLAGS "-Wno-psabi")
check_c_source_compiles("
  #include <stdlib.h>
  #ifndef __GLIBC__
  #error no loader that picks
  #endif
  typedef double four __attribute__((vector_size(32)));
  static inline __attribute__((always_inline)) four twice(four x) { return x + x; }
  __attribute__((target_clones(\"avx2\", \"default\"))) void f(four* x) { *x = twice(*x); }
  int main(void) { four x = {1}; f(&x); return 0; }" SINEW_LOADER_PICKS)
unset(CMAKE_REQUIRED_FLAGS)
if(SINEW_LOADER_PICKS)
  set(SINEW_DISPATCH SN_DISPATCH)
  return()
endif()
find_package(Python3 COMPONENTS Interpreter)
if(NOT Python3_FOUND)
  message(WARNING "without Python the kernels are compiled for the baseline of x86-64 alone, which is slower")
  return()
endif()
set(SINEW_DISPATCH SN_DISPATCH_ASKED)
foreach(source ${SINEW_SOURCES})
  file(STRINGS ${source} marks REGEX "^SN_KERNEL" LIMIT_COUNT 1)
  if(marks)
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR}/src ${source})
    set(written ${CMAKE_CURRENT_BINARY_DIR}/kernels/${name})
    add_custom_command(OUTPUT ${written} VERBATIM
      COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/kernels.py ${source} ${written}
      DEPENDS ${source} ${PROJECT_SOURCE_DIR}/tools/kernels.py)
    get_filename_component(folder ${source} DIRECTORY)
    set_source_files_properties(${written} PROPERTIES INCLUDE_DIRECTORIES ${folder})
    list(REMOVE_ITEM SINEW_SOURCES ${source})
    list(APPEND SINEW_SOURCES ${written})
  endif()
endforeach()
