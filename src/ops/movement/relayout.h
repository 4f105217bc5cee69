// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstring>
#include <string_view>

#include "base/copy_bytes.h"
#include "graph/op.h"

namespace coracle::internal {

inline std::span<const std::string_view> names_of(Layout) {
  static constexpr std::array<std::string_view, 2> kNames{"row_major", "channels_last"};
  return kNames;
}

/// The same value with its elements in another order in memory. Inserted by the planner, never found in a file.
struct Relayout {
  static constexpr const char* kName = "relayout";
  static constexpr Port kInputs[] = {in("x", "")};
  static constexpr Port kOutputs[] = {out("out", "")};
  static constexpr LodRule kLod = LodRule::kFirst;
  Layout to = Layout::kRowMajor;
  void attributes(AttributeVisitor& visit) { visit("to", to); }
  friend bool operator==(const Relayout&, const Relayout&) = default;
};

inline void infer(const Relayout& op, InferArgs& a) {
  a.set(0, a.dtype(0), a.shape(0));
  a.out(0).layout = op.to;
}

/// A reference sees row-major tensors only: nothing to do but copy.
inline void reference(const Relayout&, ReferenceArgs& a) { copy_bytes(a.out(0).raw(), a.in(0).raw(), a.in(0).bytes()); }

inline constexpr const OpSchema* relayout_op = &kOpSchema<Relayout>;

}  // namespace coracle::internal
