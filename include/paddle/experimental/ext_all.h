// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The header of custom operators where Paddle 2.0 to 2.3 had it.
#include "../detail/custom_operator.h"
