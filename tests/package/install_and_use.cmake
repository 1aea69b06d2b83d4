# cmake -D BUILD=... -D SOURCE=... -D WORK=... -D COMPILER=... -D FLAGS=... -P install_and_use.cmake
# Installs what was built into WORK, then configures, builds and runs the project beside this file against that.
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed)
run(${WORK}/installed/bin/s3tug --version)
run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE} -B ${WORK}/build -DCMAKE_PREFIX_PATH=${WORK}/installed
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/core_user)
run(${WORK}/build/user)
