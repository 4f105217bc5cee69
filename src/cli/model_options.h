// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "cli/commands.h"

/// Options of models and of sessions, which most commands have.
namespace coracle::cli {

/// The model alone, and where its parameters are.
CLI::Option* add_model(CLI::App* command, ModelArguments& m);
/// --engines and what goes with it.
void add_engines(CLI::App* command, ModelArguments& m);
/// All of a model.
void add_model_options(CLI::App* command, ModelArguments& m);
/// --cpus.
void add_cpus(CLI::App* command);
/// All of a session, with its inputs.
void add_session(CLI::App* command, SessionArguments& s);

}  // namespace coracle::cli
