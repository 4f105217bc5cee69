// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstdint>
#include <cstring>

#include "base/copy_bytes.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/elementwise/adder.h"
#include "devices/cpu/kernels/elementwise/numbers.h"
#include "ops/common/indices.h"
#include "ops/creation/one_hot.h"
#include "ops/index/gather_nd.h"
#include "ops/index/index_sample.h"
#include "ops/index/scatter.h"
#include "ops/index/scatter_nd_add.h"
#include "ops/index/take_along_axis.h"
#include "ops/movement/movement.h"

/// Elements and rows at positions that a tensor holds. All positions are checked before anything is written.
namespace coracle::internal::cpu::kernels::indexed {
namespace {

/// Elements of any real type, and where they are or go.
constexpr TypeRule kIndexedTypes = {.operands = kRealTypes, .results = kRealTypes, .in = {{{1, kIndexTypes}}}};
constexpr TypeRule kScatterTypes = {.operands = kSumTypes, .results = kSumTypes, .in = {{{1, kIndexTypes}}}};
constexpr TypeRule kOneHotTypes = {.operands = kIndexTypes, .results = DType::kFloat32};

/// What positions are made of: tuples of `depth` indices into dimensions of these sizes, with these steps.
struct Addressing {
  int64_t count = 0;  ///< tuples
  int depth = 1;
  int64_t size[Shape::kMaxRank] = {};
  int64_t step[Shape::kMaxRank] = {};
};

/// The address of row `index` tuples in the first dimensions of x, in elements.
Addressing addressing_of(const Shape& x, const Shape& index, int depth) {
  Addressing a;
  a.depth = depth;
  a.count = index.is_scalar() ? 1 : depth == 0 ? index.count(0, index.rank() - 1) : index.count() / depth;
  const ElementWalk all = row_major(x);
  for (int d = 0; d < depth; ++d) {
    a.size[d] = all.size[d];
    a.step[d] = all.step[d];
  }
  return a;
}

/// The first element of an index that is out of range, whichever thread finds it.
class FirstWrong {
 public:
  void note(int64_t element) {
    int64_t first = first_.load(std::memory_order_relaxed);
    while (element < first && !first_.compare_exchange_weak(first, element)) continue;
  }
  bool any() const { return first_ != kNone; }
  int64_t element() const { return first_; }

 private:
  static constexpr int64_t kNone = INT64_MAX;
  std::atomic<int64_t> first_ = kNone;
};

/// Fails a call for element `element` of an operand: `index` into `size` elements, counted from either end.
void fail_at(KernelCall& call, int operand, int64_t element, int64_t index, int64_t size) {
  call.fail("an index is out of range", [&] {
    return out_of_range_text(index, call.schema->inputs[static_cast<size_t>(operand)].label(), element, -size,
                             size - 1);
  });
}

/// Computes the positions of all tuples; gives false, with the call failed, where an index is out of range.
template <class T>
bool make_positions(KernelCall& call, const Addressing& a, int operand, const T* index, int64_t* positions) {
  FirstWrong wrong;
  call.pool->parallel_for(a.count, kGrain / 4, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t position = 0;
      for (int d = 0; d < a.depth; ++d) {
        int64_t at = index[i * a.depth + d];
        if (at < 0) at += a.size[d];
        if (at < 0 || at >= a.size[d]) return wrong.note(i * a.depth + d);
        position += at * a.step[d];
      }
      positions[i] = position;
    }
  });
  if (!wrong.any()) return true;
  fail_at(call, operand, wrong.element(), index[wrong.element()], a.size[wrong.element() % a.depth]);
  return false;
}

bool make_positions(KernelCall& call, const Addressing& a, int operand, int64_t* positions) {
  const TensorView& index = call.in[static_cast<size_t>(operand)];
  return index.fact->dtype == DType::kInt32 ? make_positions(call, a, operand, index.as<const int32_t>(), positions)
                                            : make_positions(call, a, operand, index.as<const int64_t>(), positions);
}

// ---- gather_nd

struct GatherState {
  Addressing addressing;
  size_t element = 4;
  int64_t row = 1;  ///< elements of a row
};

Prepared prepare_gather_nd(const void*, const ArgFacts& args, PrepareContext&) {
  GatherState s;
  const Shape& index = args.shape(1);
  const Shape& x = args.shape(0);
  const int depth = index.is_scalar() ? 1 : static_cast<int>(index.back());
  s.addressing = addressing_of(x, index, depth);
  s.element = size_of(args.in(0).dtype);
  s.row = x.count(depth, x.rank());
  return prepared(s, static_cast<size_t>(s.addressing.count) * sizeof(int64_t));
}

