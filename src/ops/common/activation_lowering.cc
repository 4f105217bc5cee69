// SPDX-License-Identifier: Apache-2.0
#include "ops/common/activation_lowering.h"

#include "ops/elementwise/add.h"
#include "ops/shape/reshape.h"

namespace coracle::internal {
namespace {

/// The activation of a ProgramDesc type with attributes under their ProgramDesc names.
Op activation(std::string_view type, const AttributeMap& attributes) {
  const OpSchema* schema = find_legacy_op(type);
  require(schema != nullptr && schema->infer != nullptr, ErrorCode::kUnsupported, "activation '", type,
          "' of a fused operator is not supported");
  std::shared_ptr<void> made = schema->make(nullptr);
  AttributeReader reader(attributes, true);
  schema->visit(made.get(), reader);
  return {schema, std::move(made)};
}

}  // namespace

ValueId add_activation(Lowering& l, ValueId x, std::string_view kind, double alpha, double beta) {
  if (kind.empty() || kind == "identity" || kind == "linear") return x;
  AttributeMap map;
  std::string_view type = kind;
  if (kind == "leaky_relu" || kind == "elu") map.set("alpha", alpha);
  if (kind == "relu6" && (alpha > 0 || beta > 0)) map.set("threshold", beta > 0 ? beta : alpha);
  if (kind == "swish" && alpha != 0) map.set("beta", alpha);
  if (kind == "hard_sigmoid" && (alpha != 0 || beta != 0)) {
    map.set("slope", alpha);
    map.set("offset", beta);
  }
  if (kind == "gelu_tanh" || kind == "gelu_erf") {
    map.set("approximate", kind == "gelu_tanh");
    type = "gelu";
  }
  if (kind == "hardswish") type = "hard_swish";
  if (type == "hard_swish" && alpha != 0) {
    // x * min(max(alpha * x + beta, 0), 1); with the usual numbers, a sixth in single precision, as it is written.
    const bool usual = static_cast<float>(alpha) == 1.0F / 6.0F && beta == 0.5;
    map.set("scale", usual ? 6.0 : 1.0 / alpha);
    map.set("threshold", usual ? 6.0 : 1.0 / alpha);
    map.set("offset", usual ? 3.0 : beta / alpha);
  }
  if (kind == "clip" || kind == "bounded_relu") {
    const double low = kind == "clip" ? alpha : 0.0;
    const double high = kind == "clip" ? beta : alpha;
    return l.add(activation("clip", map), {{x},
                                           {l.constant(Tensor::scalar(static_cast<float>(low)))},
                                           {l.constant(Tensor::scalar(static_cast<float>(high)))}});
  }
  return l.add(activation(type, map), {{x}});
}

ValueId add_channel_bias(Lowering& l, ValueId x, ValueId bias, int axis, int rank) {
  if (axis < rank - 1) {
    Ints shape(static_cast<size_t>(rank), 1);
    shape[static_cast<size_t>(axis)] = -1;
    bias = l.add(Reshape{}, {{bias}, {l.constant(Tensor::ints(shape))}});
  }
  return l.add(Add{}, {{x}, {bias}});
}

}  // namespace coracle::internal
