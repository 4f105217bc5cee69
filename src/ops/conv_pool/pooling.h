// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "graph/op.h"
#include "ops/common/data_format.h"
#include "ops/conv_pool/window.h"

namespace coracle::internal {

/// kNorm is what lp_pool2d is written with.
enum class PoolingType : uint8_t { kMax, kAverage, kNorm };

std::span<const std::string_view> names_of(PoolingType);

/// Attributes of every pooling; a base of the operators' structs. The window sizes are an operand of some operators and
/// an attribute of others.
struct PoolingAttributes {
  Ints strides;
  Ints paddings;
  bool ceil_mode = false;  ///< a last window that reaches out of the padded input counts
  bool exclusive = true;   ///< the divisor of an average is the number of elements inside the input
  DataFormat data_format = DataFormat::kNchw;
  PoolingType pooling_type = PoolingType::kMax;
  bool global_pooling = false;  ///< one window over everything
  bool adaptive = false;        ///< the result has the window's sizes; an average also divides the input evenly
  PaddingAlgorithm padding_algorithm = PaddingAlgorithm::kExplicit;

  PoolingAttributes() = default;
  explicit PoolingAttributes(size_t spatial) : strides(spatial, 1), paddings(spatial, 0) {}
  void attributes(AttributeVisitor& visit) {
    visit("strides", strides);
    visit("paddings", paddings);
    visit("ceil_mode", ceil_mode);
    visit("exclusive", exclusive);
    visit("data_format", data_format);
    visit("pooling_type", pooling_type);
    visit("global_pooling", global_pooling);
    visit("adaptive", adaptive);
    visit("padding_algorithm", padding_algorithm);
  }
  friend bool operator==(const PoolingAttributes&, const PoolingAttributes&) = default;
};

/// Sizes of one pooling; axes are depth, height, width, the ones that do not exist are 1.
struct PoolingGeometry {
  int64_t batch = 1;
  int64_t channels = 1;
  bool adaptive = false;
  bool exclusive = true;
  bool average = false;
  WindowAxis axes[3];

  /// First input element of window `o` along an axis, and the one after its last, both inside the input.
  int64_t begin(int axis, int64_t o) const {
    const WindowAxis& a = axes[axis];
    return adaptive ? o * a.in / a.out : std::max<int64_t>(o * a.stride - a.pad_before, 0);
  }
  int64_t end(int axis, int64_t o) const {
    const WindowAxis& a = axes[axis];
    return adaptive ? ((o + 1) * a.in + a.out - 1) / a.out : std::min(o * a.stride - a.pad_before + a.kernel, a.in);
  }
  /// What window `o` contributes to the divisor of an average. May be 0 or negative for a window that ceil_mode added
  /// outside the input.
  int64_t divisor(int axis, int64_t o) const {
    const WindowAxis& a = axes[axis];
    if (adaptive || exclusive) return end(axis, o) - begin(axis, o);
    const int64_t start = o * a.stride - a.pad_before;
    return std::min(start + a.kernel, a.in + a.pad_before) - start;
  }
};

/// Geometry of a pooling of x with windows of `kernel` elements. Validates everything; the rank must be known. An
/// adaptive maximum keeps its windows (as Paddle has it), unless it gives the index too.
PoolingGeometry pooling_geometry(const PoolingAttributes& op, const Ints& kernel, const Shape& x, int spatial);

/// Shape of the result in the operator's data format.
Shape pooling_result(const PoolingGeometry& g, DataFormat format, int spatial);

/// True if each window has elements of the image, whatever sizes that has, as long as it has elements. Global and
/// adaptive poolings are not looked at.
bool windows_meet_image(const PoolingAttributes& op, const Ints& kernel, int spatial);

/// Output 0 of a pooling of operand 0; `kernel` is null while it is not known.
void infer_pooling(const PoolingAttributes& op, const Ints* kernel, InferArgs& a, int spatial);

void reference_pooling(const RunContext& context, const PoolingAttributes& op, const Ints& kernel, const Tensor& x,
                       Tensor& y, int spatial);

/// The maximum and the position it is found at: the flat index in its channel's volume, int32. `mask` may be null.
void reference_pooling_with_index(const RunContext& context, const PoolingAttributes& op, const Ints& kernel,
                                  const Tensor& x, Tensor& y, Tensor* mask, int spatial);

}  // namespace coracle::internal
