# find_package(sinew), pkg-config and `make install PREFIX=`.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS sinew EXPORT sinewTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS mujoco_compat LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/sinew)
if(TARGET sinew_command)
  install(TARGETS sinew_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT sinewTargets NAMESPACE sinew:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)

file(WRITE ${CMAKE_BINARY_DIR}/sinewConfig.cmake
  "include(\${CMAKE_CURRENT_LIST_DIR}/sinewTargets.cmake)\n")
write_basic_package_version_file(${CMAKE_BINARY_DIR}/sinewConfigVersion.cmake
  COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/sinewConfig.cmake ${CMAKE_BINARY_DIR}/sinewConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)

configure_file(cmake/sinew.pc.in ${CMAKE_BINARY_DIR}/sinew.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/sinew.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
