// SPDX-License-Identifier: Apache-2.0
#pragma once

/// phi::dtype::bfloat16. The header lies in phi/common, and deeper in folders of the layout of Paddle's own packages.
#if __has_include("../../detail/half.h")
#include "../../detail/half.h"
#else
#include "../../../detail/half.h"
#endif
