// SPDX-License-Identifier: Apache-2.0
#include "ops/detection/yolo_box.h"

#include "devices/cpu/bands.h"
#include "devices/cpu/isa/transpose.h"
#include "devices/cpu/isa/unary.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/kernel_table.h"

/// Boxes and scores of a YOLO head: the scores of some places at a time, class by class, are transposed while they are
/// in cache.
namespace coracle::internal::cpu::kernels::yolo_box {
namespace {

/// Places that are computed together.
constexpr int64_t kBlock = 64;

struct State {
  const UnaryFunctions* unary = nullptr;
  const TransposeFunctions* transpose = nullptr;
  int64_t anchors = 0;
  int64_t places = 0;  ///< of one anchor on one image
  int64_t bands = 1;   ///< parts of the places that run at once
};

constexpr TypeRule kYoloTypes = {.in = {{{1, kIndexTypes}}}};

RejectionReason fits(const void*, const ArgFacts& args) { return args.shape(0).count() == 0 ? "no elements" : nullptr; }

Prepared prepare(const void* op_attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const YoloBox*>(op_attributes);
  const Shape& x = args.shape(0);
  State s;
  s.unary = &unary_table(kernel_isa(args.kernel()));
  s.transpose = &transpose_table(kernel_isa(args.kernel()));
  s.anchors = static_cast<int64_t>(op.anchors.size()) / 2;
  s.places = x[2] * x[3];
  const int64_t blocks = x[0] * s.anchors * ((s.places + kBlock - 1) / kBlock);
  s.bands = std::clamp<int64_t>(blocks, 1, context.pool->threads());
  return prepared(s, static_cast<size_t>(s.bands * op.class_num * kBlock) * sizeof(float));
}

/// Places [first, first + count) of a head; `scores` has room for all classes of a block.
void run_block(const State& s, const YoloHead<float>& head, int64_t first, int64_t count, float* scores, float* boxes,
               float* to) {
  const int64_t classes = head.op.class_num;
  float confidence[kBlock];  // 0: too low
  bool any = false;
  std::fill_n(boxes, count * 4, 0.0F);
  for (int64_t i = 0; i < count; ++i) {
    const double c = head.confidence(first + i);
    const bool low = c < head.op.conf_thresh;
    confidence[i] = low ? 0.0F : static_cast<float>(c);
    if (!low) head.write_box(first + i, boxes + i * 4);
    any = any || !low;
  }
  if (!any) {
    std::fill_n(to, count * classes, 0.0F);
    return;
  }
  for (int64_t c = 0; c < classes; ++c) {
    float* row = scores + c * kBlock;
    s.unary->apply({.kind = UnaryKind::kSigmoid}, head.entries + (5 + c) * s.places + first, row,
                   static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) row[i] = confidence[i] == 0 ? 0 : row[i] * confidence[i];
  }
  s.transpose->matrix(sizeof(float), scores, kBlock, to, static_cast<size_t>(classes), static_cast<size_t>(classes),
                      static_cast<size_t>(count));
}

template <class Size>
void run_of(KernelCall& call, const Size* sizes) {
  const State& s = state_of<State>(call);
  const auto& op = call.attributes<YoloBox>();
  const Shape& x = call.in[0].fact->shape;
  const auto* values = call.in[0].as<const float>();
  auto* boxes = call.out[0].as<float>();
  auto* scores = call.out[1].as<float>();
  const int64_t blocks = (s.places + kBlock - 1) / kBlock;
  const int64_t all = x[0] * s.anchors * blocks;
  for_bands(*call.pool, all, s.bands, [&](int64_t band, int64_t begin, int64_t stop) {
    float* room = static_cast<float*>(call.workspace) + band * op.class_num * kBlock;
    for (int64_t b = begin; b < stop && !call.over(); ++b) {
      const int64_t line = b / blocks;  // an anchor of an image
      const int64_t n = line / s.anchors;
      const int64_t first = b % blocks * kBlock;
      const YoloHead<float> head(op, x, values + n * x[1] * s.places, {sizes[2 * n], sizes[2 * n + 1]},
                                 line % s.anchors);
      const int64_t place = line * s.places + first;
      run_block(s, head, first, std::min(kBlock, s.places - first), room, boxes + place * 4,
                scores + place * op.class_num);
    }
  });
}

void run(KernelCall& call) noexcept {
  if (call.in[1].fact->dtype == DType::kInt32) {
    run_of(call, call.in[1].as<const int32_t>());
  } else {
    run_of(call, call.in[1].as<const int64_t>());
  }
}

template <Isa kIsa>
struct IsaKernels {
  static constexpr std::array<KernelDef, 1> kKernels = {KernelDef{.name = kernel_name<YoloBox, kIsa>(),
                                                                  .op = &kOpSchema<YoloBox>,
                                                                  .capability = kIsa,
                                                                  .types = kYoloTypes,
                                                                  .fits = fits,
                                                                  .prepare = prepare,
                                                                  .run = run}};
};

constexpr auto kKernels = kernels_of_each_isa<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::yolo_box
