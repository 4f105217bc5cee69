# SPDX-License-Identifier: Apache-2.0
# 64-bit Windows with Debian's mingw-w64; other libraries from the folder that scripts/source-libraries.sh fills.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CORACLE_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../../build/sysroot/windows CACHE PATH
    "What the library is built with (scripts/source-libraries.sh)")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CORACLE_SYSROOT)
get_filename_component(sysroot ${CORACLE_SYSROOT} ABSOLUTE)
if(NOT EXISTS ${sysroot}/include)
  message(FATAL_ERROR "CORACLE_SYSROOT: there are no headers in ${sysroot}; make windows fills it")
endif()

set(triplet x86_64-w64-mingw32)
# Threads of POSIX: those of std::thread.
set(CMAKE_C_COMPILER ${triplet}-gcc-posix)
set(CMAKE_CXX_COMPILER ${triplet}-g++-posix)
set(CMAKE_RC_COMPILER ${triplet}-windres)
set(CMAKE_FIND_ROOT_PATH ${sysroot} /usr/${triplet})
# Programs of this machine write sources; all else is the other's.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# The stack is aligned to 16 bytes, and g++ moves vectors of 32 and 64 bytes there as if it were to theirs (GCC bug 54412): the assembler makes of
# each such move one that takes any address, which is as fast where that is aligned.
set(CMAKE_CXX_FLAGS_INIT "-Wa,-muse-unaligned-vector-move")
# Nothing but Windows' own libraries is needed: what checks stacks is linked in, too.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static -fstack-protector")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-static -fstack-protector")
set(CMAKE_CROSSCOMPILING_EMULATOR ${CMAKE_CURRENT_LIST_DIR}/../../scripts/wine.sh)
