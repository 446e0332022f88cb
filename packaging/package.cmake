# What is installed beside the programs, and how CPack makes a package of it: cpack --config BUILD/CPackConfig.cmake -G DEB
include(GNUInstallDirs)

set(resources ${PROJECT_SOURCE_DIR}/resources)
set(texts ${PROJECT_BINARY_DIR}/resources) # as resources/CMakeLists.txt makes them
set(compressed ${CMAKE_CURRENT_BINARY_DIR}/compressed)
find_program(GZIP_PROGRAM gzip)

# All that an installation needs beside the programs.
add_custom_target(rankscope-package-files ALL)

# Manual pages and the change log are installed compressed, without the time, so that a package is the same every time.
function(install_compressed source name destination)
  if(NOT GZIP_PROGRAM)
    install(FILES ${source} DESTINATION ${destination} RENAME ${name})
    return()
  endif()
  add_custom_command(OUTPUT ${compressed}/${name}.gz
    COMMAND ${CMAKE_COMMAND} -E make_directory ${compressed}
    COMMAND ${GZIP_PROGRAM} -9nc ${source} > ${compressed}/${name}.gz
    DEPENDS ${source} VERBATIM)
  string(MAKE_C_IDENTIFIER compressed_${name} target)
  add_custom_target(${target} DEPENDS ${compressed}/${name}.gz)
  add_dependencies(rankscope-package-files ${target})
  install(FILES ${compressed}/${name}.gz DESTINATION ${destination})
endfunction()

set(programs rankscope-cli)
if(RANKSCOPE_WINDOW)
  list(APPEND programs rankscope)
  install(FILES ${resources}/rankscope.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
  install(FILES ${resources}/rankscope.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
  install(FILES ${resources}/rankscope-mime.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages
    RENAME rankscope.xml)
endif()
install(FILES ${resources}/python/rankscope.py DESTINATION ${CMAKE_INSTALL_DATADIR}/rankscope/python)
foreach(program IN LISTS programs)
  install_compressed(${texts}/man/${program}.1 ${program}.1 ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${texts}/completions/${program}.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  install(FILES ${texts}/completions/rankscope.bash
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ${program})
endforeach()
if(TARGET rankscope-digest)
  install(FILES ${texts}/completions/rankscope-digest.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  install(FILES ${texts}/completions/rankscope.bash
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME rankscope-digest)
  install_compressed(${texts}/man/rankscope-digest.1 rankscope-digest.1 ${CMAKE_INSTALL_MANDIR}/man1)
endif()
install(FILES ${texts}/completions/_rankscope DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install_compressed(${CMAKE_CURRENT_LIST_DIR}/debian/changelog changelog ${CMAKE_INSTALL_DOCDIR})
install(FILES ${CMAKE_CURRENT_LIST_DIR}/debian/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME rankscope)
set(CPACK_PACKAGE_VENDOR "The Rankscope authors")
set(CPACK_PACKAGE_CONTACT "The Rankscope authors <rankscope@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "viewer for PyTorch profiler traces of distributed training jobs")
set(CPACK_PACKAGE_DESCRIPTION
"Opens the traces that PyTorch's profiler (Kineto) writes on every rank of a job
as one job: the ranks under each other on one clock, with their streams,
collectives and memory, what is wrong, what it costs and what to change.
.
Contains the window, rankscope, and the command line program, rankscope-cli,
which gives the same tables and findings without a display.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# What it is written in on a screen, and a desktop that is Wayland without X.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "fonts-inter, fonts-jetbrains-mono, qt6-wayland")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
