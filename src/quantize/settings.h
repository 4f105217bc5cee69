// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "quantize/options.h"

namespace coracle::internal::quantize {

/// The options that "NAME=VALUE" texts say, with defaults for all others. Names are those of options.def; "-" in one
/// stands for "_". Numbers are written as in JSON, truth values "true" or "false"; a list has a text for each of its
/// values. Throws Error (kInvalidArgument) that says what was expected: for unknown names, values that an option may
/// not have, and options that exclude each other.
Options options_of(const std::vector<std::string_view>& settings);

}  // namespace coracle::internal::quantize
