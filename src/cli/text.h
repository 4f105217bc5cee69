// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "coracle/coracle.hpp"

/// Texts of the command line.
namespace coracle::cli {

/// ASCII letters in lower case, all else as it is.
std::string lower_case(std::string_view text);

/// The same without what a terminal would obey: paths may hold any bytes.
std::string printable(const std::string& text);

/// The names, separated by commas.
std::string names_of(const std::vector<coracle::TensorInfo>& infos);

/// Dimensions: "1,3,224,224", "1x3x224x224" or "[1, 3, 224, 224]"; none for "" and "[]". Throws Failure (usage) with
/// `option` in front.
coracle::Dims parse_dims(const std::string& text, const std::string& option);

/// A number of bytes: "1048576", "100MB", "1.5GiB"; kB, MB, GB and TB count thousands, KiB, MiB, GiB and TiB 1024, in
/// any case. Throws std::invalid_argument that says what was expected.
int64_t parse_bytes(const std::string& text);

/// A number: "0.5", "1e-3" or a fraction "1/255". Throws std::invalid_argument.
double parse_number(const std::string& text);
/// Numbers separated by commas: "0.485,0.456,0.406". Throws std::invalid_argument.
std::vector<double> parse_numbers(const std::string& text);

}  // namespace coracle::cli
