# find_package(sinew), pkg-config, `make install PREFIX=` and `make uninstall`.
#
# Headers go to include/sinew/, which the .pc file and the CMake package add to the search path: a
# released engine's include/mujoco/ in the same prefix stays as it is.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(SINEW_INCLUDE ${CMAKE_INSTALL_INCLUDEDIR}/sinew)

# The static library is one object whose inner names are local: an archive of plain objects would
# bring names such as list_append into the program's own.
if(NOT SINEW_SANITIZE AND CMAKE_OBJCOPY AND SINEW_SONAMES)
  set(archive ${CMAKE_BINARY_DIR}/libsinew.a)
  set(whole ${CMAKE_BINARY_DIR}/sinew_whole.o)  # inner names too: what SINEW_ENGINE asks for
  set(closed ${CMAKE_BINARY_DIR}/sinew_closed.o)
  add_custom_command(OUTPUT ${archive} VERBATIM COMMAND_EXPAND_LISTS
    COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -o ${whole} $<TARGET_OBJECTS:sinew_objects>
    COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=mj* --keep-global-symbol=_mj*
            --keep-global-symbol=sn_* ${whole} ${closed}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
    COMMAND ${CMAKE_AR} rcs ${archive} ${closed}
    DEPENDS sinew_objects $<TARGET_OBJECTS:sinew_objects>
    COMMENT "Linking C static library libsinew.a")
  add_custom_target(sinew_static ALL DEPENDS ${archive})
  install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()

install(TARGETS sinew EXPORT sinewTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET mujoco_compat)
  install(TARGETS mujoco_compat LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/sinew)
endif()
if(TARGET sinew_command)
  install(TARGETS sinew_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
# the page of `sinew view`, where `make web` has built it; an optional file would leave its folder behind
install(CODE "if(EXISTS ${PROJECT_SOURCE_DIR}/build/web/package/page.html)
  file(INSTALL ${PROJECT_SOURCE_DIR}/build/web/package/page.html DESTINATION \${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/sinew)
endif()")
install(DIRECTORY include/ DESTINATION ${SINEW_INCLUDE} FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(EXPORT sinewTargets NAMESPACE sinew:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)

file(WRITE ${CMAKE_BINARY_DIR}/sinewConfig.cmake
  "include(\${CMAKE_CURRENT_LIST_DIR}/sinewTargets.cmake)\n")
write_basic_package_version_file(${CMAKE_BINARY_DIR}/sinewConfigVersion.cmake
  COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/sinewConfig.cmake ${CMAKE_BINARY_DIR}/sinewConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)

# Debian calls the static qhull by another name than the shared one.
find_library(QHULL_STATIC qhullstatic_r)
mark_as_advanced(QHULL_STATIC)
set(SINEW_QHULL qhull_r)
if(QHULL_STATIC)
  set(SINEW_QHULL qhullstatic_r)
endif()
# Packages for the system's own folders have no use for a run-time path: -DSINEW_PC_RPATH=OFF.
option(SINEW_PC_RPATH "programs built by pkg-config find the library where it was installed" ON)
set(SINEW_RPATH "")
if(SINEW_PC_RPATH)
  set(SINEW_RPATH " -Wl,-rpath,\${libdir}")
endif()
# from the folder of sinew.pc up to the prefix: Debian's libraries lie one folder deeper
file(RELATIVE_PATH SINEW_PREFIX "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" /prefix)
string(REGEX REPLACE "/$" "" SINEW_PREFIX "${SINEW_PREFIX}")
configure_file(cmake/sinew.pc.in ${CMAKE_BINARY_DIR}/sinew.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/sinew.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# `make deb`: one package with libraries, headers and the command
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME sinew)
set(CPACK_PACKAGE_CONTACT "The Sinew maintainers")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_CMAKE_PROJECTS "${CMAKE_BINARY_DIR};sinew;Unspecified;/")
include(CPack)
