// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/compare/difference.h"
#include "cli/input/inputs.h"
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
  bool values = false;  ///< all elements in JSON
  int jobs = 1;         ///< files of a folder at a time
};

struct OptimizeArguments {
  std::string output;
  bool packed = true;
};

struct QuantizeArguments {
  std::vector<std::string> data;  ///< sets of inputs: folders with NAME.npy, or files
  std::string output;             ///< folder, NAME.pdmodel, NAME.json or NAME.coracle
  std::string method = "auto";    ///< auto, minmax, percentile, mse or kl
  double percentile = 99.99;
  bool correct_bias = true;
  std::string scaling = "auto";         ///< between operators: auto, none, fold or insert
  std::optional<double> scaling_alpha;  ///< share of the operand's ranges in the factors
  bool reduce_range = false;            ///< weights of 7 bits
  bool round_residuals = false;         ///< sums with operands of layers read them rounded
  std::string weights_only;             ///< "int8" or "int4": weights alone, operands stay as they are; or empty
  bool half = false;                    ///< weights as float16
  std::vector<std::string> keep;        ///< names of layers' results or weights
  std::optional<double> max_drop;       ///< percent of the decisions
  std::optional<double> least_ratio;    ///< decibels
  std::string report;                   ///< file to write a page (.html) or JSON to
  std::string state;                    ///< file that an interrupted run is gone on with from; or empty
  bool json = false;
};

struct ShapesArguments {
  std::vector<std::string> data;  ///< sets of inputs: folders with NAME.npy, or files
  std::string output;
};

struct BenchArguments {
  int repeat = 20;      ///< measured runs of each session
  double duration = 0;  ///< seconds of measuring instead; 0: `repeat` runs
  int warmup = 2;
  int sessions = 1;  ///< that run at once
  bool json = false;
};

struct ProfileArguments {
  int repeat = 5;
  bool nodes = false;  ///< a line for each node instead of one for all nodes of an operator
  std::string trace;   ///< file to write a Chrome trace to
  bool json = false;
};

struct CompareArguments {
  std::string other;
  std::vector<std::string> a;         ///< KEY=VALUE, options of the first side only
  std::vector<std::string> b;         ///< of the second
  std::vector<std::string> expected;  ///< folders, or NAME=FILE.npy
  std::string engine;                 ///< "paddle", "onnxruntime"; empty: this library
  std::string python = "python3";
  std::vector<std::string> data;  ///< folders with NAME.npy
  int seeds = 1;                  ///< sets of made-up inputs
  Tolerance tolerance;
  bool locate = true;
  bool operators = false;
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
/// A saved model's weights are looked at with `check_weights` of its options.
void inspect(const ModelArguments& model, const InputOptions& inputs, bool json);
/// Saves the model as it is after rewriting, with the packed weights of a run of the inputs.
void optimize(const ModelArguments& model, const SessionArguments& session, const OptimizeArguments& arguments);
/// Writes the model with products and convolutions that compute with integers of 8 bits, by the ranges that values have
/// in runs with real inputs, and says how near its answers are for inputs that were held back.
void quantize(const ModelArguments& model, const SessionArguments& session, const QuantizeArguments& arguments);
/// Runs the model for each set of inputs and writes the shapes that variables had, as Paddle's CollectShapeRangeInfo.
void shapes(const ModelArguments& model, const SessionArguments& session, const ShapesArguments& arguments);
void explain(const ModelArguments& model, const SessionArguments& session, bool json);
void bench(const ModelArguments& model, const SessionArguments& session, const BenchArguments& arguments);
void profile(const ModelArguments& model, const SessionArguments& session, const ProfileArguments& arguments);
/// What runs models here, and how it is equipped.
void devices(bool json);
/// What is wrong or slow on this machine, and with `model` (a path, or empty) for that model.
void doctor(const ModelArguments& model, const InputOptions& inputs, bool json);
/// What --version prints.
std::string version_text();
/// Two sides for the same inputs. Failure kDifferent if outputs differ, after they were printed.
void compare(const ModelArguments& model, const SessionArguments& session, const CompareArguments& arguments);

/// The graph of a model behind the rewrite `stage` ("final": behind all) as a drawing, page or text by the ending of
/// `output`; in Graphviz's language on standard output where that is empty.
/// With inputs that are given, the shapes of a run with them.
void graph(const ModelArguments& model, const InputOptions& inputs, const std::string& stage,
           const std::string& output);

/// Answers for pictures, one after the other; those without one are named on stderr, and the rest goes on.
void predict(const PredictArguments& arguments);

/// Largest resident size of this process so far, in bytes.
size_t peak_resident_bytes();

}  // namespace coracle::cli
