# SPDX-License-Identifier: Apache-2.0
# A library for some models: CORACLE_OPERATORS is a file with the names of the operators that their files hold, one a line, as
# `coracle inspect` lists them. Operators that only others need are left out, with their kernels.
#
# coracle_operators(OUT FOLDER): the headers below FOLDER that hold such an operator, what they include themselves (an operator that is
# lowered to others), and what the library's own rewrites make. coracle_kernel_files(OUT HEADERS FILE...): of files with kernels those
# that include one of HEADERS, themselves or through headers of devices.
set(CORACLE_OPERATORS "" CACHE FILEPATH "File with the names of the operators to build; empty: all")

# coracle_included(OUT FOLDER FILE...): the headers of src/FOLDER that the files include.
function(coracle_included out folder)
  set(included)
  foreach(file IN LISTS ARGN)
    file(STRINGS ${file} lines REGEX "^#include \"${folder}/")
    list(TRANSFORM lines REPLACE "^#include \"(.+)\"" "${PROJECT_SOURCE_DIR}/src/\\1")
    list(APPEND included ${lines})
  endforeach()
  list(REMOVE_DUPLICATES included)
  set(${out} ${included} PARENT_SCOPE)
endfunction()

# coracle_included_by_all(OUT FOLDER FILE...): the same, with what those headers include of the folder, and so on.
function(coracle_included_by_all out folder)
  set(found)
  set(open ${ARGN})
  while(open)
    coracle_included(open ${folder} ${open})
    list(REMOVE_ITEM open ${found})
    list(APPEND found ${open})
  endwhile()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

function(coracle_operators out folder)
  if(NOT EXISTS ${CORACLE_OPERATORS} OR IS_DIRECTORY ${CORACLE_OPERATORS})
    message(FATAL_ERROR "CORACLE_OPERATORS is ${CORACLE_OPERATORS}, which is no file: it names operators, one a line")
  endif()
  file(STRINGS ${CORACLE_OPERATORS} wanted REGEX "^[^#]")
  list(TRANSFORM wanted STRIP)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CORACLE_OPERATORS})
  set(unknown ${wanted})
  set(kept)
  file(GLOB_RECURSE headers RELATIVE ${folder} ${folder}/*.h)
  foreach(header IN LISTS headers)
    file(READ ${folder}/${header} text)
    string(REGEX MATCHALL "(kName =|kLegacy\\[\\] =)[^;]*;" lists "${text}")
    string(REGEX MATCHALL "\"[^\"]+\"" names "${lists}")
    list(TRANSFORM names REPLACE "\"" "")
    foreach(name IN LISTS names)
      if(name IN_LIST wanted)
        list(APPEND kept ${folder}/${header})
        list(REMOVE_ITEM unknown ${name})
      endif()
    endforeach()
  endforeach()
  if(unknown)
    message(STATUS "CORACLE_OPERATORS: what reads models handles or does not know: ${unknown}")
  endif()
  # What rewrites, plans and imports graphs names operators too.
  set(src ${PROJECT_SOURCE_DIR}/src)
  set(users)
  foreach(folder graph model passes plan run blocks loading)
    file(GLOB_RECURSE more ${src}/${folder}/*.cc ${src}/${folder}/*.h)
    list(APPEND users ${more})
  endforeach()
  coracle_included_by_all(more ops ${kept} ${users})
  # Code of families stands beside their headers, and lowers operators to others too.
  set(sources ${kept} ${more})
  list(FILTER sources INCLUDE REGEX "\\.h$")
  list(TRANSFORM sources REPLACE "\\.h$" ".cc")
  set(families)
  foreach(source IN LISTS sources)
    if(EXISTS ${source})
      list(APPEND families ${source})
    endif()
  endforeach()
  coracle_included_by_all(of_families ops ${families})
  list(APPEND kept ${more} ${of_families})
  list(REMOVE_DUPLICATES kept)
  list(TRANSFORM kept REPLACE "^${folder}/" "")
  set(${out} ${kept} PARENT_SCOPE)
endfunction()

function(coracle_kernel_files out headers)
  set(kept)
  foreach(file IN LISTS ARGN)
    coracle_included_by_all(shared devices ${file})
    coracle_included(included ops ${file} ${shared})
    list(TRANSFORM included REPLACE "^${PROJECT_SOURCE_DIR}/src/ops/" "")
    foreach(header IN LISTS included)
      if(header IN_LIST headers)
        list(APPEND kept ${file})
        break()
      endif()
    endforeach()
  endforeach()
  set(${out} ${kept} PARENT_SCOPE)
endfunction()

# coracle_operator_names(OUT FOLDER HEADER...): the operators whose schemas the headers hold, by the names of these files.
function(coracle_operator_names out folder)
  set(names)
  foreach(header IN LISTS ARGN)
    file(STRINGS ${folder}/${header} schema REGEX "constexpr const OpSchema[*] [a-z0-9_]+_op =")
    if(schema)
      get_filename_component(name ${header} NAME_WE)
      list(APPEND names ${name})
    endif()
  endforeach()
  set(${out} ${names} PARENT_SCOPE)
endfunction()

# coracle_built_operators(FOLDER HEADERS FROM FOLDER2): writes built_operators.h to FOLDER: the names of the operators of these headers.
function(coracle_built_operators to headers from)
  set(entries)
  foreach(header IN LISTS headers)
    file(STRINGS ${from}/${header} line REGEX "kName = \"")
    string(REGEX MATCHALL "\"[^\"]+\"" names "${line}")
    foreach(name IN LISTS names)
      string(APPEND entries "    ${name},\n")
    endforeach()
  endforeach()
  file(CONFIGURE OUTPUT ${to}/built_operators.h @ONLY CONTENT "#pragma once
#include <string_view>
namespace coracle::internal {
inline constexpr std::string_view kBuiltOperators[] = {
${entries}};
}
")
endfunction()

# coracle_schema_list(OUT NAME...): all_ops() of these operators.
function(coracle_schema_list out)
  coracle_generated_list(list NAMES ${ARGN} HEADER graph/op.h NAMESPACE coracle::internal TYPE OpSchema FUNCTION all_ops
    DECLARATION "namespace schemas {\nextern const OpSchema* const <name>_schema;\n}" ENTRY "schemas::<name>_schema")
  set(${out} ${list} PARENT_SCOPE)
endfunction()
