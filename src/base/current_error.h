// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/error.h"

namespace coracle::internal {

/// The exception being handled (call it in a catch block) as an Error. What the C++ library or another one says of
/// itself ("vector::_M_range_check") helps no user and is not repeated: missing memory is told as such, all else as a
/// failure within the library. Texts of std::runtime_error are kept: functions that a user gave throw those.
Error current_error();

}  // namespace coracle::internal
