// SPDX-License-Identifier: Apache-2.0
#pragma once

/// paddle::Tensor for programs that include Paddle's header of custom operators. Operators of one's own cannot be added
/// here. The header lies beside the others, and in folders of the layout of Paddle's own packages.
#if __has_include("detail/dense_tensor.h")
#include "detail/dense_tensor.h"
#elif __has_include("../detail/dense_tensor.h")
#include "../detail/dense_tensor.h"
#else
#include "../../detail/dense_tensor.h"
#endif
