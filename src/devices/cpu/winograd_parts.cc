// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/winograd_parts.h"

#include <algorithm>
#include <vector>

#include "base/size.h"
#include "devices/cpu/bands.h"
#include "devices/cpu/epilogue_program.h"
#include "devices/cpu/gemm_plan.h"
#include "devices/cpu/isa/winograd.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/pixel_line.h"
#include "devices/cpu/winograd_filter.h"
#include "devices/cpu/winograd_tiles.h"

namespace coracle::internal::cpu {
namespace {

constexpr int64_t kPoints = (kPartTile + 2) * (kPartTile + 2);
/// Transformed inputs and products of the rows of tiles that are computed together have at most so many floats, unless
/// one row has more.
constexpr int64_t kBandFloats = 4 << 20;
constexpr int64_t kGap = 16;  ///< floats between points, which would else share sets of the caches
/// Whole vectors of every instruction set.
constexpr int64_t kChannelStep = 16;
constexpr int64_t kLeastTiles = 12;

int64_t filter_parts(const WindowAxis& axis) { return (axis.kernel + 2) / 3; }
int64_t part_tiles(const WindowAxis& axis) { return (axis.out + kPartTile - 1) / kPartTile; }

struct PartsState {
  WinogradCall call;
  int64_t in_start = 0;
  int64_t out_start = 0;
  GemmCall product;  ///< one group per point
  GemmImage image;   ///< of tiles
  std::vector<int32_t> tap_y;
  std::vector<int32_t> tap_x;
  std::vector<float> zeros;
  int64_t images = 0;
  int64_t bands = 0;  ///< of rows of tiles, in each image
  int64_t panels = 0;
  EpilogueProgram epilogue;

  int64_t rows() const { return call.tiles_h(); }
  int64_t input_floats() const { return kPoints * call.in_point_stride; }
};

struct WinogradPartsForm {
  static constexpr std::string_view kLayout = "winograd.parts.panels.v1";

  int64_t kernel_h = 0;
  int64_t kernel_w = 0;
  GemmForm product;

