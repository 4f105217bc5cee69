// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/norm.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/kernel_table.h"
#include "ops/norm/affine_channel.h"
#include "ops/norm/batch_norm.h"
#include "ops/norm/group_norm.h"
#include "ops/norm/instance_norm.h"
#include "ops/norm/layer_norm.h"
#include "ops/norm/rms_norm.h"

namespace coracle::internal::cpu::kernels::norm {
namespace {

/// Position of an operand in the flat list, -1 where it is absent.
int index_or_none(const ArgFacts& args, int port) { return args.has(port) ? args.index(port) : -1; }

// ---- layer_norm and rms_norm: rows

struct RowState {
  void (*function)(const RowNorm& p) = nullptr;
  int64_t rows = 0;
  int64_t n = 0;
  float epsilon = 0;
  int residual = -1;  ///< positions of operands
  int scale = -1;
  int bias = -1;
  int sum = -1;  ///< positions of results
  int mean = -1;
  int variance = -1;
};

RowState rows_of(const ArgFacts& args, int begin_axis, double epsilon) {
  const Shape& x = args.shape(0);
  const int axis = normalize_axis(begin_axis, x.rank());
  RowState s;
  s.rows = x.count(0, axis);
  s.n = x.count(axis, x.rank());
  s.epsilon = static_cast<float>(epsilon);
  return s;
}

Prepared prepare_layer_norm(const void* op, const ArgFacts& args, PrepareContext&) {
  const auto& o = *static_cast<const LayerNorm*>(op);
  RowState s = rows_of(args, o.begin_norm_axis, o.epsilon);
  s.function = norm_table(kernel_isa(args.kernel())).layer_norm;
  s.scale = index_or_none(args, 1);
  s.bias = index_or_none(args, 2);
  if (args.out_count(1) > 0) s.mean = 1;
  if (args.out_count(2) > 0) s.variance = 1 + args.out_count(1);
  return in_place(prepared(s));
}

RejectionReason fits_rms_norm(const void*, const ArgFacts& args) {
  if (args.has(1)) return "a bias before the norm";
  return args.out_count(2) == 0 ? nullptr : "the inverse deviation is wanted";
}

Prepared prepare_rms_norm(const void* op, const ArgFacts& args, PrepareContext&) {
  const auto& o = *static_cast<const RmsNorm*>(op);
  RowState s = rows_of(args, o.begin_norm_axis, o.epsilon);
  s.function = norm_table(kernel_isa(args.kernel())).rms_norm;
  s.residual = index_or_none(args, 2);
  s.scale = index_or_none(args, 3);
  s.bias = index_or_none(args, 4);
  if (args.out_count(1) > 0) s.sum = 1;
  return in_place(prepared(s));
}

float* result_or_null(const KernelCall& call, int index) {
  return index < 0 ? nullptr : call.out[static_cast<size_t>(index)].as<float>();
}

void run_rows(KernelCall& call) noexcept {
  const RowState& s = state_of<RowState>(call);
  const float* residual = floats_or_null(call, s.residual);
  float* sum = result_or_null(call, s.sum);
  float* mean = result_or_null(call, s.mean);
  float* variance = result_or_null(call, s.variance);
  call.pool->parallel_for(s.rows, grain_of(2 * s.n), [&](int64_t begin, int64_t end) {
    const int64_t first = begin * s.n;
    s.function({.x = call.in[0].as<const float>() + first,
                .residual = residual == nullptr ? nullptr : residual + first,
                .scale = floats_or_null(call, s.scale),
                .bias = floats_or_null(call, s.bias),
                .y = call.out[0].as<float>() + first,
                .sum = sum == nullptr ? nullptr : sum + first,
                .mean = mean == nullptr ? nullptr : mean + begin,
                .variance = variance == nullptr ? nullptr : variance + begin,
                .rows = static_cast<size_t>(end - begin),
                .n = static_cast<size_t>(s.n),
                .epsilon = s.epsilon,
                .deadline = call.deadline()});
  });
}

// ---- batch_norm and affine_channel: one factor and one shift per channel

struct AffineState {
  const NormFunctions* functions = nullptr;
  MemoryLines lines;  ///< along the channels
  std::vector<float> scale;
  std::vector<float> shift;
};

double number_or(const ArgFacts& args, int port, int64_t i, double missing) {
  const Tensor* t = known_value(args, port);
  return t == nullptr ? missing : t->number(i);
}

RejectionReason constant_channels(const ArgFacts& args, int ports) {
  for (int port = 1; port <= ports; ++port) {
    if (args.has(port) && known_value(args, port) == nullptr) return "the parameters are not constant";
  }
  return nullptr;
}

RejectionReason fits_batch_norm(const void* op, const ArgFacts& args) {
  if (static_cast<const BatchNorm*>(op)->uses_batch()) return "statistics of the batch";
  return constant_channels(args, 4);
}

RejectionReason fits_affine_channel(const void*, const ArgFacts& args) { return constant_channels(args, 2); }

AffineState affine_state(const ArgFacts& args, DataFormat format) {
  AffineState s;
  s.functions = &norm_table(kernel_isa(args.kernel()));
  s.lines = MemoryLines(args.in(0), channel_axis(format, args.shape(0).rank()));
  s.scale.resize(static_cast<size_t>(s.lines.length));
  s.shift.resize(s.scale.size());
  return s;
}

Prepared prepared_affine(AffineState s) {
  const size_t bytes = (s.scale.size() + s.shift.size()) * sizeof(float);
  return in_place(prepared(std::move(s), 0, bytes));
}

Prepared prepare_batch_norm(const void* op, const ArgFacts& args, PrepareContext&) {
  const auto& o = *static_cast<const BatchNorm*>(op);
  AffineState s = affine_state(args, o.data_format);
  for (size_t c = 0; c < s.scale.size(); ++c) {
    const auto i = static_cast<int64_t>(c);
    const auto number = [&](int port, double missing) { return static_cast<float>(number_or(args, port, i, missing)); };
    const ChannelAffine affine =
        batch_norm_affine(o, i, s.lines.length, number(1, 0), number(2, 1), number(3, 1), number(4, 0));
    s.scale[c] = affine.factor;
    s.shift[c] = affine.shift;
  }
  return prepared_affine(std::move(s));
}

Prepared prepare_affine_channel(const void* op, const ArgFacts& args, PrepareContext&) {
  AffineState s = affine_state(args, static_cast<const AffineChannel*>(op)->data_format);
  for (size_t c = 0; c < s.scale.size(); ++c) {
    s.scale[c] = static_cast<float>(number_or(args, 1, static_cast<int64_t>(c), 1));
    s.shift[c] = static_cast<float>(number_or(args, 2, static_cast<int64_t>(c), 0));
  }
  return prepared_affine(std::move(s));
}

void run_affine(KernelCall& call) noexcept {
  const AffineState& s = state_of<AffineState>(call);
  const float* x = call.in[0].as<const float>();
  float* y = call.out[0].as<float>();
  const int64_t channels = s.lines.length;
  const int64_t inner = s.lines.inner;
  if (inner == 1) {
    call.pool->parallel_for(s.lines.outer, grain_of(channels), [&](int64_t begin, int64_t end) {
      s.functions->affine_columns(x + begin * channels, s.scale.data(), s.shift.data(), y + begin * channels,
                                  static_cast<size_t>(end - begin), static_cast<size_t>(channels), call.deadline());
    });
  } else {
    call.pool->parallel_for(s.lines.outer * channels, grain_of(inner), [&](int64_t begin, int64_t end) {
      while (begin < end) {
        const int64_t c = begin % channels;
        const int64_t rows = end - begin < channels - c ? end - begin : channels - c;
        s.functions->affine_rows(x + begin * inner, s.scale.data() + c, s.shift.data() + c, y + begin * inner,
                                 static_cast<size_t>(rows), static_cast<size_t>(inner), call.deadline());
        begin += rows;
      }
    });
  }
  // batch_norm's other results: the statistics as they were, mean and variance by turns; the last one is empty.
  for (size_t i = 1; i < call.out.size(); ++i) {
    const TensorView& from = call.in[i % 2 == 1 ? 1 : 2];
    const size_t bytes = call.out[i].fact->bytes();
    if (bytes != 0 && call.out[i].data != from.data) std::memcpy(call.out[i].data, from.data, bytes);
  }
}

// ---- group_norm and instance_norm

struct GroupState {
  const NormFunctions* functions = nullptr;
  bool channels_last = false;
  int64_t batch = 0;
  GroupNorm norm;
  int scale = -1;
  int bias = -1;
};

RejectionReason fits_one_result(const ArgFacts& args) {
  return args.all_out().size() == 1 ? nullptr : "the statistics are wanted";
}

RejectionReason fits_group_norm(const void*, const ArgFacts& args) { return fits_one_result(args); }

Prepared prepared_groups(const ArgFacts& args, int64_t groups, int channel, double epsilon) {
  const Shape& x = args.shape(0);
  const MemoryLines lines(args.in(0), channel);
  GroupState s;
  s.functions = &norm_table(kernel_isa(args.kernel()));
  s.channels_last = lines.inner == 1;
  s.batch = x[0];
  s.norm.groups = static_cast<size_t>(groups);
  s.norm.channels_per_group = static_cast<size_t>(lines.length / groups);
  s.norm.area = static_cast<size_t>(x.count(1, channel) * x.count(channel + 1, x.rank()));
  s.norm.epsilon = static_cast<float>(epsilon);
  s.scale = index_or_none(args, 1);
  s.bias = index_or_none(args, 2);
  const size_t workspace = s.channels_last ? static_cast<size_t>(s.batch * lines.length) * 2 * sizeof(float) : 0;
  return in_place(prepared(s, workspace));
}

Prepared prepare_group_norm(const void* op, const ArgFacts& args, PrepareContext&) {
  const auto& o = *static_cast<const coracle::internal::GroupNorm*>(op);
  return prepared_groups(args, o.groups, channel_axis(o.data_format, args.shape(0).rank()), o.epsilon);
}

RejectionReason fits_instance_norm(const void*, const ArgFacts& args) {
  if (args.shape(0)[1] == 0) return "no channels";
  return fits_one_result(args);
}

Prepared prepare_instance_norm(const void* op, const ArgFacts& args, PrepareContext&) {
  return prepared_groups(args, args.shape(0)[1], 1, static_cast<const InstanceNorm*>(op)->epsilon);
}

void run_groups(KernelCall& call) noexcept {
  const GroupState& s = state_of<GroupState>(call);
  const auto groups = static_cast<int64_t>(s.norm.groups);
  const auto channels = groups * static_cast<int64_t>(s.norm.channels_per_group);
  const auto area = static_cast<int64_t>(s.norm.area);
  GroupNorm norm = s.norm;
  norm.deadline = call.deadline();
  norm.x = call.in[0].as<const float>();
  norm.y = call.out[0].as<float>();
  norm.scale = floats_or_null(call, s.scale);
  norm.bias = floats_or_null(call, s.bias);
  const int64_t grain = grain_of(2 * area * static_cast<int64_t>(s.norm.channels_per_group));
  call.pool->parallel_for(s.batch * groups, grain, [&](int64_t begin, int64_t end) {
    if (!s.channels_last) return s.functions->group_norm(norm, static_cast<size_t>(begin), static_cast<size_t>(end));
    while (begin < end) {
      const int64_t image = begin / groups;
      const int64_t first = begin - image * groups;
      const int64_t last = end - begin < groups - first ? first + end - begin : groups;
      GroupNorm one = norm;
      one.x += image * channels * area;
      one.y += image * channels * area;
      s.functions->group_norm_channels_last(one, static_cast<size_t>(first), static_cast<size_t>(last),
                                            static_cast<float*>(call.workspace) + image * channels * 2);
      begin += last - first;
    }
  });
}

/// The last result, space for training, is empty.
constexpr TypeRule kBatchNormTypes = {.out = {{{5, DType::kUint8}}}};

template <class Op, Isa kIsa>
constexpr KernelDef make_kernel(LayoutRule layout, decltype(KernelDef::fits) fits, decltype(KernelDef::prepare) prepare,
                                decltype(KernelDef::run) run, const TypeRule& types = kFloat32Rule) {
  return {.name = kernel_name<Op, kIsa>(),
          .op = &kOpSchema<Op>,
          .capability = kIsa,
          .layout = layout,
          .types = types,
          .fits = fits,
          .prepare = prepare,
          .run = run};
}

template <Isa kIsa>
struct IsaKernels {
  static constexpr std::array<KernelDef, 6> kKernels = {
      make_kernel<LayerNorm, kIsa>(LayoutRule::kRowMajor, nullptr, prepare_layer_norm, run_rows),
      make_kernel<RmsNorm, kIsa>(LayoutRule::kRowMajor, fits_rms_norm, prepare_rms_norm, run_rows),
      make_kernel<BatchNorm, kIsa>(LayoutRule::kSame, fits_batch_norm, prepare_batch_norm, run_affine, kBatchNormTypes),
      make_kernel<AffineChannel, kIsa>(LayoutRule::kSame, fits_affine_channel, prepare_affine_channel, run_affine),
      make_kernel<coracle::internal::GroupNorm, kIsa>(LayoutRule::kSame, fits_group_norm, prepare_group_norm,
                                                      run_groups),
      make_kernel<InstanceNorm, kIsa>(LayoutRule::kSame, fits_instance_norm, prepare_instance_norm, run_groups),
  };
};

constexpr auto kKernels = kernels_of_each_isa<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::norm
