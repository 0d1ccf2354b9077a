# expat, libpng, zlib and qhull from their sources, as one static library: for wheels, which bring
# everything along, and for systems that have none of them. Set SINEW_BUNDLED to the folder that
# tools/sources prints.
set(SINEW_BUNDLED "" CACHE PATH "folder with the sources of expat, libpng1.6, qhull and zlib (tools/sources)")
if(NOT SINEW_BUNDLED)
  return()
endif()
file(GLOB bundled ${SINEW_BUNDLED}/expat/expat/lib/xmlparse.c ${SINEW_BUNDLED}/expat/expat/lib/xmltok.c
  ${SINEW_BUNDLED}/expat/expat/lib/xmlrole.c ${SINEW_BUNDLED}/qhull/src/libqhull_r/*.c
  ${SINEW_BUNDLED}/zlib/*.c ${SINEW_BUNDLED}/libpng1.6/png*.c)
list(FILTER bundled EXCLUDE REGEX "/zlib/gz[a-z]*\\.c$|/pngtest\\.c$")
set(bundled_headers ${CMAKE_CURRENT_BINARY_DIR}/bundled)
file(WRITE ${bundled_headers}/expat_config.h "")
configure_file(${SINEW_BUNDLED}/libpng1.6/scripts/pnglibconf.h.prebuilt ${bundled_headers}/pnglibconf.h COPYONLY)
add_library(sinew_bundled STATIC ${bundled})
target_include_directories(sinew_bundled SYSTEM PUBLIC ${SINEW_BUNDLED}/expat/expat/lib ${SINEW_BUNDLED}/qhull/src
  ${SINEW_BUNDLED}/zlib ${SINEW_BUNDLED}/libpng1.6 ${bundled_headers})
# half of these libraries is called by nobody: the linker drops it
target_compile_options(sinew_bundled PRIVATE -w -ffunction-sections -fdata-sections)
# reading pictures of models and reporting on hulls takes no time that is noticed: small code makes a small download
set(bundled_small ${bundled})
list(FILTER bundled_small INCLUDE REGEX "/libpng1\\.6/|/libqhull_r/(global|io|rboxlib|stat|user.*)_r\\.c$")
set_source_files_properties(${bundled_small} PROPERTIES COMPILE_OPTIONS -Os)
if(APPLE)  # libpng and zlib take these for the Macintosh of 1990
  target_compile_options(sinew_bundled PRIVATE -fno-define-target-os-macros)
endif()
# what expat salts its hash tables with
if(EMSCRIPTEN)
  set(entropy XML_POOR_ENTROPY)
elseif(WIN32)
  set(entropy "")
else()
  set(entropy XML_DEV_URANDOM)
endif()
target_compile_definitions(sinew_bundled PRIVATE ${entropy} HAVE_MEMMOVE XML_DTD XML_NS XML_CONTEXT_BYTES=1024
  PNG_ARM_NEON_OPT=0 PNG_INTEL_SSE_OPT=0 INTERFACE XML_STATIC)
set_target_properties(sinew_bundled PROPERTIES POSITION_INDEPENDENT_CODE ON)
