// SPDX-License-Identifier: Apache-2.0
#include "devices/gpu/recorded_programs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "devices/gpu/kernel_tables.h"
#include "ops/conv_pool/conv2d_fused.h"
#include "ops/conv_pool/pool2d.h"
#include "ops/creation/one_hot.h"
#include "ops/detection/box_coder.h"
#include "ops/detection/multiclass_nms3.h"
#include "ops/detection/prior_box.h"
#include "ops/detection/yolo_box.h"
#include "ops/elementwise/scale.h"
#include "ops/index/argsort.h"
#include "ops/index/gather_nd.h"
#include "ops/index/scatter.h"
#include "ops/index/scatter_nd_add.h"
#include "ops/index/set_value_with_tensor.h"
#include "ops/index/topk.h"
#include "ops/interp/bicubic_interp.h"
#include "ops/interp/bilinear_interp.h"
#include "ops/interp/grid_sample.h"
#include "ops/interp/nearest_interp.h"
#include "ops/interp/nearest_interp_add.h"
#include "ops/matmul/linear.h"
#include "ops/matmul/matmul.h"
#include "ops/movement/pad2d.h"
#include "ops/quantize/integer_conv2d.h"
#include "ops/quantize/integer_linear.h"
#include "ops/quantize/to_int8.h"
#include "ops/rnn/rnn.h"
#include "support/check_kernels.h"

