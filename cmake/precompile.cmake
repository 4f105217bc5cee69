# SPDX-License-Identifier: Apache-2.0
# coracle_precompile(TARGET HEADER...): the headers most units of TARGET begin with are parsed once. Sources still include what they
# use: `make lint` parses them without.
option(CORACLE_PRECOMPILE "Parse common headers once for each target" ON)

function(coracle_precompile target)
  if(CORACLE_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# Headers of the standard library nearly every unit includes, <algorithm> the largest of them.
set(CORACLE_STANDARD_HEADERS <algorithm> <cmath> <cstdint> <cstring> <functional> <map> <memory> <optional> <span> <string> <vector>)
