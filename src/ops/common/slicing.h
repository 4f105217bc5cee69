// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "graph/op.h"
#include "ops/common/movement.h"

namespace coracle {

/// The elements start, start + step, ... of one dimension.
struct Slicing {
  int64_t start = 0;
  int64_t step = 1;
  int64_t length = 0;
};

/// Paddle's slice: negative bounds count from the end, both are clamped to the dimension.
Slicing slice_of(int64_t dim, int64_t start, int64_t end);

/// Paddle's strided_slice: a negative bound counts from the end, except that end -1 with a negative step means "down to
/// element 0". A bound that is negative even so counts as 0; with `open_end` and a negative step it counts as the place
/// before element 0, so that all down to it are taken. Throws Error for step 0.
Slicing strided_slice_of(int64_t dim, int64_t start, int64_t end, int64_t step, bool open_end = false);

/// Result of slicing one output: the shape where `starts`, `ends`, `steps` (all of length axes.size(), or nothing where
/// not known; steps may be null: all 1) are applied to `axes` and then `decreased` axes dropped. A decreased axis must
/// keep one element.
Shape sliced_shape(const Shape& x, const Ints& axes, const std::optional<Ints>& starts, const std::optional<Ints>& ends,
                   const std::optional<Ints>* steps, const Ints& decreased, const Ints& infer_flags,
                   bool open_end = false);

/// The same as a walk over x, without dropping axes.
ElementWalk sliced_steps(const Shape& x, const Ints& axes, const Ints& starts, const Ints& ends, const Ints* steps,
                         const Ints& decreased, const Ints& infer_flags, bool open_end = false);

}  // namespace coracle
