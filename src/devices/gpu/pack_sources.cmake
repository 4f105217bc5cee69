# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/../../../cmake/deflated_text.cmake)
# cmake -DSOURCES=a.cl;b.cl -DOUT=packed_sources.cc -P pack_sources.cmake: the kernels' sources as one DeflatedText,
# each as its name, a line feed, its text without comments of whole lines (line numbers stay), and a byte 1.
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
coracle_deflate(${texts} kGpuSources ${OUT})
