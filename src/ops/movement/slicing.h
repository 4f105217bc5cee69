// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "graph/op.h"
#include "ops/movement/movement.h"

namespace coracle::internal {

/// The elements start, start + step, ... of one dimension.
struct Slicing {
  int64_t start = 0;
  int64_t step = 1;
  int64_t length = 0;
};

/// Paddle's slice: negative bounds count from the end, both are clamped to the dimension.
Slicing slice_of(int64_t dim, int64_t start, int64_t end);

/// What bounds before element 0 mean where the step is negative. A bound counts from the end if it is negative.
enum class SliceBounds : uint8_t {
  kNumPy,               ///< one that is negative even so is the place before element 0
  kLegacyStridedSlice,  ///< ProgramDesc's strided_slice: it is element 0; end -1 is the place before element 0
  kLegacySetValue,      ///< ProgramDesc's set_value: a start is element 0, an end the place before it, as is end -1
};

/// The elements that bounds and a step name; bounds beyond the last element are its end. Throws Error for step 0.
Slicing strided_slice_of(int64_t dim, int64_t start, int64_t end, int64_t step, SliceBounds bounds);

/// Result of slicing one output: the shape where `starts`, `ends`, `steps` (all of length axes.size(), or nothing where
/// not known; steps may be null: all 1) are applied to `axes` and then `decreased` axes dropped. A decreased axis must
/// keep one element.
Shape sliced_shape(const Shape& x, const Ints& axes, const std::optional<Ints>& starts, const std::optional<Ints>& ends,
                   const std::optional<Ints>* steps, const Ints& decreased, const Ints& infer_flags,
                   SliceBounds bounds = SliceBounds::kNumPy);

/// The same as a walk over x, without dropping axes.
ElementWalk sliced_steps(const Shape& x, const Ints& axes, const Ints& starts, const Ints& ends, const Ints* steps,
                         const Ints& decreased, const Ints& infer_flags, SliceBounds bounds = SliceBounds::kNumPy);

/// How the elements of `from` met along `read`, without the dimensions `decreased`, lie in the memory of `from`, which
/// lies as x says.
StridedView sliced_view(const StridedView& x, const Shape& from, const ElementWalk& read, const Ints& decreased);

}  // namespace coracle::internal
