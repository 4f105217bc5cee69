// SPDX-License-Identifier: Apache-2.0
#include "model/appended_steps.h"

#include <algorithm>

#include "ops/common/activation_lowering.h"
#include "ops/elementwise/scale.h"

namespace coracle::internal {

ValueId add_appended_steps(Lowering& l, const AttributeReads& reads, ValueId result) {
  const auto unread = reads.unread();
  const auto is_left = [&](std::string_view name) {
    return std::any_of(unread.begin(), unread.end(), [&](const auto& attribute) { return attribute.first == name; });
  };
  if (is_left("fuse_with_relu") && l.attribute<bool>("fuse_with_relu")) {
    result = add_activation(l, result, "relu", 0.0, 0.0);
  }
  if (is_left("fuse_activation")) {
    result = add_activation(l, result, l.attribute<std::string>("fuse_activation"), l.attribute<double>("fuse_alpha"),
                            l.attribute<double>("fuse_beta"));
  }
  if (is_left("fused_output_scale")) {
    const double factor = l.attribute<double>("fused_output_scale");
    if (factor != 1.0) {
      result = l.add(Scale{}, {{result}, {l.constant(Tensor::scalar(static_cast<float>(factor)))}});
    }
  }
  return result;
}

}  // namespace coracle::internal
