// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/error.h"

/// What quantising throws.
namespace coracle::quantize {

using coracle::Error;
using coracle::ErrorCode;

}  // namespace coracle::quantize
