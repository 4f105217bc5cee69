// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace coracle::internal::test {

/// What a run of the program left.
struct Outcome {
  int code = -1;  ///< exit code; 128 + signal if it was killed
  std::string out;
  std::string err;
};

/// Runs the `coracle` program of this build with these arguments. `out_file` replaces standard output if given. Unless
/// it is 0 the program is sent SIGINT after `interrupt_after` ms.
Outcome coracle_program(const std::vector<std::string>& arguments, const std::string& out_file = {},
                        int interrupt_after = 0);

/// Expects a failure as the program reports all of them: this exit code, nothing on standard output, and on standard
/// error one message, which has all of `parts`.
void expect_failure(const std::vector<std::string>& arguments, int code, const std::vector<std::string>& parts);

}  // namespace coracle::internal::test
