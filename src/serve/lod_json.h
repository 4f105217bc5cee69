// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/json.h"
#include "coracle/coracle.hpp"

namespace coracle::serve {

/// Sequence offsets, coarsest level first, from a list of lists: the parameter "lod" of an input. `where` is for
/// messages. Throws Failure (kInvalidArgument).
coracle::Lod lod_of(const internal::JsonValue& levels, const std::string& where);
/// From such a list as a text.
coracle::Lod parse_lod(const std::string& json, const std::string& where);

}  // namespace coracle::serve
