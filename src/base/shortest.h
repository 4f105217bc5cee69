// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace coracle::internal {

/// The fewest decimal digits that read back as `value` (for some powers of two one more): "0.1", "1e+20", "nan",
/// "-inf"; with a point whatever the locale is. Not std::to_chars: that brings 130 KB of tables for being fast, which
/// nothing here needs.
std::string shortest(double value);
std::string shortest(float value);

}  // namespace coracle::internal
