// SPDX-License-Identifier: Apache-2.0
#include "plan/upcast.h"

#include <algorithm>

namespace coracle::internal {
namespace {

bool any_half(std::span<const Fact> facts) {
  return std::any_of(facts.begin(), facts.end(), [](const Fact& f) { return is_half(f.dtype); });
}

/// True if the results are those of the narrow node with float32 for half.
bool same_but_wide(std::span<const Fact> upcast, std::span<const Fact> narrow) {
  return std::equal(upcast.begin(), upcast.end(), narrow.begin(), narrow.end(), [](const Fact& w, const Fact& n) {
    return w.dtype == (is_half(n.dtype) ? DType::kFloat32 : n.dtype) && w.shape == n.shape && w.is_array == n.is_array;
  });
}

}  // namespace

void UpcastForm::pack(std::span<const Tensor* const> constants, std::byte* to, ThreadPool&) const {
  const Tensor& half = *constants[0];
  visit_float(half.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const std::span<const T> from = half.values<T>();
    std::transform(from.begin(), from.end(), reinterpret_cast<float*>(to), [](T v) { return static_cast<float>(v); });
  });
}

bool upcast(const RunContext& context, const Node& node, std::span<Fact> in, std::span<Fact> out,
            const UpcastValue& upcast_value) {
  if (!any_half(in)) return false;
  std::vector<Fact> upcast(in.begin(), in.end());
  std::vector<const Fact*> args;
  for (size_t i = 0; i < upcast.size(); ++i) {
    if (is_half(upcast[i].dtype)) {
      upcast[i].dtype = DType::kFloat32;
      if (upcast[i].value != nullptr) upcast[i].value = upcast_value(i);
    }
    args.push_back(&upcast[i]);
  }
  try {
    if (!same_but_wide(infer_node(context, node, args), out)) return false;
  } catch (const Error&) {
    return false;  // the operator insists on half
  }
  std::move(upcast.begin(), upcast.end(), in.begin());
  for (Fact& f : out) f.dtype = is_half(f.dtype) ? DType::kFloat32 : f.dtype;
  return true;
}

}  // namespace coracle::internal
