// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Empty by purpose. Programs that link Paddle Lite's static library include this header to name the kernels that they
/// use. Coracle's library finds its kernels by itself, whether it is linked statically or not.
