# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.25)
# cmake "-DFILES=a.html;b.js" -DOUT=page_files.cc -P embed.cmake: the files as coracle::serve::page_files, tags being hashes of their bytes.
# The tags are weak: a file may be sent compressed.
set(arrays "")
set(rows "")
set(number 0)
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
  file(SHA256 ${file} hash)
  string(SUBSTRING ${hash} 0 16 hash)
  string(APPEND arrays "const char kFile${number}[] = {${bytes}};\n")
  string(APPEND rows "    {\"${name}\", \"W/\\\"${hash}\\\"\", {kFile${number}, sizeof(kFile${number})}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUT} "#include \"serve/page.h\"
namespace coracle::serve {
namespace {
${arrays}const PageFile kFiles[] = {
${rows}};
}  // namespace
const std::span<const PageFile> page_files(kFiles);
}  // namespace coracle::serve
")
