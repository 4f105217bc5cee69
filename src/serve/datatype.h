// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "coracle/coracle.h"

/// Element types as the Open Inference Protocol names them ("FP32"), and as Triton's configurations do ("TYPE_FP32").
namespace coracle::serve {

/// Empty for types of Coracle that the protocol has no name for.
std::string_view datatype_name(coracle_dtype dtype);
std::optional<coracle_dtype> datatype_named(std::string_view name);
/// "BOOL, UINT8 ... FP64"
std::string datatype_names();

}  // namespace coracle::serve
