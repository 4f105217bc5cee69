# SPDX-License-Identifier: Apache-2.0
# coracle_tailored(FILE SRC): of `names`, `references` and `tables` of the caller what the list FILE names, which `coracle tailor` wrote:
# lines of `operator NAME`, `kernel NAME`, `filter 3x3` (of a depthwise convolution) and `reference NAME` (of an operator that is evaluated
# without a kernel). Writes built_operators.h and light/kernels.h, which the tables of kernels include. `tailored_loops`: what the inner loops are
# compiled with.
function(coracle_tailored file src)
  if(NOT EXISTS ${file} OR IS_DIRECTORY ${file})
    message(FATAL_ERROR "CORACLE_TAILOR is ${file}, which is no list that coracle tailor wrote")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(STRINGS ${file} operators REGEX "^operator ")
  list(TRANSFORM operators REPLACE "^operator " "")
  file(STRINGS ${file} kernels REGEX "^kernel ")
  list(TRANSFORM kernels REPLACE "^kernel " "")
  file(STRINGS ${file} more REGEX "^reference ")
  list(TRANSFORM more REPLACE "^reference " "")
  # What planning adds of its own.
  set(wanted ${operators} relayout cast)
  list(REMOVE_DUPLICATES wanted)
  set(entries)
  set(evaluated)
  set(kept)
  set(kept_headers)
  foreach(header IN LISTS op_headers)
    file(STRINGS ${src}/ops/${header} line REGEX "kName = \"")
    string(REGEX MATCHALL "\"[^\"]+\"" found "${line}")
    list(TRANSFORM found REPLACE "\"" "")
    foreach(name IN LISTS found)
      if(name IN_LIST wanted)
        get_filename_component(stem ${header} NAME_WE)
        list(APPEND kept ${stem})
        if(name IN_LIST more)
          list(APPEND evaluated ${name})
        endif()
        list(APPEND kept_headers ${header})
        string(APPEND entries "    \"${name}\",\n")
        list(REMOVE_ITEM operators ${name})
      endif()
    endforeach()
  endforeach()
  if(operators)
    message(FATAL_ERROR "${file} names operators that this source does not have: ${operators}")
  endif()
  list(REMOVE_DUPLICATES kept)
  foreach(name IN LISTS references)
    if(name IN_LIST kept)
      list(APPEND evaluated ${name})
    endif()
  endforeach()
  coracle_kernel_files(kept_tables "${kept_headers}" ${tables})
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/generated/built_operators.h @ONLY CONTENT "#pragma once
#include <string_view>
namespace coracle::internal {
inline constexpr std::string_view kBuiltOperators[] = {
${entries}};
}
")
  set(entries)
  foreach(name IN LISTS kernels)
    string(APPEND entries "    \"${name}\",\n")
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/generated/light/kernels.h @ONLY CONTENT "#pragma once
#include <string_view>
namespace coracle::internal {
/// The kernels that the models of this library's list use.
inline constexpr std::string_view kListedKernels[] = {
${entries}};
}
")
  # Of models with branches the list has no kernels: all of their operators stay.
  set(tailored_kernels CORACLE_TAILOR=0)
  if(kernels)
    set(tailored_kernels CORACLE_TAILOR=1)
  endif()
  set(tailored_kernels ${tailored_kernels} PARENT_SCOPE)
  # Filters that have code of their own, of which others run like all else.
  file(STRINGS ${file} filters REGEX "^filter ")
  set(tailored_loops)
  foreach(size 3 5)
    if(kernels AND NOT "filter ${size}x${size}" IN_LIST filters)
      list(APPEND tailored_loops CORACLE_WITHOUT_DEPTHWISE_${size})
    endif()
  endforeach()
  set(tailored_loops ${tailored_loops} PARENT_SCOPE)
  set(names ${kept} PARENT_SCOPE)
  set(references ${evaluated} PARENT_SCOPE)
  set(tables ${kept_tables} PARENT_SCOPE)
endfunction()
