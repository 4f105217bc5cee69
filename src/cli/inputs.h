// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/array.h"

namespace coracle::cli {

/// What the command line says about the inputs of a run; each entry is NAME=VALUE.
struct InputOptions {
  std::vector<std::string> files;   ///< --input NAME=FILE.npy|FILE.png|FILE.jpg
  std::vector<std::string> shapes;  ///< --shape NAME=1,3,224,224
  std::vector<std::string> lods;    ///< --lod NAME=0,3,7[/0,1,2]
  std::string seed = "coracle";     ///< text the made-up values come from
};

/// The value of an input.
struct Input {
  Array array;
  api::Lod lod;
};

/// All inputs of a model in its order: from files, the rest made up from the seed (real numbers in [-1, 1), whole
/// numbers 0 or 1) with dimensions from --shape or the model; a free first dimension is 1. Throws Failure that names
/// the input.
std::vector<Input> read_inputs(const api::Model& model, const InputOptions& options);
void set_input(api::Session& session, size_t index, const Input& input);
/// Sets all inputs of a session to what read_inputs gives.
void set_inputs(const api::Model& model, const InputOptions& options, api::Session& session);

}  // namespace coracle::cli
