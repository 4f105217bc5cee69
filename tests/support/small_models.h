// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "base/tensor.h"

/// Models of a few operators in the bytes of their files, written by program_writer.h and pir_writer.h.
namespace coracle::internal::test {

struct ModelBytes {
  std::string name;
  std::string program;
  std::string params;          ///< combined; empty if there are no parameters
  std::vector<Tensor> inputs;  ///< of a run, in the model's order, with their sequence offsets

  friend std::ostream& operator<<(std::ostream& out, const ModelBytes& m) { return out << m.name; }
};

/// x [?, 2] and w [2, 2] = 1 2 / 3 4; output 0 "twice" = x + x, output 1 "product" = x w. ProgramDesc.
ModelBytes product_model();

/// ProgramDesc models of one kind each: convolution, a loop and a branch, sequences, a quantised layer, large
/// attribute lists.
std::vector<ModelBytes> small_program_models();
/// The same kinds in PIR (without sequences, which PIR does not have: shape arithmetic instead).
std::vector<ModelBytes> small_pir_models();

}  // namespace coracle::internal::test
