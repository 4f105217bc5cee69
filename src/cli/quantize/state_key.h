// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/input/inputs.h"
#include "cli/model_options.h"
#include "quantize/layers.h"
#include "quantize/options.h"
#include "quantize/parameters.h"

namespace coracle::cli {

/// A text that differs where a run of quantising may find out anything else: of the version and the instruction set,
/// the options of quantising, the program and what is to be quantised of it, the elements of all
/// parameters and of all inputs. Threads, and what is written where, are no part of it.
std::string state_key(const ModelArguments& arguments, const internal::quantize::Options& options,
                      std::string_view program, const internal::quantize::ParameterMap& parameters,
                      const std::vector<internal::quantize::Layer>& layers, const std::vector<InputOptions>& sets);

}  // namespace coracle::cli
