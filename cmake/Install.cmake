# Installed files: headers, both libraries, the command, its manual page, and what CMake and pkg-config need to find
# them. Paths in the package files are relative to where they lie, so the installed tree can be moved.
include(CMakePackageConfigHelpers)

install(TARGETS sfnec RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS sfnec_shared sfnec_static EXPORT sfnecTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/sfnec DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES docs/sfnec.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)

# what shells need to complete the command, told by the command itself; a build for another machine cannot ask it
if(NOT CMAKE_CROSSCOMPILING)
  set(completions bash zsh fish)
  set(folder_bash ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  set(folder_zsh ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  set(folder_fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  set(name_bash sfnec)
  set(name_zsh _sfnec)
  set(name_fish sfnec.fish)
  foreach(shell IN LISTS completions)
    set(file ${PROJECT_BINARY_DIR}/completions/${name_${shell}})
    add_custom_command(OUTPUT ${file} DEPENDS sfnec
      COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/completions
      COMMAND sfnec completion ${shell} > ${file} VERBATIM)
    list(APPEND completion_files ${file})
    install(FILES ${file} DESTINATION ${folder_${shell}})
  endforeach()
  add_custom_target(completions ALL DEPENDS ${completion_files})
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sfnec)
install(EXPORT sfnecTargets NAMESPACE sfnec:: DESTINATION ${package_dir})
configure_package_config_file(cmake/sfnecConfig.cmake.in ${PROJECT_BINARY_DIR}/sfnecConfig.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sfnecConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sfnecConfig.cmake ${PROJECT_BINARY_DIR}/sfnecConfigVersion.cmake
  DESTINATION ${package_dir})

# the prefix as seen from the folder of sfnec.pc
file(RELATIVE_PATH pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
configure_file(cmake/sfnec.pc.in ${PROJECT_BINARY_DIR}/sfnec.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/sfnec.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
