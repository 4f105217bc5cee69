# SPDX-License-Identifier: Apache-2.0
# For ctest: a test for each suite that `program` lists, <prefix>.<suite>, with `properties` (PROPERTIES and pairs). A program that was not built
# is a test that fails.
if(NOT EXISTS ${program})
  add_test(${prefix}.not_built ${program})
  return()
endif()
execute_process(COMMAND ${program} --gtest_list_tests OUTPUT_VARIABLE names COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "(^|\n)[^ \n]+\\.( +#[^\n]*)?\n" suites "${names}")
foreach(suite IN LISTS suites)
  string(REGEX MATCH "[^ \n]+" suite "${suite}")
  add_test(${prefix}.${suite} ${program} --gtest_filter=${suite}*)
  set_tests_properties(${prefix}.${suite} ${properties})
endforeach()
