# SPDX-License-Identifier: Apache-2.0
# 64-bit ARM with Debian's cross compiler; libraries, also those that qemu-user runs the tests with, from what scripts/arm-sysroot.sh unpacks.
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(triplet aarch64-linux-gnu)
set(debian_architecture arm64)
set(emulator qemu-aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/debian_cross.cmake)
