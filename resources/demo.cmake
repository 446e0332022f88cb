# The demo job, which the start page of the window opens: two nodes, a straggler, exposed communication, and a step that
# waits for its DataLoader. Generated with the build, because the traces are larger than what makes them.
set(demo ${PROJECT_BINARY_DIR}/resources/demo)
add_custom_command(OUTPUT ${demo}.stamp
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${demo} ${demo}.part
  COMMAND rankscope-make-job ${demo}.part --ranks 8 --ranks-per-node 4 --steps 5 --layers 16 --stack --overlap 600
    --straggler 3:4ms:compute --gap dataloader:12ms:-1:3 --gzip --gzip-level 6 > ${demo}.log
  # What the generator knows about the job is no trace.
  COMMAND ${CMAKE_COMMAND} -E rename ${demo}.part/ground_truth.json ${demo}-truth.json
  COMMAND ${CMAKE_COMMAND} -E rename ${demo}.part ${demo}
  COMMAND ${CMAKE_COMMAND} -E touch ${demo}.stamp
  DEPENDS rankscope-make-job VERBATIM)
add_custom_target(rankscope-demo ALL DEPENDS ${demo}.stamp)
include(GNUInstallDirs)
install(DIRECTORY ${demo} DESTINATION ${CMAKE_INSTALL_DATADIR}/rankscope)
