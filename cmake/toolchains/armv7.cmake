# SPDX-License-Identifier: Apache-2.0
# 32-bit ARM with hard float, Debian's armhf: aarch64.cmake for another processor. Kernels take NEON with multiply-adds (cmake/isas.cmake):
# Cortex-A7, A15 and later.
set(CMAKE_SYSTEM_PROCESSOR armv7)
set(triplet arm-linux-gnueabihf)
set(debian_architecture armhf)
set(emulator qemu-arm)
include(${CMAKE_CURRENT_LIST_DIR}/debian_cross.cmake)
