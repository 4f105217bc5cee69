# SPDX-License-Identifier: Apache-2.0
# coracle_generated_list(OUT NAMES... HEADER h NAMESPACE n TYPE t FUNCTION f DECLARATION d ENTRY e): a source file, its path in the
# variable OUT, that defines `std::span<const T* const> f()` in that namespace with an entry for each name. DECLARATION and ENTRY are
# C++ with <name> in place of the name. So what stands in a folder is registered by being there.
function(coracle_generated_list out)
  cmake_parse_arguments(PARSE_ARGV 1 list "" "HEADER;NAMESPACE;TYPE;FUNCTION;DECLARATION;ENTRY" "NAMES")
  set(declarations)
  set(entries)
  foreach(name ${list_NAMES})
    string(REPLACE "<name>" ${name} declaration "${list_DECLARATION}")
    string(REPLACE "<name>" ${name} entry "${list_ENTRY}")
    string(APPEND declarations "${declaration}\n")
    string(APPEND entries "      ${entry},\n")
  endforeach()
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${list_FUNCTION}.cc)
  file(CONFIGURE OUTPUT ${file} @ONLY CONTENT "#include \"${list_HEADER}\"
namespace ${list_NAMESPACE} {
${declarations}std::span<const ${list_TYPE}* const> ${list_FUNCTION}();
std::span<const ${list_TYPE}* const> ${list_FUNCTION}() {
  static const ${list_TYPE}* const kAll[] = {
${entries}      nullptr,
  };
  return {kAll, std::size(kAll) - 1};
}
}
")
  set(${out} ${file} PARENT_SCOPE)
endfunction()
