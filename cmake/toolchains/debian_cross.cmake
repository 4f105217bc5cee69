# SPDX-License-Identifier: Apache-2.0
# What Debian's cross compilers share: the files beside it set CMAKE_SYSTEM_PROCESSOR, triplet, debian_architecture and emulator.
set(CMAKE_SYSTEM_NAME Linux)
set(CORACLE_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../../build/sysroot/${debian_architecture} CACHE PATH
    "The libraries of the machine that is built for (scripts/arm-sysroot.sh)")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CORACLE_SYSROOT)
get_filename_component(CMAKE_SYSROOT ${CORACLE_SYSROOT} ABSOLUTE)
if(NOT EXISTS ${CMAKE_SYSROOT}/usr/include)
  message(FATAL_ERROR "CORACLE_SYSROOT: there are no libraries in ${CMAKE_SYSROOT}; scripts/arm-sysroot.sh ${debian_architecture} unpacks Debian's")
endif()

set(CMAKE_C_COMPILER ${triplet}-gcc-12)
set(CMAKE_CXX_COMPILER ${triplet}-g++-12)
set(CMAKE_LIBRARY_ARCHITECTURE ${triplet})
# Programs of this machine write sources; all else is the other's.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# ctest runs programs by it. QEMU_CPU says as which processor.
set(CMAKE_CROSSCOMPILING_EMULATOR ${emulator};-L;${CMAKE_SYSROOT})
