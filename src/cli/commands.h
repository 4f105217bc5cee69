// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/inputs.h"
#include "coracle/vision/predictor.h"

namespace coracle::cli {

/// What all commands that load a model take.
struct ModelArguments {
  std::string model;
  std::string params;
  api::ModelOptions options;
};

struct SessionArguments {
  InputOptions inputs;
  api::SessionOptions options;
};

struct RunArguments {
  std::string output_dir;
  bool json = false;
};

struct BenchArguments {
  int repeat = 20;
  int warmup = 2;
  bool json = false;
};

struct PredictArguments {
  std::string model;
  std::vector<std::string> pictures;  ///< files and folders
  vision::PredictorOptions options;
  std::string task;
  std::string drawings;  ///< a folder
  bool json = false;
  bool csv = false;
};

/// One function per command, each in the file of its name. Results go to stdout, all else to stderr.
void run(const ModelArguments& model, const SessionArguments& session, const RunArguments& arguments);
/// With inputs whose shapes are given, also what a run of such shapes would take.
void inspect(const ModelArguments& model, const InputOptions& inputs, bool json);
void explain(const ModelArguments& model, const SessionArguments& session, bool json);
void bench(const ModelArguments& model, const SessionArguments& session, const BenchArguments& arguments);
/// `nodes`: a line for each node instead of one for all nodes of an operator.
void profile(const ModelArguments& model, const SessionArguments& session, int repeat, bool nodes,
             const std::string& trace);
/// Answers for pictures, one after the other; those without one are named on stderr, and the rest goes on.
void predict(const PredictArguments& arguments);

/// Largest resident size of this process so far, in bytes.
size_t peak_resident_bytes();

}  // namespace coracle::cli
