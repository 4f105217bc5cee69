# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.25)
# cmake -DSOURCES=a.cl;b.cl -DOUT=packed_sources.cc -P pack_sources.cmake: the kernels' sources as one deflated array of
# C++, each as its name, a line feed, its text without comments of whole lines (line numbers stay), and a byte 1.
set(texts ${OUT}.texts)
file(WRITE ${texts} "")
foreach(source ${SOURCES})
  get_filename_component(name ${source} NAME_WE)
  file(READ ${source} text)
  string(REGEX REPLACE "(^|\n)[ \t]*//[^\n]*" "\\1" text "${text}")
  file(APPEND ${texts} "${name}\n${text}")
  string(ASCII 1 end)
  file(APPEND ${texts} "${end}")
endforeach()
file(SIZE ${texts} size)
file(ARCHIVE_CREATE OUTPUT ${texts}.gz PATHS ${texts} FORMAT raw COMPRESSION GZip COMPRESSION_LEVEL 9)
# Ten bytes of header, with the time, and eight of checksum and length are left out.
file(SIZE ${texts}.gz packed_size)
math(EXPR deflated "${packed_size} - 18")
file(READ ${texts}.gz bytes HEX OFFSET 10 LIMIT ${deflated})
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
file(CONFIGURE OUTPUT ${OUT} CONTENT "#include \"devices/opencl/sources.h\"
namespace coracle::opencl {
const uint8_t kPackedSources[] = {${bytes}};
const size_t kPackedSourcesSize = sizeof(kPackedSources);
const size_t kSourcesSize = ${size};
}
")
