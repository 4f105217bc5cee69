// SPDX-License-Identifier: Apache-2.0
#pragma once

/// coracle.h, wherever these headers were put: beside the folder `paddle` of an installed Coracle, or inside
/// `<root>/paddle/include`, which client projects of Paddle expect.
#if __has_include(<coracle/coracle.h>)
#include <coracle/coracle.h>
#elif __has_include("../../coracle/coracle.h")
#include "../../coracle/coracle.h"
#else
#include "../coracle/coracle.h"
#endif
