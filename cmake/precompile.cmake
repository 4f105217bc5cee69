# SPDX-License-Identifier: Apache-2.0
# coracle_precompile(TARGET HEADER...): the headers most units of TARGET begin with are parsed once. Sources still include what they
# use: `make lint` parses them without. coracle_precompile(TARGET FROM OTHER): it takes those of OTHER, which is compiled with the same
# options; parsed headers have 100 MB for each target that has its own.
option(CORACLE_PRECOMPILE "Parse common headers once for each target" ON)

function(coracle_precompile target)
  cmake_parse_arguments(PARSE_ARGV 1 headers "" "FROM" "")
  if(NOT CORACLE_PRECOMPILE)
    return()
  elseif(headers_FROM)
    target_precompile_headers(${target} REUSE_FROM ${headers_FROM})
  else()
    target_precompile_headers(${target} PRIVATE ${headers_UNPARSED_ARGUMENTS})
  endif()
endfunction()

# Headers of the standard library nearly every unit includes, <algorithm> the largest of them.
set(CORACLE_STANDARD_HEADERS <algorithm> <cmath> <cstdint> <cstring> <functional> <map> <memory> <optional> <span> <string> <vector>)
