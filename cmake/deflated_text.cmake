# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.25)
# coracle_deflate(TEXT NAME OUT): the file TEXT as the constant coracle::internal::NAME, a DeflatedText, in the C++ source OUT.
function(coracle_deflate text name out)
  file(SIZE ${text} size)
  file(ARCHIVE_CREATE OUTPUT ${out}.gz PATHS ${text} FORMAT raw COMPRESSION GZip COMPRESSION_LEVEL 9)
  # Ten bytes of header, with the time, and eight of checksum and length are left out.
  file(SIZE ${out}.gz packed_size)
  math(EXPR deflated "${packed_size} - 18")
  file(READ ${out}.gz bytes HEX OFFSET 10 LIMIT ${deflated})
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  file(CONFIGURE OUTPUT ${out} CONTENT "#include \"base/deflated_text.h\"
namespace coracle::internal {
namespace {
const uint8_t kBytes[] = {${bytes}};
}  // namespace
extern const DeflatedText ${name};
const DeflatedText ${name} = {kBytes, sizeof(kBytes), ${size}};
}  // namespace coracle::internal
")
endfunction()

# As a script: cmake -DTEXT=a.txt -DNAME=kName -DOUT=a.cc -P deflated_text.cmake
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  coracle_deflate(${TEXT} ${NAME} ${OUT})
endif()
