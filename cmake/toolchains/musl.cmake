# SPDX-License-Identifier: Apache-2.0
# Linux with musl (Alpine), by the compilers of ziglang. CORACLE_MUSL: x86_64 or aarch64.
set(CORACLE_MUSL x86_64 CACHE STRING "Architecture: x86_64 or aarch64")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CORACLE_MUSL)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${CORACLE_MUSL})
set(target ${CORACLE_MUSL}-linux-musl)
include(${CMAKE_CURRENT_LIST_DIR}/zig_cross.cmake)
# It links again what the compiler linked (the script says what for).
set(CMAKE_CXX_LINKER_LAUNCHER ${CMAKE_CURRENT_LIST_DIR}/../../scripts/zig-link.sh)
