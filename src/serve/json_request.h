// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/json.h"

namespace coracle::serve {

/// A body that is to be a JSON object, with NaN, Infinity and -Infinity as Triton takes them; it needs no stack for how
/// deep values are. Throws Failure (kInvalidArgument).
internal::JsonDocument parse_object(std::string_view json);

}  // namespace coracle::serve
