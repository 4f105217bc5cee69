// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "serve/config_reader.h"

namespace coracle::serve {

/// A step of an ensemble, as Triton's ModelEnsembling::Step has it: a model, and which of the ensemble's tensors are
/// its inputs and outputs.
struct EnsembleStep {
  std::string model;
  std::string version;                         ///< empty: the greatest that is loaded
  std::map<std::string, std::string> inputs;   ///< tensors by input of the model
  std::map<std::string, std::string> outputs;  ///< tensors by output of the model, for those that are used
};

/// Reads the field `ensemble_scheduling`. Throws Failure.
std::vector<EnsembleStep> read_ensemble(const ConfigReader& reader, const TextField& field);

/// Writes it as a member of an object.
void write_ensemble(internal::JsonWriter& json, const std::vector<EnsembleStep>& steps);

}  // namespace coracle::serve
