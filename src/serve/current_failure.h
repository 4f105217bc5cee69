// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "serve/failure.h"

namespace coracle::serve {

/// The exception that is being handled, as clients are told: to be called in a catch block.
Failure current_failure();

}  // namespace coracle::serve