  size_t bytes() const { return product.bytes(); }
  void pack(std::span<const Tensor* const> constants, std::byte* to, ThreadPool& pool,
            const RunContext& context) const {
    WinogradFilter{kPartTile, kernel_h, kernel_w}.pack(product, constants, to, pool, context);
  }
};

ConvolutionGeometry geometry_of(const Conv2dFused& op, const ArgFacts& args) {
  return convolution_geometry(op, args.shape(0), args.shape(1), 2);
}

double share_of(const ConvolutionGeometry& g) {
  const WindowAxis& h = g.height();
  const WindowAxis& w = g.width();
  const auto multiplies =
      static_cast<double>(kPoints * filter_parts(h) * filter_parts(w) * part_tiles(h) * part_tiles(w));
  return multiplies / static_cast<double>(h.kernel * w.kernel * h.out * w.out);
}

}  // namespace

RejectionReason winograd_parts_rejection(const Conv2dFused& op, const ArgFacts& args) {
  const ConvolutionGeometry g = geometry_of(op, args);
  const WindowAxis& h = g.height();
  const WindowAxis& w = g.width();
  for (const WindowAxis* a : {&h, &w}) {
    if (a->kernel < 3 || a->stride != 1 || a->dilation != 1) return "not a filter of 3 or more taps with stride 1";
  }
  if (h.kernel == 3 && w.kernel == 3) return "one part";
  if (g.groups != 1) return "only one group";
  if (g.in_channels % kChannelStep != 0 || g.out_channels % kChannelStep != 0) return "no multiples of 16 channels";
  // By the size of one image: it must not depend on the batch how an image is computed.
  if (part_tiles(h) * part_tiles(w) < kLeastTiles) return "too small an image for Winograd";
  return share_of(g) <= 2.0 / 3 ? nullptr : "too many zeros and cut tiles for Winograd";
}

double winograd_parts_share(const Conv2dFused& op, const ArgFacts& args) { return share_of(geometry_of(op, args)); }

Prepared prepare_winograd_parts(const void* op_attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const Conv2dFused*>(op_attributes);
  const ConvolutionGeometry g = geometry_of(op, args);
  const WindowAxis& h = g.height();
  const WindowAxis& w = g.width();
  auto state = std::make_shared<PartsState>();
  PartsState& s = *state;
  const PixelLine in = *pixel_line(args.in(0), args.view_in(0));
  const PixelLine out = *pixel_line(args.out(), args.view_out());
  s.in_start = in.start;
  s.out_start = out.start;
  s.call = {.tile = kPartTile,
            .parts_h = filter_parts(h),
            .parts_w = filter_parts(w),
            .in_h = h.in,
            .in_w = w.in,
            .in_channels = g.in_channels,
            .in_stride = in.stride,
            .out_h = h.out,
            .out_w = w.out,
            .out_channels = g.out_channels,
            .out_stride = out.stride,
            .pad_top = h.pad_before,
            .pad_left = w.pad_before};
  s.zeros.assign(static_cast<size_t>(g.in_channels), 0.0F);
  s.images = g.batch;
  s.panels = kPoints * gemm_table(args.kernel()).panels(g.out_channels);

  const int64_t in_row = s.call.input_tiles_w() * g.in_channels;
  const int64_t out_row = s.call.tiles_w() * g.out_channels;
  const int64_t fitting = (kBandFloats / kPoints - (s.call.parts_h - 1) * in_row) / (in_row + out_row);
  s.bands = (s.rows() + std::max<int64_t>(fitting, 1) - 1) / std::max<int64_t>(fitting, 1);
  const int64_t most_rows = (s.rows() + s.bands - 1) / s.bands;
  s.call.in_point_stride = (most_rows + s.call.parts_h - 1) * in_row + kGap;
  s.call.out_point_stride = most_rows * out_row + kGap;

  for (int64_t t = 0; t < s.call.parts_h * s.call.parts_w; ++t) {
    s.tap_y.push_back(static_cast<int32_t>(t / s.call.parts_w));
    s.tap_x.push_back(static_cast<int32_t>(t % s.call.parts_w));
  }
  s.image.in_w = s.call.input_tiles_w();
  s.image.in_channels = g.in_channels;
  s.image.out_w = s.call.tiles_w();
  s.image.out_row = s.call.tiles_w();
  s.image.tap_y = s.tap_y.data();
  s.image.tap_x = s.tap_x.data();
  s.product.shape = {static_cast<int64_t>(s.tap_y.size()), g.in_channels, g.out_channels};
  s.product.groups = kPoints;
  s.product.a_group_stride = s.call.in_point_stride;
  s.product.c_stride = g.out_channels;
  s.product.c_group_stride = s.call.out_point_stride;
  s.epilogue = EpilogueProgram(op, g.out_channels);

  Prepared p;
  WinogradPartsForm form{h.kernel, w.kernel, GemmForm{GemmChoice(args.kernel())}};
  form.product.taps = s.product.shape.taps;
  form.product.depth = g.in_channels;
  form.product.columns = g.out_channels;
  form.product.groups = kPoints;
  form.product.inner = g.in_channels;
  p.weights = context.pack(form, args.index(1));
  p.workspace = bytes_of<float>(kPoints * (Size(s.call.in_point_stride) + s.call.out_point_stride));
  p.state_bytes = sizeof(PartsState) + s.zeros.size() * sizeof(float) + s.tap_y.size() * 2 * sizeof(int32_t);
  p.in_place = s.epilogue.whole_tensor(2);
  p.state = std::move(state);
  return p;
}

void run_winograd_parts(KernelCall& call) noexcept {
  const PartsState& s = *static_cast<const PartsState*>(call.state);
  const GemmFunctions& gemm = gemm_table(*call.kernel);
  const WinogradFunctions& winograd = winograd_table(kernel_isa(*call.kernel));
  EpilogueOp ops[kMaxEpilogueOps];
  s.epilogue.bind(call, 2, ops);
  WinogradCall c = s.call;
  c.input = call.in[0].as<const float>() + s.in_start;
  c.zeros = s.zeros.data();
  c.output = call.out[0].as<float>() + s.out_start;
  c.epilogue = ops;
  c.epilogue_size = s.epilogue.count();
  auto* const inputs = static_cast<float*>(call.workspace);
  float* const products = inputs + s.input_floats();
  GemmImage image = s.image;
  GemmCall product = s.product;
  product.image = &image;
  product.a = inputs;
  product.packed = static_cast<const float*>(call.weights);
  product.c = products;
  const int64_t rows = s.rows();
  for (int64_t i = 0; i < s.images * s.bands && !call.over(); ++i) {
    const int64_t band = i % s.bands;
    const int64_t first = rows * band / s.bands;
    const int64_t count = rows * (band + 1) / s.bands - first;
    image.out_h = count;
    image.in_h = count + c.parts_h - 1;
    const int64_t in_first = (i / s.bands * c.input_tiles_h() + first) * c.input_tiles_w();
    const int64_t out_first = (i / s.bands * rows + first) * c.tiles_w();
    const int64_t tiles = count * c.tiles_w();
    call.pool->parallel_for(image.in_h * c.input_tiles_w(), kGrainTiles / 2, [&](int64_t begin, int64_t end) {
      winograd.transform_input(c, in_first + begin, in_first + end, inputs + begin * c.in_channels);
    });
    call.pool->parallel_for(s.panels, 1, [&](int64_t begin, int64_t end) { gemm.run(product, 0, tiles, begin, end); });
    call.pool->parallel_for(tiles, kGrainTiles / 2, [&](int64_t begin, int64_t end) {
      winograd.transform_output(c, out_first + begin, out_first + end, products + begin * c.out_channels);
    });
  }
}

}  // namespace coracle::internal::cpu
