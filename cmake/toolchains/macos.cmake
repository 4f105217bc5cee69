# SPDX-License-Identifier: Apache-2.0
# macOS 13 and later by the compilers of ziglang, whose libc++ becomes part of what is linked; other libraries from the folder that
# scripts/source-libraries.sh fills. CORACLE_MACOS: aarch64 (Apple's own processors) or x86_64.
set(CORACLE_MACOS aarch64 CACHE STRING "Architecture: aarch64 or x86_64")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CORACLE_MACOS)
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR ${CORACLE_MACOS})
set(target ${CORACLE_MACOS}-macos)
get_filename_component(build ${CMAKE_CURRENT_LIST_DIR}/../../build ABSOLUTE)
if(NOT EXISTS ${build}/zig/${target}/clang++)
  message(FATAL_ERROR "there are no compilers in ${build}/zig/${target}; scripts/zig-compilers.sh ${target} makes them")
endif()
set(CMAKE_C_COMPILER ${build}/zig/${target}/clang)
set(CMAKE_CXX_COMPILER ${build}/zig/${target}/clang++)
set(CMAKE_AR ${build}/zig/${target}/ar)
set(CMAKE_RANLIB ${build}/zig/${target}/ranlib)
# The compiler's names say what is compiled for, and nothing is installed from here.
set(CMAKE_OSX_ARCHITECTURES "")
set(CMAKE_OSX_SYSROOT "")
set(CMAKE_OSX_DEPLOYMENT_TARGET "")
set(CMAKE_INSTALL_NAME_TOOL true)
set(CMAKE_FIND_ROOT_PATH ${build}/sysroot/${target})
# Programs of this machine write sources; all else is the other's.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