namespace coracle::internal::test {
namespace {

/// A node: its operands are ordered by port.
struct Node {
  Op op;
  std::vector<Fact> operands;
  PortCounts counts;
  int listed = 2;               ///< results at ports that have lists of them
  bool optional_there = false;  ///< results that may be left out
};

/// Has the kernels of its operator prepare a node; how many take it, if it is one.
int prepare(const gpu::KernelTables& tables, const Node& node, RecordingGpu& device) {
  const OpSchema& schema = node.op.schema();
  PortCounts out_counts;
  size_t results = 0;
  for (const Port& port : schema.outputs) {
    const int optional = node.optional_there ? 1 : 0;
    out_counts.push_back(port.kind == Port::Kind::kOptional ? optional
                         : port.kind == Port::Kind::kList   ? node.listed
                                                            : 1);
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
  if (!std::all_of(out.begin(), out.end(), [](const Fact* f) { return f->shape.rank_known(); })) return 0;
  const bool counted = !std::all_of(out.begin(), out.end(), [](const Fact* f) { return f->known(); });
  const ArgFacts args(in, node.counts, out, out_counts);
  PrepareContext context;
  context.device = &device;
  int taken = 0;
  for (const KernelTable* table : tables.all()) {
    for (const KernelDef& kernel : table->kernels) {
      if (kernel.op != &schema || !takes(kernel.types, schema, node.counts, args)) continue;
      if (counted != (kernel.bounds != nullptr)) continue;
      if (counted) {
        const std::vector<Shape> bounds = kernel.bounds(node.op.attributes(), args);
        for (size_t i = 0; i < bounds.size(); ++i) {
          if (!out_facts[i].shape.known()) out_facts[i].shape = bounds[i];
        }
      }
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
          const bool argument = port.shape_input || !port.attribute.empty();
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

void add_boxes(std::vector<Node>& nodes) {
  const Fact map(DType::kFloat32, {1, 16, 5, 7});
  const Fact priors(DType::kFloat16, {5, 4});
  for (const bool is_set : {false, true}) {
    YoloBox head;
    head.anchors = {10, 13, 16, 30};
    head.iou_aware = head.clip_bbox = is_set;
    head.class_num = is_set ? 2 : 3;
    nodes.push_back({head, {map, Fact(is_set ? DType::kInt32 : DType::kInt64, {1, 2})}, {1, 1}});
    PriorBox prior;
    prior.min_sizes = {30, 60};
    prior.variances = {0.1, 0.1, 0.2, 0.2};
    prior.clip = is_set;
    nodes.push_back({prior, {map, map}, {1, 1}});
    BoxCoder coder;
    coder.code_type = is_set ? BoxCode::kDecode : BoxCode::kEncode;
    const Fact boxes(DType::kFloat16, is_set ? Shape{3, 5, 4} : Shape{3, 4});
    nodes.push_back({coder, {priors, boxes}, {1, 0, 1}});
    nodes.push_back({coder, {priors, priors, boxes}, {1, 1, 1}});
  }
}

void add_grids(std::vector<Node>& nodes) {
  for (const GridSampleMode mode : {GridSampleMode::kBilinear, GridSampleMode::kNearest}) {
    for (const GridPadding padding : {GridPadding::kZeros, GridPadding::kBorder, GridPadding::kReflection}) {
      for (const bool align_corners : {false, true}) {
        GridSample op;
        op.mode = mode;
        op.padding_mode = padding;
        op.align_corners = align_corners;
        nodes.push_back({op, {Fact(DType::kFloat32, {1, 2, 4, 4}), Fact(DType::kFloat32, {1, 3, 3, 2})}, {1, 1}});
        nodes.push_back({op, {Fact(DType::kFloat32, {1, 2, 4, 4, 4}), Fact(DType::kFloat32, {1, 3, 3, 3, 3})}, {1, 1}});
      }
    }
  }
}

void add_recurrences(std::vector<Node>& nodes) {
  for (const RnnMode mode : {RnnMode::kRnnTanh, RnnMode::kRnnRelu, RnnMode::kLstm, RnnMode::kGru}) {
    for (const bool several : {false, true}) {  // directions, sequences and their lengths
      Rnn op;
      op.mode = mode;
      op.hidden_size = 8;
      op.is_bidirec = several;
      const int64_t batch = several ? 5 : 1;
      const int states = mode == RnnMode::kLstm ? 2 : 1;
      const int cells = op.directions();
      const int64_t rows = int64_t{op.gates()} * op.hidden_size;
      Node& node = nodes.emplace_back(Node{op, {Fact(DType::kFloat32, {3, batch, 8})}, {1, states, 4 * cells}, states});
      const auto add = [&](int count, const Fact& fact) { node.operands.insert(node.operands.end(), count, fact); };
      add(states, Fact(DType::kFloat32, {cells, batch, 8}));
      add(2 * cells, Fact(DType::kFloat32, {rows, 8}));
      add(2 * cells, Fact(DType::kFloat32, {rows}));
      node.counts.push_back(several ? 1 : 0);
      if (several) add(1, Fact(DType::kInt64, {batch}));
      node.counts.push_back(0);
    }
  }
}

void add_integers(std::vector<Node>& nodes) {
  const auto int8 = [](const Shape& s) { return Fact(DType::kInt8, s); };
  const auto numbers = [](int64_t count) { return Fact(DType::kFloat32, {count}); };
  const QuantizationRounding roundings[] = {QuantizationRounding::kHalfToEven, QuantizationRounding::kHalfAwayFromZero};
  for (const QuantizationRounding rounding : roundings) {
    const ToInt8 op{.scale = 2, .round_type = rounding};
    nodes.push_back({op, {Fact(DType::kFloat32, {2, 8, 4, 4})}, {1, 0}});
    nodes.push_back({op, {Fact(DType::kFloat32, {2, 8, 4, 4}), Fact(DType::kFloat32, {1, 8, 1, 1})}, {1, 1}});
  }
  for (const int64_t size : {3, 32, 64, 256}) {
    for (const bool transposed : {false, true}) {
      for (const int64_t depth : {size, size + 1}) {
        IntegerLinear linear;
        linear.transpose_w = transposed;
        linear.epilogue = {{EpilogueKind::kMultiplyChannel}, {EpilogueKind::kHardSwish, 3, 6, 6}};
        linear.result_scale = depth == size ? 0.0F : 1.0F;
        linear.round_type = roundings[transposed ? 1 : 0];
        const Shape w = transposed ? Shape{size, depth} : Shape{depth, size};
        nodes.push_back({linear, {int8({size, depth}), int8(w), numbers(size)}, {1, 1, 1}});
      }
    }
    IntegerConv2d windows;
    windows.paddings = {1, 1};
    windows.result_scale = 1;
    windows.epilogue = {{EpilogueKind::kMultiplyChannel}, {EpilogueKind::kAddIntegers, 0.5F}, {EpilogueKind::kRelu}};
    nodes.push_back(
        {windows, {int8({1, 8, 16, 16}), int8({size, 8, 3, 3}), numbers(size), int8({1, size, 16, 16})}, {1, 1, 2}});
    IntegerConv2d pointwise;
    nodes.push_back({pointwise, {int8({1, 8, 16, 16}), int8({size, 8, 1, 1})}, {1, 1, 0}});
  }
  IntegerConv2d depthwise;
  depthwise.groups = 8;
  depthwise.result_scale = 1;
  nodes.push_back({depthwise, {int8({1, 8, 16, 16}), int8({8, 1, 3, 3})}, {1, 1, 0}});
  IntegerConv2d transposed;
  transposed.transposed = true;
  transposed.strides = {2, 2};
  nodes.push_back({transposed, {int8({1, 8, 16, 16}), int8({8, 4, 2, 2})}, {1, 1, 0}});
  NearestInterp resized;
  resized.scale = {2.0};
  nodes.push_back({resized, {int8({1, 2, 4, 4})}, {1, 0, 0, 0}});
  nodes.push_back({Pool2d{}, {int8({1, 2, 4, 4}), Fact::constant(int_list({2, 2}))}, {1, 1}});
}

/// What selects, counts and places rows.
void add_rows(std::vector<Node>& nodes) {
  for (const bool is_set : {false, true}) {
    MulticlassNms3 nms;
    nms.background_label = -1;
    nms.normalized = is_set;
    nms.nms_eta = is_set ? 0.9F : 1.0F;
    nms.keep_top_k = is_set ? 5 : -1;
    const Fact boxes(DType::kFloat32, {1, 70, 4});
    nodes.push_back({nms, {boxes, Fact(DType::kFloat32, {1, 2, 70})}, {1, 1, 0}, 2, true});
    for (const DType type : {DType::kFloat32, DType::kFloat16, DType::kInt32, DType::kInt64}) {
      const Fact line(type, {3, 5000});
      nodes.push_back({Argsort{.descending = is_set}, {line}, {1}});
      for (const int64_t k : {3, 300}) {
        const Fact few = Fact::constant(int_list({k}));
        for (const bool sorted : {false, true}) {
          nodes.push_back({Topk{.largest = is_set, .sorted = sorted}, {line, few}, {1, 1}});
        }
      }
    }
    const Fact table(DType::kFloat32, {7, 9});
    const Fact at(DType::kInt32, {6});
    nodes.push_back({Scatter{.overwrite = is_set}, {table, at, Fact(DType::kFloat32, {6, 9})}, {1, 1, 1}});
    const Fact pairs(is_set ? DType::kInt32 : DType::kInt64, {6, 2});
    const DType added = is_set ? DType::kInt64 : DType::kFloat32;
    nodes.push_back({GatherNd{}, {Fact(added, {7, 9}), pairs}, {1, 1}});
    nodes.push_back({ScatterNdAdd{}, {Fact(added, {7, 9}), pairs, Fact(added, {6})}, {1, 1, 1}});
    SetValueWithTensor set;
    set.axes = {1};
    set.decrease_axes = is_set ? Ints{1} : Ints{};
    set.legacy_bounds = is_set;
    const Fact bound = is_set ? Fact(DType::kInt32, {1}) : Fact::constant(int_list({1}));
    nodes.push_back(
        {set, {table, Fact(DType::kFloat32, {1}), bound, bound, Fact::constant(int_list({1}))}, {1, 1, 1, 1, 1}});
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
  add_boxes(nodes);
  add_grids(nodes);
  add_recurrences(nodes);
  add_integers(nodes);
  add_rows(nodes);
  for (const bool skips : {false, true}) {
    OneHot op;
    op.allow_out_of_range = skips;
    nodes.push_back({op, {Fact(DType::kInt64, {7}), Fact::constant(int_list({5}))}, {1, 1}});
  }
  for (const bool after : {false, true}) {
    Scale scale;
    scale.bias_after_scale = after;
    for (const DType type : {DType::kInt32, DType::kInt64}) nodes.push_back({scale, {Fact(type, {7})}, {1, 0}});
  }
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
