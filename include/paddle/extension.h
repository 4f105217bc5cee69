// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Paddle's header of custom operators: paddle::Tensor and PD_BUILD_OP, for the CPU. It lies beside the others, and in
/// folders of the layout of Paddle's own packages.
#if __has_include("detail/custom_operator.h")
#include "detail/custom_operator.h"
#elif __has_include("../detail/custom_operator.h")
#include "../detail/custom_operator.h"
#else
#include "../../detail/custom_operator.h"
#endif
