# SPDX-License-Identifier: Apache-2.0
# Linux with musl (Alpine), by the compilers of ziglang.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(target x86_64-linux-musl)
include(${CMAKE_CURRENT_LIST_DIR}/zig_cross.cmake)
# It links again what the compiler linked (the script says what for).
set(CMAKE_CXX_LINKER_LAUNCHER ${CMAKE_CURRENT_LIST_DIR}/../../scripts/zig-link.sh)