void run_gather_nd(KernelCall& call) noexcept {
  const auto& s = state_of<GatherState>(call);
  auto* positions = static_cast<int64_t*>(call.workspace);
  if (!make_positions(call, s.addressing, 1, positions)) return;
  const char* x = call.in[0].as<const char>();
  char* y = call.out[0].as<char>();
  if (s.row == 1) {
    with_element(s.element, [&](auto element) {
      using T = decltype(element);
      call.pool->parallel_for(s.addressing.count, kGrain / 4, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          reinterpret_cast<T*>(y)[i] = reinterpret_cast<const T*>(x)[positions[i]];
        }
      });
    });
    return;
  }
  const size_t bytes = static_cast<size_t>(s.row) * s.element;
  if (bytes == 0) return;
  call.pool->parallel_for(s.addressing.count, grain_of(s.row), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      copy_bytes(y + static_cast<size_t>(i) * bytes, x + static_cast<size_t>(positions[i]) * s.element, bytes);
    }
  });
}

// ---- take_along_axis, index_sample

struct AlongState {
  MemoryLines x;
  MemoryLines index;
  size_t element = 4;
};

template <class Op>
int64_t axis_of(const void* op) {
  if constexpr (std::is_same_v<Op, IndexSample>) return 1;
  if constexpr (std::is_same_v<Op, TakeAlongAxis>) return static_cast<const TakeAlongAxis*>(op)->axis;
}

template <class Op>
RejectionReason fits_along(const void* op, const ArgFacts& args) {
  const MemoryLines x(args.in(0), axis_of<Op>(op));
  const MemoryLines index(args.in(1), axis_of<Op>(op));
  if (args.shape(0).rank() == 0 || args.out().shape != args.shape(1)) return "the result has not the index's shape";
  Shape expected = args.shape(0);
  const int axis = normalize_axis(axis_of<Op>(op), expected.rank());
  expected[axis] = args.shape(1)[axis];
  return expected == args.shape(1) ? nullptr : "the index is smaller than the operand along other dimensions";
}

template <class Op>
Prepared prepare_along(const void* op, const ArgFacts& args, PrepareContext&) {
  AlongState s;
  s.x = MemoryLines(args.in(0), axis_of<Op>(op));
  s.index = MemoryLines(args.in(1), axis_of<Op>(op));
  s.element = size_of(args.in(0).dtype);
  return prepared(s);
}

/// Elements are moved as they are checked: a call that fails has no result.
template <class Index, class T>
void take_along(KernelCall& call, const AlongState& s) {
  const auto* index = call.in[1].as<const Index>();
  const T* x = call.in[0].as<const T>();
  T* y = call.out[0].as<T>();
  const int64_t inner = s.index.inner;
  const int64_t size = s.x.length;
  FirstWrong wrong;
  // Lines of an image that are not split, or parts of the elements of one that is.
  const int64_t lines = s.index.outer * s.index.length;
  call.pool->parallel_for(lines, grain_of(2 * inner), [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t image = begin / s.index.length;
      const int64_t last = std::min(end, (image + 1) * s.index.length);
      const T* from = x + image * size * inner;
      // Gives false where the index is wrong.
      const auto take = [&](int64_t i, int64_t step, int64_t column) {
        auto at = static_cast<int64_t>(index[i]);
        at += at < 0 ? size : 0;
        if (static_cast<uint64_t>(at) >= static_cast<uint64_t>(size)) [[unlikely]]
          return false;
        y[i] = from[at * step + column];
        return true;
      };
      if (inner == 1) {
        for (int64_t i = begin; i < last; ++i) {
          if (!take(i, 1, 0)) return wrong.note(i);
        }
      }
      for (int64_t i = begin * inner, column = 0; inner != 1 && i < last * inner; ++i) {
        if (!take(i, inner, column)) return wrong.note(i);
        if (++column == inner) column = 0;
      }
      begin = last;
    }
  });
  if (wrong.any()) fail_at(call, 1, wrong.element(), static_cast<int64_t>(index[wrong.element()]), size);
}

void run_along(KernelCall& call) noexcept {
  const auto& s = state_of<AlongState>(call);
  with_element(s.element, [&](auto element) {
    using T = decltype(element);
    if (call.in[1].fact->dtype == DType::kInt32) return take_along<int32_t, T>(call, s);
    take_along<int64_t, T>(call, s);
  });
}

// ---- scatter, scatter_nd_add

struct ScatterState {
  Addressing addressing;
  size_t element = 4;
  int64_t row = 1;    ///< elements of a row
  int64_t count = 0;  ///< elements of x
  bool adds = false;
  bool clears = false;  ///< rows that are written begin as zeros
  Adder add;
};

/// `depth`: dimensions of x that an index names.
Prepared prepared_scatter(const ArgFacts& args, int depth, bool adds, bool clears) {
  ScatterState s;
  const Shape& x = args.shape(0);
  s.adds = adds;
  s.clears = clears;
  s.addressing = addressing_of(x, args.shape(1), depth);
  s.element = size_of(args.in(0).dtype);
  s.row = x.count(depth, x.rank());
  s.count = x.count();
  s.add = Adder::of(kernel_isa(args.kernel()), *number_type(args.in(0).dtype));
  return in_place(prepared(s, static_cast<size_t>(s.addressing.count) * sizeof(int64_t)));
}

Prepared prepare_scatter(const void* op, const ArgFacts& args, PrepareContext&) {
  const bool adds = !static_cast<const Scatter*>(op)->overwrite;
  return prepared_scatter(args, 1, adds, adds);
}

