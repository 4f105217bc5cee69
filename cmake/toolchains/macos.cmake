# SPDX-License-Identifier: Apache-2.0
# macOS 13 and later, by the compilers of ziglang. CORACLE_MACOS: aarch64 (Apple's own processors) or x86_64.
set(CORACLE_MACOS aarch64 CACHE STRING "Architecture: aarch64 or x86_64")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CORACLE_MACOS)
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR ${CORACLE_MACOS})
set(target ${CORACLE_MACOS}-macos.13.0)
include(${CMAKE_CURRENT_LIST_DIR}/zig_cross.cmake)
# The compiler's names say what is compiled for, and nothing is installed from here.
set(CMAKE_OSX_ARCHITECTURES "")
set(CMAKE_OSX_SYSROOT "")
set(CMAKE_OSX_DEPLOYMENT_TARGET "")
set(CMAKE_INSTALL_NAME_TOOL true)
# It links again what the compiler linked (the script says what for).
set(CMAKE_CXX_LINKER_LAUNCHER ${CMAKE_CURRENT_LIST_DIR}/../../scripts/macos-link.sh)
