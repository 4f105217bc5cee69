// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "quantize/input_sets.h"
#include "quantize/layers.h"
#include "quantize/options.h"
#include "quantize/parameters.h"

namespace coracle::internal::quantize {

/// A text that differs where a run of quantising may find out anything else: of the version and the instruction set,
/// the options of quantising, the given times of layers, the program and what is to be quantised of it, the elements of
/// all parameters and of all inputs. `threads`: of the runs, where times are measured; else they are no part of it, nor
/// is what is written where.
std::string state_key(const Options& options, std::string_view times, int32_t threads, std::string_view program,
                      const ParameterMap& parameters, const std::vector<Layer>& layers,
                      const std::vector<coracle::TensorInfo>& inputs, const ChosenSets& sets);

}  // namespace coracle::internal::quantize
