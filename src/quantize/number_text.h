// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Numbers and columns of reports. Points are points whatever the locale is.
namespace coracle::internal::quantize {

/// A real number with so many digits behind the point: "38.20".
std::string fixed(double value, int digits);
/// With so many digits that count, zeros at the end left out, with an exponent where it is shorter: "0.5", "1e-07".
std::string general(double value, int digits);

/// Spaces behind a text of UTF-8, so that it takes `columns` of a terminal, where it has fewer. Characters of East
/// Asian scripts take two.
std::string padded(std::string_view text, size_t columns);

}  // namespace coracle::internal::quantize
