# SPDX-License-Identifier: Apache-2.0
# For ctest: a test for each suite that `program` lists, <prefix>.<suite>.
execute_process(COMMAND ${program} --gtest_list_tests OUTPUT_VARIABLE names COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "(^|\n)[^ \n]+\\.( +#[^\n]*)?\n" suites "${names}")
foreach(suite IN LISTS suites)
  string(REGEX MATCH "[^ \n]+" suite "${suite}")
  add_test(${prefix}.${suite} ${program} --gtest_filter=${suite}*)
endforeach()
