# Npm.cmake: builds web/ by npm in FOLDER/work, with the log in FOLDER/npm.log. Used by WebPage.cmake and PlaygroundPage.cmake,
# which are given NPM, SOURCE and FOLDER. What went wrong is in `missing`; it is empty if nothing did.
set(work ${FOLDER}/work)
set(log ${FOLDER}/npm.log)
set(missing "")

# run(WHAT COMMAND...): unless something failed before
function(run what)
  if(missing)
    return()
  endif()
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${work} RESULT_VARIABLE result
    OUTPUT_VARIABLE output ERROR_VARIABLE output)
  file(APPEND ${log} "== ${what}\n${output}\n")
  if(NOT result EQUAL 0)
    set(missing "${what} failed (see web/npm.log in the build folder). With a network and nodejs 18 or newer, remove the \
folder web in the build folder and build again" PARENT_SCOPE)
  endif()
endfunction()

# packages are installed again only when the lock file changed
function(install_packages)
  set(stamp ${work}/node_modules/.sfnec-lock)
  file(SHA256 ${SOURCE}/package-lock.json wanted)
  set(there "")
  if(EXISTS ${stamp})
    file(READ ${stamp} there)
  endif()
  if(NOT there STREQUAL wanted)
    run("npm ci" ${NPM} ci --ignore-scripts --no-audit --no-fund --fetch-retries=1)
    if(NOT missing)
      file(WRITE ${stamp} ${wanted})
    endif()
  endif()
  set(missing "${missing}" PARENT_SCOPE)
endfunction()

# build_page(SCRIPT [FILE...]): by a script of package.json, with some files more in src/playground
function(build_page script)
  file(MAKE_DIRECTORY ${work})
  file(REMOVE_RECURSE ${work}/src ${work}/dist)
  file(WRITE ${log} "")
  file(GLOB sources ${SOURCE}/*.json ${SOURCE}/*.ts ${SOURCE}/*.html ${SOURCE}/src)
  file(COPY ${sources} DESTINATION ${work})
  file(COPY ${ARGN} DESTINATION ${work}/src/playground)
  install_packages()
  run("npm run ${script}" ${NPM} run ${script})
  set(missing "${missing}" PARENT_SCOPE)
endfunction()
