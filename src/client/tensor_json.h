// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "client/tensor.h"

/// Tensors as JSON. Reading throws Error; it needs no stack for how deep lists are, and memory in proportion to the
/// text.
namespace coracle::client {

/// Numbers, true and false in lists of lists that are equally long, as a tensor of `dtype`; or an object with such
/// lists by name, of which `name` is taken. NaN and Infinity are numbers too. `path` is for messages.
Tensor parse_json(const std::string& path, std::string_view content, coracle_dtype dtype, const std::string& name);
/// The names of a JSON object's members; none if it is a list or damaged.
std::vector<std::string> json_names(std::string_view content);

/// The list of all elements, row-major: null for what is not finite, [real, imaginary] for complex numbers.
void write_elements(internal::JsonWriter& writer, const coracle::View& view);

/// A tensor as requests of the Open Inference Protocol have it: {"datatype": "FP32", "shape": [1, 2], "data": [[1,
/// 2]]}, the data in one list or in lists as the shape says. FP16 and BF16 are binary in that protocol, and BYTES is
/// not a type here: these are refused. `where` ("inputs[0]") is for messages.
Tensor parse_tensor(const std::string& where, const internal::JsonValue& object);
/// The same as answers have it: {"name": ..., "datatype": ..., "shape": [...], "data": [...]} in one list.
void write_tensor(internal::JsonWriter& writer, const std::string& name, const coracle::View& view);

/// Numbers, truth values, or lists of lists of them, each a row of a tensor of `dtype`; the first row says how long
/// lists are. FP16 and BF16 are refused.
Tensor parse_rows(const std::string& where, const std::vector<const internal::JsonValue*>& rows, coracle_dtype dtype);
/// All elements, or those of a row, in lists as the shape says; each as write_elements has it.
void write_lists(internal::JsonWriter& writer, const coracle::View& view);
void write_row(internal::JsonWriter& writer, const coracle::View& view, size_t row);

}  // namespace coracle::client
