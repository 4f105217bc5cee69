// SPDX-License-Identifier: Apache-2.0
#include "devices/gpu/recorded_programs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "devices/gpu/kernel_tables.h"
#include "ops/conv_pool/conv2d_fused.h"
#include "ops/conv_pool/pool2d.h"
#include "ops/interp/bicubic_interp.h"
#include "ops/interp/bilinear_interp.h"
#include "ops/interp/nearest_interp_add.h"
#include "ops/matmul/linear.h"
#include "ops/matmul/matmul.h"
#include "ops/movement/pad2d.h"
#include "support/check_kernels.h"

namespace coracle::internal::test {
namespace {

/// A node: its operands are ordered by port.
struct Node {
  Op op;
  std::vector<Fact> operands;
  PortCounts counts;
};

/// Has the kernels of its operator prepare a node; how many take it, if it is one.
int prepare(const gpu::KernelTables& tables, const Node& node, RecordingGpu& device) {
  const OpSchema& schema = node.op.schema();
  PortCounts out_counts;
  size_t results = 0;
  for (const Port& port : schema.outputs) {
    out_counts.push_back(port.kind == Port::Kind::kOptional ? 0 : port.kind == Port::Kind::kList ? 2 : 1);
    results += static_cast<size_t>(out_counts.back());
  }
  std::vector<Fact> out_facts(results);
  std::vector<const Fact*> in;
  std::vector<const Fact*> out;
  for (const Fact& f : node.operands) in.push_back(&f);
  for (const Fact& f : out_facts) out.push_back(&f);
  try {
    InferArgs inferred(kNoRun, in, node.counts, out_facts, out_counts);
    schema.infer(node.op.attributes(), inferred);
  } catch (const Error&) {
    return 0;
  }
  if (!std::all_of(out.begin(), out.end(), [](const Fact* f) { return f->known(); })) return 0;
  const ArgFacts args(in, node.counts, out, out_counts);
  PrepareContext context;
  context.device = &device;
  int taken = 0;
  for (const KernelTable* table : tables.all()) {
    for (const KernelDef& kernel : table->kernels) {
      if (kernel.op != &schema || !takes(kernel.types, schema, node.counts, args)) continue;
      if (kernel.rejection(node.op.attributes(), args) != nullptr) continue;
      kernel.prepared(node.op.attributes(), args, context);
      ++taken;
    }
  }
  return taken;
}

/// Nodes of a kernel's operator with the attributes that it has by default: of several types and shapes, with and
/// without operands that may be left out. Some of them are none, as shapes do not fit.
std::vector<Node> plain_nodes(const KernelDef& kernel) {
  const std::pair<Shape, Shape> shapes[] = {// of the first operand and of others
                                            {Shape{4, 4, 5, 70}, Shape{4, 4, 5, 70}},
                                            {Shape{2, 8, 6, 6}, Shape{8, 8, 3, 3}},
                                            {Shape{2, 8, 6, 6}, Shape{8}},
                                            {Shape{2, 4, 3, 5, 5}, Shape{2, 4, 3, 5, 5}},
                                            {Shape{3, 70}, Shape{70}},
                                            {Shape{70, 70}, Shape{70, 70}}};
  std::vector<Node> nodes;
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kInt64, DType::kBool}) {
    for (const auto& [first, others] : shapes) {
      for (const bool optional : {false, true}) {
        Node& node = nodes.emplace_back(Node{Op(kernel.op), {}, {}});
        for (const Port& port : kernel.op->inputs) {
          const auto number = static_cast<int>(node.counts.size());
          const bool argument = port.shape_input || *port.attribute != '\0';
          const bool there = port.kind == Port::Kind::kOne || (optional && !argument);
          node.counts.push_back(there ? (port.kind == Port::Kind::kList ? 2 : 1) : 0);
          Fact fact(dtype, number == 0 ? first : others);
          for (const PortTypes& named : kernel.types.in) {
            if (named.port != number || named.types.has(dtype)) continue;
            fact.dtype = named.types.has(DType::kBool) ? DType::kBool : DType::kInt64;
          }
          node.operands.insert(node.operands.end(), static_cast<size_t>(node.counts.back()), fact);
        }
      }
    }
  }
  return nodes;
}

