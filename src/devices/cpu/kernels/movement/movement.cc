// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/transpose.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/kernel_table.h"
#include "devices/element_walks.h"

/// Operators that only move elements: the result, from first to last element in memory, is met along a walk over the
/// operand.
namespace coracle::internal::cpu::kernels::movement {
namespace {

using element_walks::rearranged;
using element_walks::Walk;
using element_walks::walk_of;

/// The walk over an operand that lies channels-last, for operators on channels first that have one.
template <class Op>
Walk walk_channels_last(const Op&, const ArgFacts&) {
  return std::nullopt;
}
template <>
Walk walk_channels_last(const ChannelShuffle& op, const ArgFacts& args) {
  const Shape& x = args.shape(0);
  if (channels_are_last(op.data_format)) return std::nullopt;
  return rearranged({x[0] * x[2] * x[3], op.groups, x[1] / op.groups}, {0, 2, 1});
}

struct State {
  const TransposeFunctions* functions = nullptr;
  size_t element = 4;
  int64_t start = 0;  ///< element of the operand that comes first
  Permutation walk;   ///< outermost dimension first, neighbours joined
  int64_t slice = 1;  ///< elements of the result per step of the outermost dimension
  bool empty = false;
};

/// Without dimensions of size 1 and with joined neighbours; nothing where too many dimensions are left.
std::optional<State> state_of_walk(const ElementWalk& walk) {
  State s;
  s.start = walk.start;
  Permutation& p = s.walk;
  // Next to a dimension of size 0 others may be of any size, and steps beyond what an integer holds.
  s.empty = std::find(walk.size, walk.size + walk.rank, 0) != walk.size + walk.rank;
  if (s.empty) return s;
  for (int i = 0; i < walk.rank; ++i) {
    if (walk.size[i] == 1) continue;
    if (p.rank > 0 && p.strides[p.rank - 1] == walk.size[i] * walk.step[i]) {
      p.dims[p.rank - 1] = checked_multiply(p.dims[p.rank - 1], walk.size[i]);
      p.strides[p.rank - 1] = walk.step[i];
      continue;
    }
    if (p.rank == Permutation::kMaxRank) return std::nullopt;
    p.dims[p.rank] = walk.size[i];
    p.strides[p.rank++] = walk.step[i];
  }
  for (int i = 1; i < p.rank; ++i) s.slice = checked_multiply(s.slice, p.dims[i]);
  return s;
}

/// A walk by logical dimension of the row-major operand, brought to the order in which operand and result lie: for
/// walks with one step per dimension only.
ElementWalk in_memory_order(const ElementWalk& walk, const Fact& x, const Fact& y) {
  const MemoryOrder from(x);
  const MemoryOrder to(y);
  int64_t row_major_step[Shape::kMaxRank];
  int64_t step = 1;
  for (int d = x.shape.rank() - 1; d >= 0; --d) {
    row_major_step[d] = step;
    step *= x.shape[d];
  }
  ElementWalk out;
  int64_t rest = walk.start;
  for (int d = 0; d < x.shape.rank(); ++d) {
    const int64_t at = row_major_step[d] == 0 ? 0 : rest / row_major_step[d];
    rest -= at * row_major_step[d];
    out.start += at * from.stride[d];
  }
  for (int p = 0; p < to.rank; ++p) {
    const int d = to.logical[p];
    // A step of 0 repeats; any other is a multiple of the dimension's own.
    const int64_t factor = walk.step[d] == 0 ? 0 : walk.step[d] / row_major_step[d];
    out.push_back(walk.size[d], factor * from.stride[d]);
  }
  return out;
}

/// Operators whose walk has dimension i of the result step along dimension i of the operand.
template <class Op>
constexpr bool kKeepsDimensions =
    std::is_same_v<Op, Slice> || std::is_same_v<Op, StridedSlice> || std::is_same_v<Op, Expand> ||
    std::is_same_v<Op, ExpandAs> || std::is_same_v<Op, Flip>;

template <class Op>
std::optional<State> plan(const void* op, const ArgFacts& args) {
  Walk walk = walk_of(*static_cast<const Op*>(op), args);
  if (!walk) return std::nullopt;
  const bool reordered = args.in(0).layout == Layout::kChannelsLast || args.out().layout == Layout::kChannelsLast;
  if (reordered) {
    if (args.in(0).layout == args.out().layout) {
      if (const Walk last = walk_channels_last(*static_cast<const Op*>(op), args)) return state_of_walk(*last);
    }
    if (!kKeepsDimensions<Op> || args.shape(0).count() == 0) return std::nullopt;
    if (args.in(0).layout != args.out().layout || args.shape(0).rank() != args.out().shape.rank()) return std::nullopt;
    if (walk->rank != args.out().shape.rank()) return std::nullopt;
    walk = in_memory_order(*walk, args.in(0), args.out());
  }
  return state_of_walk(*walk);
}

template <class Op>
RejectionReason fits(const void* op, const ArgFacts& args) {
  return plan<Op>(op, args) ? nullptr : "the elements to move are not known while planning, or in another order";
}

Prepared prepared_walk(State s, const ArgFacts& args) {
  s.functions = &transpose_table(kernel_isa(args.kernel()));
  s.element = size_of(args.in(0).dtype);
  return prepared(s);
}

template <class Op>
Prepared prepare(const void* op, const ArgFacts& args, PrepareContext&) {
  return prepared_walk(*plan<Op>(op, args), args);
}

void run(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  if (s.empty) return;
  const char* x = call.in[0].as<const char>() + s.start * static_cast<int64_t>(s.element);
  char* y = call.out[0].as<char>();
  const int64_t outermost = s.walk.rank == 0 ? 1 : s.walk.dims[0];
  call.pool->parallel_for(outermost, grain_of(s.slice), [&](int64_t begin, int64_t end) {
    s.functions->permute(s.element, s.walk, x, y, begin, end);
  });
}

template <class Op, Isa kIsa>
constexpr KernelDef make_kernel(LayoutRule layout) {
  return {.name = kernel_name<Op, kIsa>(),
          .op = &kOpSchema<Op>,
          .capability = kIsa,
          .layout = layout,
          .types = kRealRule,
          .fits = fits<Op>,
          .prepare = prepare<Op>,
          .run = run};
}

template <Isa kIsa, class... Ops>
constexpr std::array<KernelDef, sizeof...(Ops)> kernels_of(LayoutRule layout) {
  return {make_kernel<Ops, kIsa>(layout)...};
}

/// In the operand's own order where that works, else row-major.
template <Isa kIsa>
struct IsaKernels {
  static constexpr auto kKernels = kernel_table_detail::join(
      kernels_of<kIsa, Slice, StridedSlice, Expand, ExpandAs, Flip, ChannelShuffle>(LayoutRule::kSame),
      kernels_of<kIsa, Transpose, Slice, StridedSlice, Expand, ExpandAs, Flip, Tile, LegacyExpand, PixelShuffle,
                 ChannelShuffle, ShuffleChannel>(LayoutRule::kRowMajor));
};

constexpr auto kKernels = kernels_of_each_isa<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::movement
