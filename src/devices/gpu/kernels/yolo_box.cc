// SPDX-License-Identifier: Apache-2.0
#include "ops/detection/yolo_box.h"

#include "devices/gpu/launch_plan.h"

/// Boxes and scores of a YOLO head.
namespace coracle::internal::gpu::kernels::yolo_box {
namespace {

/// Each takes two parameters.
constexpr size_t kMostAnchors = 32;

RejectionReason fits(const void* attributes, const ArgFacts& args) {
  const auto& op = *static_cast<const YoloBox*>(attributes);
  if (op.anchors.size() > 2 * kMostAnchors) return "more than 32 anchors";
  return too_large(args);
}

Prepared prepare(const void* attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const YoloBox*>(attributes);
  const Shape& x = args.shape(0);
  const auto anchors = static_cast<int64_t>(op.anchors.size()) / 2;
  const int64_t count = x[0] * anchors * (op.class_num + 1) * x[2] * x[3];
  if (count == 0) return prepared({});
  Definitions d;
  d.set_stored(args.out().dtype).set("SIZE", storage_type(args.in(1).dtype));
  d.set("CLIP", op.clip_bbox ? 1 : 0).set("IOU_AWARE", op.iou_aware ? 1 : 0);
  d.set_each("ANCHORS", 0, static_cast<int>(anchors));
  PlannedLaunch l;
  l.grid = grid_of(count);
  l.parameters = {Parameter::result(0),
                  Parameter::result(1),
                  Parameter::operand(0),
                  Parameter::operand(1),
                  Parameter::of(count),
                  Parameter::of(x[2]),
                  Parameter::of(x[3]),
                  Parameter::of(anchors),
                  Parameter::of(int64_t{op.class_num}),
                  Parameter::of(op.conf_thresh),
                  Parameter::of(op.scale_x_y),
                  Parameter::of(-0.5F * (op.scale_x_y - 1.0F)),
                  Parameter::of(static_cast<float>(op.downsample_ratio)),
                  Parameter::of(op.iou_aware_factor)};
  for (const int64_t size : op.anchors) l.parameters.push_back(Parameter::of(static_cast<float>(size)));
  l.function = compile(*context.device, "yolo_box", d);
  return prepared({std::move(l)});
}

constexpr KernelDef kKernels[] = {
    {.name = YoloBox::kName,
     .op = &kOpSchema<YoloBox>,
     .types = {.operands = kFloats, .results = kFloats, .in = {PortTypes{1, kIndexTypes}, PortTypes{}}, .alike = true},
     .fits = fits,
     .prepare = prepare,
     .run = run_plan}};

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = {kKernels};

}  // namespace coracle::internal::gpu::kernels::yolo_box