template <class Op>
void add_interpolations(std::vector<Node>& nodes) {
  for (const bool align_corners : {false, true}) {
    for (const int align_mode : {0, 1}) {
      Op op;
      op.scale = {2.0};
      op.align_corners = align_corners;
      op.align_mode = align_mode;
      nodes.push_back({op, {Fact(DType::kFloat32, {1, 2, 4, 4})}, {1, 0, 0, 0}});
    }
  }
}

/// Nodes with other attributes, for what is compiled into their kernels.
std::vector<Node> special_nodes() {
  std::vector<Node> nodes;
  const Fact image(DType::kFloat32, {1, 2, 4, 4});
  const Fact larger(DType::kFloat32, {1, 2, 8, 8});
  const Fact channels(DType::kFloat32, {2});
  add_interpolations<NearestInterp>(nodes);
  add_interpolations<BilinearInterp>(nodes);
  add_interpolations<BicubicInterp>(nodes);
  NearestInterpAdd sum;
  sum.scale = {2.0};
  nodes.push_back({sum, {image, larger}, {1, 0, 0, 0, 0, 1}});
  nodes.push_back({sum, {image, Fact(DType::kFloat32, {1}), larger}, {1, 0, 0, 0, 1, 1}});
  Conv2dFused fused;
  fused.epilogue = {{EpilogueKind::kAddChannel}, {EpilogueKind::kRelu}, {EpilogueKind::kMultiplyTensor}};
  for (const Shape& filter : {Shape{2, 2, 1, 1}, Shape{8, 2, 1, 1}, Shape{8, 2, 3, 3}}) {
    fused.paddings = {filter[2] / 2, filter[3] / 2};
    const Fact result(DType::kFloat32, {1, filter[0], 4, 4});
    nodes.push_back(
        {fused, {image, Fact(DType::kFloat32, filter), Fact(DType::kFloat32, {filter[0]}), result}, {1, 1, 2}});
  }
  for (const int64_t size : {32, 64, 256}) {  // each size of a product's tiles
    for (const bool transposed : {false, true}) {
      Matmul product;
      product.transpose_x = transposed;
      product.transpose_y = !transposed;
      const Fact matrix(DType::kFloat32, {size, size});
      nodes.push_back({product, {matrix, matrix}, {1, 1}});
    }
    Conv2dFused windows;
    windows.paddings = {1, 1};
    nodes.push_back(
        {windows, {Fact(DType::kFloat32, {1, 8, 16, 16}), Fact(DType::kFloat32, {size, 8, 3, 3})}, {1, 1, 0}});
  }
  Linear linear;
  linear.epilogue = {{EpilogueKind::kSigmoid}, {EpilogueKind::kMultiplyChannel}};
  nodes.push_back(
      {linear, {Fact(DType::kFloat16, {3, 2}), Fact(DType::kFloat16, {2, 5}), Fact(DType::kFloat16, {5})}, {1, 1, 1}});
  for (const bool average : {false, true}) {
    for (const bool adaptive : {false, true}) {
      for (const bool exclusive : {false, true}) {
        Pool2d pool;
        pool.pooling_type = average ? PoolingType::kAverage : PoolingType::kMax;
        pool.adaptive = adaptive;
        pool.exclusive = exclusive;
        nodes.push_back({pool, {image, Fact::constant(int_list({2, 2}))}, {1, 1}});
      }
    }
  }
  for (const char* mode : {"constant", "reflect", "edge", "circular"}) {
    Pad2d pad;
    pad.mode = mode;
    nodes.push_back({pad, {image, Fact::constant(int_list({1, 1, 1, 1}))}, {1, 1}});
  }
  return nodes;
}

}  // namespace

std::set<RecordingGpu::Program> recorded_programs() {
  const gpu::KernelTables tables("test");
  RecordingGpu device;
  for (const KernelTable* table : tables.all()) {
    for (const KernelDef& kernel : table->kernels) {
      for (const Node& node : plain_nodes(kernel)) prepare(tables, node, device);
    }
  }
  for (const bool has_libraries : {false, true}) {
    device.set_has_libraries(has_libraries);
    for (const Node& node : special_nodes()) EXPECT_EQ(prepare(tables, node, device), 1) << node.op.name();
  }
  return device.programs();
}

}  // namespace coracle::internal::test
