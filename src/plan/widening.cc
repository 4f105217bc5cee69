// SPDX-License-Identifier: Apache-2.0
#include "plan/widening.h"

#include <algorithm>

namespace coracle {
namespace {

bool any_half(std::span<const Fact> facts) {
  return std::any_of(facts.begin(), facts.end(), [](const Fact& f) { return is_half(f.dtype); });
}

/// True if the results are those of the narrow node with float32 for half.
bool same_but_wide(std::span<const Fact> wide, std::span<const Fact> narrow) {
  return std::equal(wide.begin(), wide.end(), narrow.begin(), narrow.end(), [](const Fact& w, const Fact& n) {
    return w.dtype == (is_half(n.dtype) ? DType::kFloat32 : n.dtype) && w.shape == n.shape && w.is_array == n.is_array;
  });
}

}  // namespace

void WideForm::pack(std::span<const Tensor* const> constants, std::byte* to, ThreadPool&) const {
  const Tensor& half = *constants[0];
  visit_float(half.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const std::span<const T> from = half.values<T>();
    std::transform(from.begin(), from.end(), reinterpret_cast<float*>(to), [](T v) { return static_cast<float>(v); });
  });
}

bool widen(const Node& node, std::span<Fact> in, std::span<Fact> out, const WideValue& wide_value) {
  if (!any_half(in)) return false;
  std::vector<Fact> wide(in.begin(), in.end());
  std::vector<const Fact*> args;
  for (size_t i = 0; i < wide.size(); ++i) {
    if (is_half(wide[i].dtype)) {
      wide[i].dtype = DType::kFloat32;
      if (wide[i].value != nullptr) wide[i].value = wide_value(i);
    }
    args.push_back(&wide[i]);
  }
  try {
    if (!same_but_wide(infer_node(node, args), out)) return false;
  } catch (const Error&) {
    return false;  // the operator insists on half
  }
  std::move(wide.begin(), wide.end(), in.begin());
  for (Fact& f : out) f.dtype = is_half(f.dtype) ? DType::kFloat32 : f.dtype;
  return true;
}

}  // namespace coracle
