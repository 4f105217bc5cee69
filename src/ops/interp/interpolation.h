// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/counted.h"
#include "graph/op.h"
#include "ops/common/data_format.h"

namespace coracle::internal {

enum class InterpolationMethod : uint8_t { kNearest, kLinear, kCubic };

/// The size operands of every resizing operator and x.
inline constexpr Port kInterpolationInputs[] = {
    in("x", "X"),
    {.name = "out_size", .kind = Port::Kind::kOptional, .slot = "OutSize", .shape_input = true},
    {.name = "size_tensor", .kind = Port::Kind::kList, .slot = "SizeTensor", .shape_input = true},
    {.name = "scale_tensor", .kind = Port::Kind::kOptional, .slot = "Scale", .shape_input = true},
};
inline constexpr Port kInterpolationOutputs[] = {out("output", "Out")};

/// Ports and attributes of the resizing operators; their base. The output size is, where given, size_tensor (one
/// element each), else out_size, else x's size times scale_tensor or `scale`, else out_d, out_h, out_w.
struct InterpolationOperator {
  static constexpr LodRule kLod = LodRule::kDerived;
  static constexpr std::span<const Port> kInputs = kInterpolationInputs;
  static constexpr std::span<const Port> kOutputs = kInterpolationOutputs;
  DataFormat data_format = DataFormat::kNchw;
  int64_t out_d = 0;
  int64_t out_h = 0;
  int64_t out_w = 0;
  Floats scale;  ///< one for all dimensions or one each; empty or not positive: not given
  bool align_corners = true;
  int align_mode = 1;  ///< 0: half-pixel centres
  /// The ratio holds for a result of one element too, which else reads the first position. Not an attribute of files.
  bool scales_single = false;
  void attributes(AttributeVisitor& visit) {
    visit("data_format", data_format, "data_layout");
    visit("out_d", out_d);
    visit("out_h", out_h);
    visit("out_w", out_w);
    visit("scale", scale);
    visit("align_corners", align_corners);
    visit("align_mode", align_mode);
    visit("scales_single", scales_single);
  }
  /// Only "NCHW" puts the channels first, whatever the rank: "NCDHW" does not.
  DataFormat format() const { return data_format == DataFormat::kNchw ? DataFormat::kNchw : DataFormat::kNhwc; }
  friend bool operator==(const InterpolationOperator&, const InterpolationOperator&) = default;
};

/// One resized dimension.
struct InterpolationAxis {
  int64_t in = 1;
  int64_t out = 1;
  float ratio = 1;  ///< source positions per output position
  bool half_pixel = false;
  bool align_corners = false;
  bool copy = false;  ///< the whole result is x
};

/// Where an output position reads: the sum of weight[i] * x[index[i]] over `count` elements.
struct InterpolationTaps {
  int count = 0;
  int64_t index[4] = {};
  float weight[4] = {};
};

InterpolationTaps interpolation_taps(InterpolationMethod method, const InterpolationAxis& axis, int64_t out);

/// Which operator it is.
struct InterpolationKind {
  InterpolationMethod method = InterpolationMethod::kNearest;
  bool ratio_of_sizes = false;  ///< the ratio follows from the sizes even where a scale is given (first version)
};

/// What the size operands say; empty where they do not.
struct InterpolationRequest {
  Ints size;     ///< one for each spatial dimension
  Floats scale;  ///< one, or one for each spatial dimension
};

/// Sizes of one resizing.
struct InterpolationGeometry {
  int spatial = 0;
  int64_t batch = 1;
  int64_t channels = 1;
  InterpolationAxis axes[3];  ///< depth, height, width; the ones that do not exist come first and are 1
};

inline constexpr int64_t kMostSpatial = 3;

/// What operands 1 to 3 of a resizing operator ask for. `elements(port, i)` gives the i-th tensor at a port, or null
/// while its elements are not known; then there is no request yet.
template <class Elements>
std::optional<InterpolationRequest> interpolation_request(const InterpolationOperator& op, int size_tensors,
                                                          bool has_out_size, bool has_scale, const Elements& elements) {
  InterpolationRequest request;
  for (int i = 0; i < size_tensors; ++i) {
    const Tensor* t = elements(2, i);
    if (t == nullptr) return std::nullopt;
    require(t->count() == 1, "size_tensor ", i, " has ", t->count(), " elements, expected 1");
    request.size.push_back(t->integer(0));
  }
  if (size_tensors > 0) return request;
  request.scale = op.scale;
  if (has_scale) {
    const Tensor* t = elements(3, 0);
    if (t == nullptr) return std::nullopt;
    // One, or one for each spatial dimension: what follows is of no use.
    const int64_t count = std::min<int64_t>(t->count(), kMostSpatial);
    request.scale.clear();
    for (int64_t i = 0; i < count; ++i) request.scale.push_back(t->number(i));
  }
  if (has_out_size) {
    const Tensor* t = elements(1, 0);
    if (t == nullptr) return std::nullopt;
    require(t->count() <= kMostSpatial, "the wanted size has ", counted(t->count(), "entry"), ", expected ",
            kMostSpatial, " at most");
    request.size = t->integers();
  }
  return request;
}

/// Validates everything; throws Error. x's rank must be known.
InterpolationGeometry interpolation_geometry(const InterpolationOperator& op, InterpolationKind kind, const Shape& x,
                                             const InterpolationRequest& request);

void infer_interpolation(const InterpolationOperator& op, InterpolationKind kind, InferArgs& a);
void reference_interpolation(const InterpolationOperator& op, InterpolationKind kind, ReferenceArgs& a);
/// The same as a new tensor, for operators that do more.
Tensor interpolated(const InterpolationOperator& op, InterpolationKind kind, const ReferenceArgs& a);

}  // namespace coracle::internal
