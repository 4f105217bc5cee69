// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/input/inputs.h"
#include "coracle/coracle.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

/// Options of models and of sessions, which most commands have.
namespace coracle::cli {

struct ModelArguments {
  std::string model;
  std::string params;
  std::string operators;  ///< libraries, loaded while options are read
  coracle::ModelOptions options;
};

struct SessionArguments {
  InputOptions inputs;
  coracle::SessionOptions options;
};

/// The model; an interruption ends loading.
coracle::Model load(const ModelArguments& m);

/// The same for a model whose every operator computes every value that the file names there.
ModelArguments as_in_the_file(ModelArguments m);

/// The model alone, and where its parameters are.
CLI::Option* add_model(CLI::App* command, ModelArguments& m);
/// --engines and what goes with it.
void add_engines(CLI::App* command, ModelArguments& m);
/// --disable-passes and --max-rewrites.
void add_rewrites(CLI::App* command, ModelArguments& m);
/// All of a model: each is also a KEY of `coracle compare --a KEY=VALUE`.
void add_model_options(CLI::App* command, ModelArguments& m);
/// --threads.
void add_threads(CLI::App* command, int& threads);
/// --cpus.
void add_cpus(CLI::App* command);
/// --data, sets of inputs.
void add_data(CLI::App* command, std::vector<std::string>& data);
/// All of a session, with its inputs.
void add_session(CLI::App* command, SessionArguments& s);

}  // namespace coracle::cli
