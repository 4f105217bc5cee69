// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/input/inputs.h"

namespace coracle::cli {

/// How --help shows options: what they take, then what they do with the values allowed and the default.
class Help : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
};

/// The options that say what a model's inputs are.
void add_inputs(CLI::App* command, InputOptions& inputs);

/// An option whose value is a size: bytes, or with a unit (parse_bytes).
void add_bytes(CLI::App* command, const std::string& name, size_t& value, const std::string& description);
/// The same of several places.
void add_bytes(CLI::App* command, const std::string& name, const std::vector<size_t*>& values,
               const std::string& description);

/// Options of all commands that take a real number take no NaN and no infinity, which no range of them refuses.
void require_finite_numbers(CLI::App& app);

}  // namespace coracle::cli
