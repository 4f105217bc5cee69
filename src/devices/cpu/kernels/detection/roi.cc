// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/counted.h"
#include "devices/cpu/bands.h"
#include "devices/cpu/isa/lines.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/kernel_table.h"
#include "ops/detection/roi_align.h"
#include "ops/detection/roi_pool.h"

/// Pooling over regions of channels-last images: a cell's pixels, weighted by how much of all its samples falls to
/// each, or the largest of them.
namespace coracle::internal::cpu::kernels::roi {
namespace {

/// Pixels that are summed at a time.
constexpr int64_t kChunk = 64;

struct State {
  const LinesFunctions* lines = nullptr;
  int64_t channels = 0, in_h = 0, in_w = 0;
  int64_t regions = 0;
  int64_t bands = 1;       ///< parts of the regions that run at once
  int64_t band_bytes = 0;  ///< workspace of each
};

constexpr TypeRule kRoiTypes = {.in = {{{2, DType::kInt32}}}};

RejectionReason fits(const void*, const ArgFacts& args) {
  if (args.all_out().size() > 1) return "the places are wanted too";
  if (args.shape(0).count() == 0 || args.out().shape.count() == 0) return "no elements";
  return args.has(2) || args.in(1).lod != nullptr ? nullptr : "the images of the regions are told otherwise";
}

template <class Op>
Prepared prepare(const void* op, const ArgFacts& args, PrepareContext& context) {
  const auto& o = *static_cast<const Op*>(op);
  const Shape& x = args.shape(0);
  State s;
  s.lines = &lines_table(kernel_isa(args.kernel()));
  s.channels = x[1];
  s.in_h = x[2];
  s.in_w = x[3];
  s.regions = args.shape(1)[0];
  s.bands = std::clamp<int64_t>(s.regions, 1, context.pool->threads());
  // Weights by pixel for each row and column of cells, and the chunks.
  const Size height = o.pooled_height;
  const Size width = o.pooled_width;
  const Size floats = height * s.in_h + width * s.in_w;
  s.band_bytes = ((floats * sizeof(float) + (height + width) * sizeof(SampledSpan) + 1).rounded_up(64) + 64).count();
  return prepared(s, Size(s.bands) * s.band_bytes + Size(s.regions) * sizeof(int32_t));
}

/// The image of each region; false where the counts do not fit, which is told.
bool find_images(KernelCall& call, const State& s, int32_t* images) {
  const int64_t batch = call.in[0].fact->shape[0];
  int64_t region = 0;
  int64_t image = 0;
  const auto add = [&](int64_t count) {
    if (count < 0 || count > s.regions - region || image >= batch) return false;
    std::fill_n(images + region, count, static_cast<int32_t>(image++));
    region += count;
    return true;
  };
  if (call.in_counts.size() > 2 && call.in_counts[2] > 0) {
    const auto* counts = call.in[2].as<const int32_t>();
    for (int64_t i = 0, n = call.in[2].fact->shape.count(); i < n; ++i) {
      if (!add(counts[i])) return false;
    }
  } else {
    const auto& offsets = call.in[1].fact->lod->back();
    for (size_t i = 0; i + 1 < offsets.size(); ++i) {
      if (!add(static_cast<int64_t>(offsets[i + 1]) - static_cast<int64_t>(offsets[i]))) return false;
    }
  }
  return region == s.regions;
}

/// What is wrong with the numbers of regions, as the operator's reference says it.
std::string rejection_of_regions(const KernelCall& call) {
  const auto borrowed = [&](size_t i) {
    const Fact& fact = *call.in[i].fact;
    Tensor t = Tensor::borrow(fact.dtype, fact.shape, call.in[i].data);
    if (fact.lod != nullptr) t.set_lod(*fact.lod);
    return t;
  };
  const Tensor boxes = borrowed(1);
  try {
    const bool told = call.in.size() > 2;
    const Tensor counts = told ? borrowed(2) : Tensor();
    const size_t images = image_offsets(told ? &counts : nullptr, boxes).size() - 1;
    return text("there are regions for ", counted(images, "image"), ", but ",
                counted(call.in[0].fact->shape[0], "image"));
  } catch (const Error& e) {
    return e.what();
  }
}

/// Calls f(offset, weight) for the pixels of one cell.
template <class F>
void each_pixel(const State& s, const SampledSpan& down, const float* rows, const SampledSpan& across,
                const float* columns, const F& f) {
  for (int64_t i = down.first; i < down.first + down.count; ++i) {
    for (int64_t j = across.first; j < across.first + across.count; ++j) {
      f((i * s.in_w + j) * s.channels, rows[i] * columns[j]);
    }
  }
}

/// The workspace of one band.
struct Band {
  float* rows;
  float* columns;
  SampledSpan* down;
  SampledSpan* across;
};

Band band_of(const State& s, char* at, int height, int width) {
  Band b;
  b.down = reinterpret_cast<SampledSpan*>(at);
  b.across = b.down + height;
  b.rows = reinterpret_cast<float*>(b.across + width);
  b.columns = b.rows + height * s.in_h;
  return b;
}

void pool_region(const RoiAlign& op, const State& s, const float* box, const float* image, const Band& b, float* y) {
  const double shift = op.aligned ? 0.5 : 0.0;
  const auto scale = static_cast<double>(op.spatial_scale);
  const double left = static_cast<double>(box[0]) * scale - shift;
  const double top = static_cast<double>(box[1]) * scale - shift;
  double width = static_cast<double>(box[2]) * scale - shift - left;
  double height = static_cast<double>(box[3]) * scale - shift - top;
  if (!op.aligned) {
    width = std::max(width, 1.0);
    height = std::max(height, 1.0);
  }
  const auto samples = [&](double size, int cells) {
    const double wanted = op.sampling_ratio > 0 ? op.sampling_ratio : std::ceil(size / cells);
    return position(std::clamp(wanted, 0.0, 4096.0));
  };
  const int64_t down = samples(height, op.pooled_height);
  const int64_t across = samples(width, op.pooled_width);
  weigh_samples(top, height / op.pooled_height, op.pooled_height, down, s.in_h, b.rows, b.down);
  weigh_samples(left, width / op.pooled_width, op.pooled_width, across, s.in_w, b.columns, b.across);
  const float share = 1 / static_cast<float>(std::max<int64_t>(down * across, 1));
  int64_t offsets[kChunk];
  float weights[kChunk];
  for (int i = 0; i < op.pooled_height; ++i) {
    for (int j = 0; j < op.pooled_width; ++j, y += s.channels) {
      WeightedLines p{.x = image, .offsets = offsets, .weights = weights, .y = y};
      p.channels = static_cast<size_t>(s.channels);
      const auto flush = [&] {
        s.lines->sum(p);
        p.adds = true;
        p.count = 0;
      };
      each_pixel(s, b.down[i], b.rows + i * s.in_h, b.across[j], b.columns + j * s.in_w,
                 [&](int64_t offset, float weight) {
                   offsets[p.count] = offset;
                   weights[p.count++] = weight * share;
                   if (p.count == kChunk) flush();
                 });
      if (p.count > 0 || !p.adds) flush();
    }
  }
}

void pool_region(const RoiPool& op, const State& s, const float* box, const float* image, const Band& b, float* y) {
  const auto corner = [&](int i) {
    const auto at = static_cast<double>(box[i] * op.spatial_scale);
    return std::isnan(at) ? 0.0 : std::clamp(std::round(at), -1e9, 1e9);
  };
  for (int j = 0; j < op.pooled_width; ++j) {
    const CellRange r = pool_cell(corner(0), corner(2), j, op.pooled_width, s.in_w);
    b.across[j] = {r.begin, r.end - r.begin};
  }
  for (int i = 0; i < op.pooled_height; ++i) {
    const CellRange down = pool_cell(corner(1), corner(3), i, op.pooled_height, s.in_h);
    for (int j = 0; j < op.pooled_width; ++j, y += s.channels) {
      const SampledSpan& across = b.across[j];
      if (down.end <= down.begin || across.count <= 0) {
        std::fill_n(y, s.channels, 0.0F);
        continue;
      }
      PixelBox box_of_cell{.x = image + (down.begin * s.in_w + across.first) * s.channels};
      box_of_cell.row_stride = s.in_w * s.channels;
      box_of_cell.rows = down.end - down.begin;
      box_of_cell.columns = across.count;
      box_of_cell.y = y;
      box_of_cell.channels = static_cast<size_t>(s.channels);
      s.lines->largest(box_of_cell);
    }
  }
}

template <class Op>
void run(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  const auto& op = call.attributes<Op>();
  auto* const room = static_cast<char*>(call.workspace);
  auto* const images = reinterpret_cast<int32_t*>(room + s.bands * s.band_bytes);
  if (!find_images(call, s, images)) {
    return call.fail("the numbers of regions do not fit", [&] { return rejection_of_regions(call); });
  }
  const auto* x = call.in[0].as<const float>();
  const auto* boxes = call.in[1].as<const float>();
  const int64_t cells = op.pooled_height * op.pooled_width * s.channels;
  for_bands(*call.pool, s.regions, s.bands, [&](int64_t band, int64_t begin, int64_t end) {
    const Band b = band_of(s, room + band * s.band_bytes, op.pooled_height, op.pooled_width);
    for (int64_t r = begin; r < end && !call.over(); ++r) {
      pool_region(op, s, boxes + r * 4, x + images[r] * s.in_h * s.in_w * s.channels, b,
                  call.out[0].as<float>() + r * cells);
    }
  });
}

template <Isa kIsa>
struct IsaKernels {
  template <class Op>
  static constexpr KernelDef make_kernel() {
    return {.name = kernel_name<Op, kIsa>(),
            .op = &kOpSchema<Op>,
            .capability = kIsa,
            .layout = LayoutRule::kChannelsLast,
            .types = kRoiTypes,
            .fits = fits,
            .prepare = prepare<Op>,
            .run = run<Op>};
  }
  static constexpr std::array<KernelDef, 2> kKernels = {make_kernel<RoiAlign>(), make_kernel<RoiPool>()};
};

constexpr auto kKernels = kernels_of_each_isa<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::roi
