# SPDX-License-Identifier: Apache-2.0
# What the compilers of ziglang share: the files beside it set CMAKE_SYSTEM_NAME, CMAKE_SYSTEM_PROCESSOR and target. libc++ becomes part of
# what is linked; other libraries are in the folder that scripts/source-libraries.sh fills.
get_filename_component(build ${CMAKE_CURRENT_LIST_DIR}/../../build ABSOLUTE)
if(NOT EXISTS ${build}/zig/${target}/clang++)
  message(FATAL_ERROR "there are no compilers in ${build}/zig/${target}; scripts/zig-compilers.sh ${target} makes them")
endif()
set(CMAKE_C_COMPILER ${build}/zig/${target}/clang)
set(CMAKE_CXX_COMPILER ${build}/zig/${target}/clang++)
set(CMAKE_AR ${build}/zig/${target}/ar)
set(CMAKE_RANLIB ${build}/zig/${target}/ranlib)
set(CMAKE_FIND_ROOT_PATH ${build}/sysroot/${target})
# Programs of this machine write sources; all else is the other's.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