Prepared prepare_scatter_nd_add(const void*, const ArgFacts& args, PrepareContext&) {
  const Shape& index = args.shape(1);
  return prepared_scatter(args, index.is_scalar() ? 1 : static_cast<int>(index.back()), true, false);
}

/// Each thread writes rows of its own part of the result, in the order of the index.
void run_scatter(KernelCall& call) noexcept {
  const auto& s = state_of<ScatterState>(call);
  auto* positions = static_cast<int64_t*>(call.workspace);
  if (!make_positions(call, s.addressing, 1, positions)) return;
  const char* x = call.in[0].as<const char>();
  const char* updates = call.in[2].as<const char>();
  char* y = call.out[0].as<char>();
  const size_t bytes = static_cast<size_t>(s.row) * s.element;
  if (bytes == 0) return;
  call.pool->parallel_for(s.count / s.row, grain_of(s.row), [&](int64_t begin, int64_t end) {
    if (x != y) {
      copy_bytes(y + static_cast<size_t>(begin) * bytes, x + static_cast<size_t>(begin) * bytes,
                 static_cast<size_t>(end - begin) * bytes);
    }
    const auto each_row = [&](const auto& f) {
      for (int64_t i = 0; i < s.addressing.count; ++i) {
        if (positions[i] < begin * s.row || positions[i] >= end * s.row) continue;
        f(y + static_cast<size_t>(positions[i]) * s.element, updates + static_cast<size_t>(i) * bytes);
      }
    };
    if (s.clears) each_row([&](char* to, const char*) { std::memset(to, 0, bytes); });
    if (s.adds) {
      each_row([&](char* to, const char* from) { s.add(to, from, to, static_cast<size_t>(s.row)); });
    } else {
      each_row([&](char* to, const char* from) { copy_bytes(to, from, bytes); });
    }
  });
}

// ---- one_hot

struct OneHotState {
  int64_t count = 0;
  int64_t depth = 0;
  bool skips = false;  ///< what is out of range
};

Prepared prepare_one_hot(const void* op, const ArgFacts& args, PrepareContext&) {
  return prepared(
      OneHotState{args.shape(0).count(), args.out().shape.back(), static_cast<const OneHot*>(op)->allow_out_of_range});
}

template <class T>
void one_hot_of(KernelCall& call, const OneHotState& s, const T* x) {
  for (int64_t i = 0; i < s.count && !s.skips; ++i) {
    if (x[i] >= 0 && x[i] < s.depth) continue;
    return call.fail("an index is out of range", [&] { return out_of_range_text(x[i], "X", i, 0, s.depth - 1); });
  }
  auto* y = call.out[0].as<float>();
  call.pool->parallel_for(s.count, grain_of(s.depth), [&](int64_t begin, int64_t end) {
    std::fill(y + begin * s.depth, y + end * s.depth, 0.0F);
    for (int64_t i = begin; i < end; ++i) {
      if (x[i] >= 0 && x[i] < s.depth) y[i * s.depth + x[i]] = 1.0F;
    }
  });
}

void run_one_hot(KernelCall& call) noexcept {
  const auto& s = state_of<OneHotState>(call);
  if (call.in[0].fact->dtype == DType::kInt32) return one_hot_of(call, s, call.in[0].as<const int32_t>());
  one_hot_of(call, s, call.in[0].as<const int64_t>());
}

// ---- kernels

template <class Op>
constexpr KernelDef make_kernel(const TypeRule& types, decltype(KernelDef::fits) fits,
                                decltype(KernelDef::prepare) prepare, decltype(KernelDef::run) run, Isa isa = Isa::kAny,
                                const char* name = kernel_name<Op, Isa::kAny>()) {
  return {.name = name,
          .op = &kOpSchema<Op>,
          .capability = isa,
          .types = types,
          .fits = fits,
          .prepare = prepare,
          .run = run};
}

template <Isa kIsa>
struct IsaKernels {
  static constexpr std::array<KernelDef, 2> kKernels = {
      make_kernel<Scatter>(kScatterTypes, nullptr, prepare_scatter, run_scatter, kIsa, kernel_name<Scatter, kIsa>()),
      make_kernel<ScatterNdAdd>(kScatterTypes, nullptr, prepare_scatter_nd_add, run_scatter, kIsa,
                                kernel_name<ScatterNdAdd, kIsa>()),
  };
};

/// Where nothing but memory counts, one kernel serves every instruction set.
constexpr std::array<KernelDef, 4> kAnyKernels = {
    make_kernel<GatherNd>(kIndexedTypes, nullptr, prepare_gather_nd, run_gather_nd),
    make_kernel<TakeAlongAxis>(kIndexedTypes, fits_along<TakeAlongAxis>, prepare_along<TakeAlongAxis>, run_along),
    make_kernel<IndexSample>(kIndexedTypes, fits_along<IndexSample>, prepare_along<IndexSample>, run_along),
    make_kernel<OneHot>(kOneHotTypes, nullptr, prepare_one_hot, run_one_hot),
};

constexpr auto kKernels = kernel_table_detail::join(kernels_of_each_isa<IsaKernels>(), kAnyKernels);

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::indexed
