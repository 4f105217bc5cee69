// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/input/picture.h"
#include "client/tensor.h"

namespace coracle::cli {

/// What the command line says about the inputs of a run; each entry is NAME=VALUE.
struct InputOptions {
  std::vector<std::string> files;   ///< --input NAME=FILE, or FILE.npz and FILE.json that have arrays by name
  std::vector<std::string> shapes;  ///< --shape NAME=1,3,224,224
  std::vector<std::string> lods;    ///< --lod NAME=0,3,7[/0,1,2]
  std::vector<std::string> dtypes;  ///< --dtype NAME=uint8: what a .bin file holds, if not the input's type
  std::string seed = "coracle";     ///< text the made-up values come from
  ImageOptions image;               ///< how pictures become inputs
  size_t memory_limit = 0;          ///< bytes of all inputs together, 0: no limit
};

/// The value of an input.
struct Input {
  client::Tensor array;
  coracle::Lod lod;
  std::string note;  ///< what was assumed about a picture; or empty
};

/// What a file can be that is an input, by the end of its name in any case.
bool names_input(const std::string& path);
/// "NAME=VALUE" for one of `inputs` (the longest name that fits): which one and the value. Throws Failure.
std::pair<size_t, std::string> split_entry(const std::string& entry, const std::vector<coracle::TensorInfo>& inputs,
                                           const char* option);

/// All inputs of a model in its order: from files, the rest made up from the seed (real numbers in [-1, 1), whole
/// numbers 0 or 1) with dimensions from --shape or the model; a free first dimension is 1. Throws Failure that names
/// the input; before one is read or made up that would pass the limit.
std::vector<Input> read_inputs(const coracle::Model& model, const InputOptions& options);
void set_input(coracle::Session& session, size_t index, const Input& input);
/// Sets all inputs of a session to what read_inputs gives, and tells on standard error what was assumed.
void set_inputs(const coracle::Model& model, const InputOptions& options, coracle::Session& session);
/// Says on standard error which of the first inputs that were read have other sizes than the model declares: Paddle
/// runs these without a word, and so does the library. For all that ends after inputs were read, with a failure, too.
void print_other_sizes();

}  // namespace coracle::cli
