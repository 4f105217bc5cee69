// SPDX-License-Identifier: Apache-2.0
#include "ops/conv_pool/convolution_lowering.h"

#include "ops/common/activation_lowering.h"
#include "ops/common/data_format.h"
#include "ops/elementwise/add.h"

namespace coracle::internal {

void lower_convolution(Lowering& l, const OpSchema& schema, std::string_view default_activation) {
  std::string kind = l.attribute<std::string>("fuse_activation");
  double alpha = l.attribute<double>("fuse_alpha");
  const double beta = l.attribute<double>("fuse_beta");
  if (kind.empty()) kind = l.attribute<std::string>("activation", std::string(default_activation));
  if (kind.empty() && l.attribute<bool>("fuse_relu")) kind = "relu";
  if (kind.empty() && l.attribute<bool>("fuse_brelu")) {
    kind = "bounded_relu";
    alpha = l.attribute<double>("fuse_brelu_threshold", 6.0);
  }
  const ValueId bias = l.input("Bias");
  const ValueId residual = l.input("ResidualData");
  if (bias == kNoValue && residual == kNoValue && kind.empty()) {
    l.lower_by_ports(schema);
    return;
  }
  PortValues operands = l.ports_of(schema);
  const int rank = std::string_view(schema.name).starts_with("conv3d") ? 5 : 4;
  const auto format = l.attribute<std::string>("data_format");
  const bool last = format == "NHWC" || format == "NDHWC";
  ValueId out = l.add(l.read_op(schema), operands);
  if (bias != kNoValue) out = add_channel_bias(l, out, bias, last ? rank - 1 : 1, rank);
  if (residual != kNoValue) out = l.add(Add{}, {{out}, {residual}});
  out = add_activation(l, out, kind, alpha, beta);
  l.bind("Output", out);
}

}  // namespace coracle::internal
