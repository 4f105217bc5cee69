// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/input/array.h"

/// Files of numbers besides .npy. Each function throws Failure: input/output for a damaged file, usage for one that
/// does not fit. `path` is for messages. What is read takes memory in proportion to the file.
namespace coracle::cli {

using NamedArrays = std::vector<std::pair<std::string, Array>>;

/// All arrays of a NumPy archive (.npz, packed or not) by name.
NamedArrays parse_npz(const std::string& path, const std::string& content);

/// The bytes of a .bin or .raw file as they are in memory (little-endian, row-major): `dims`, of which one may be free
/// (negative), is what they must fill.
Array parse_raw(const std::string& path, const std::string& content, coracle_dtype dtype, api::Dims dims);

/// JSON: numbers, true and false in lists of lists that are equally long, as an array of `dtype`; or an object with
/// such lists by name, of which `name` is taken.
Array parse_json(const std::string& path, const std::string& content, coracle_dtype dtype, const std::string& name);
/// The names of a JSON object's members; none if it is a list or damaged.
std::vector<std::string> json_names(const std::string& content);

/// The same numbers as another type. Failure that names one which the type does not hold.
Array converted(const std::string& path, const Array& array, coracle_dtype dtype);

}  // namespace coracle::cli
