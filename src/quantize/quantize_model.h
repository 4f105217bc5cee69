// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "quantize/input_sets.h"
#include "quantize/messages.h"
#include "quantize/options.h"
#include "quantize/runs.h"

namespace coracle::internal::quantize {

/// A model that is to be quantised.
struct Task {
  std::string model;
  std::string params;  ///< the parameter file; empty: as Paddle's naming rules say
  std::string output;  ///< folder, NAME.pdmodel, NAME.json or NAME.coracle
  Options options;
  const InputSets* sets;  ///< not null; of no sets where there are no inputs
  Runs runs;
  std::string state;  ///< file that an interrupted run is gone on with from; empty: none
  Messages message;
  /// Told of each step, "calibration", "methods", "times", "layers" or "choice", how much of how much is done.
  std::function<void(const char* step, size_t done, size_t all)> progress;
};

/// What came of it, in three forms.
struct ReportTexts {
  std::string json;
  std::string page;   ///< of HTML that loads nothing
  std::string table;  ///< for a terminal
};

/// Quantises a model and writes it. Throws Error, coracle::Exception and what the sets throw; nothing is written then.
ReportTexts quantize_model(const Task& task);

}  // namespace coracle::internal::quantize
