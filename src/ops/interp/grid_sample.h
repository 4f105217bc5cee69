// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"

namespace coracle::internal {

enum class GridSampleMode : uint8_t { kBilinear, kNearest };
inline std::span<const std::string_view> names_of(GridSampleMode) {
  static constexpr std::string_view kNames[] = {"bilinear", "nearest"};
  return kNames;
}

enum class GridPadding : uint8_t { kZeros, kBorder, kReflection };
inline std::span<const std::string_view> names_of(GridPadding) {
  static constexpr std::string_view kNames[] = {"zeros", "border", "reflection"};
  return kNames;
}

/// Reads an image (or volume) at the positions that `grid` gives: [N, H, W, 2] holds x and y in -1...1 over width and
/// height; [N, D, H, W, 3] holds x, y, z.
struct GridSample {
  static constexpr const char* kName = "grid_sample";
  static constexpr const char* kLegacy[] = {"grid_sampler"};
  static constexpr Port kInputs[] = {in("x", "X"), in("grid", "Grid")};
  static constexpr Port kOutputs[] = {out("out", "Output")};
  static constexpr LodRule kLod = LodRule::kFirst;
  GridSampleMode mode = GridSampleMode::kBilinear;
  GridPadding padding_mode = GridPadding::kZeros;
  bool align_corners = true;
  void attributes(AttributeVisitor& visit) {
    visit("mode", mode);
    visit("padding_mode", padding_mode);
    visit("align_corners", align_corners);
  }
  friend bool operator==(const GridSample&, const GridSample&) = default;
};

/// The element position (fractional) that a grid coordinate means along a dimension of `n` elements, after
/// padding_mode. Within [-1e9, 1e9]; NaN gives -1e9.
float grid_position(const GridSample& op, float coordinate, int64_t n);

void infer(const GridSample& op, InferArgs& a);
void reference(const GridSample& op, ReferenceArgs& a);

inline constexpr const OpSchema* grid_sample_op = &kOpSchema<GridSample>;

}  // namespace coracle::internal
