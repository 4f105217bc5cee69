// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/error.h"

/// What quantising throws.
namespace coracle::internal::quantize {

using coracle::internal::Error;
using coracle::internal::ErrorCode;

}  // namespace coracle::internal::quantize
