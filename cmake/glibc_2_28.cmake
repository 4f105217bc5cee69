# SPDX-License-Identifier: Apache-2.0
# coracle_for_glibc_2_28(TARGET...): libraries and programs that run with glibc 2.28 (Debian 10, RHEL 8, Ubuntu 20.04) and newer on
# x86-64 and 64-bit ARM, linked on whatever glibc. What newer ones do otherwise is in glibc_2_28.cc; the C++ library is linked
# statically. libgcc_s stays the system's: every system has one, and it finds the frames of exceptions in the way that the system's
# glibc offers.
include(CheckCXXSourceCompiles)
check_cxx_source_compiles("#include <features.h>
#ifndef __GLIBC__
#error
#endif
int main() { return 0; }" CORACLE_HAS_GLIBC)
if(NOT CORACLE_HAS_GLIBC OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|aarch64)$")
  # musl has no versions of symbols: scripts/python-wheel.sh looks at what is needed of it.
  function(coracle_for_glibc_2_28)
    foreach(target IN LISTS ARGN)
      target_link_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-static-libstdc++>)
    endforeach()
  endfunction()
  return()
endif()

add_library(coracle_glibc_2_28 OBJECT ${CMAKE_CURRENT_LIST_DIR}/glibc_2_28.cc)
add_library(coracle_glibc_2_28_start OBJECT ${CMAKE_CURRENT_LIST_DIR}/glibc_2_28_start.cc)
file(READ ${CMAKE_CURRENT_LIST_DIR}/glibc_2_28.cc text)
string(REGEX MATCHALL "WITH_OLD_VERSION\\([a-z*]+, [a-z0-9_]+|__wrap_[a-z0-9_]+" wrapped "${text}")
list(TRANSFORM wrapped REPLACE ".*, |^__wrap_" "LINKER:--wrap=")

function(coracle_for_glibc_2_28)
  foreach(target IN LISTS ARGN)
    target_link_libraries(${target} PRIVATE coracle_glibc_2_28)
    target_link_options(${target} PRIVATE -static-libstdc++ LINKER:--gc-sections ${wrapped})
    # Empty in newer glibc; in older ones they are where threads and dlopen are.
    target_link_options(${target} PRIVATE LINKER:--push-state,--no-as-needed -l:libpthread.so.0 -l:libdl.so.2
      LINKER:--pop-state)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "EXECUTABLE")
      target_link_libraries(${target} PRIVATE coracle_glibc_2_28_start)
      target_link_options(${target} PRIVATE LINKER:--wrap=__libc_start_main)
    endif()
  endforeach()
endfunction()
