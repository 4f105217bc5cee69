// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/sort.h"

#include <optional>

#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/elementwise/numbers.h"
#include "ops/index/argsort.h"
#include "ops/index/selection.h"
#include "ops/index/topk.h"
#include "ops/index/topk_v1.h"
#include "ops/index/unique.h"

/// The first elements of sorted rows, and distinct elements. Rows along another dimension than the last are sorted side
/// by side where few elements are wanted, else brought together first, several of them at a time.
namespace coracle::internal::cpu::kernels::sort {
namespace {

constexpr auto kTogether = static_cast<int64_t>(kSortColumns);  ///< rows that are neighbours in memory

struct State {
  const SortFunctions* functions = nullptr;
  NumberType type = NumberType::kFloat32;
  bool descending = true;
  MemoryLines lines;
  int64_t k = 0;
  int64_t element = 4;
  int64_t parts = 1;  ///< each has scratch of its own
  DType dtype = DType::kFloat32;
  bool selects = false;  ///< as `selection` says, where elements are equal
  Selection selection;
  size_t row_scratch = 0;   ///< of SortFunctions
  size_t room = 0;          ///< where a row is selected, in bytes from the start of the scratch
  size_t part_scratch = 0;  ///< the same with rows that are brought together
};

/// What top-k and argsort have in common.
struct Order {
  int64_t axis = -1;
  bool descending = true;
  std::optional<Selection> selection;  ///< else equal ones keep their order
};
Order order_of(const Topk& op) {
  return {op.axis, op.largest, Selection{.descending = op.largest, .sorted = op.sorted}};
}
Order order_of(const TopkV1&) { return {.selection = kTopkV1Selection}; }
Order order_of(const Argsort& op) { return {op.axis, op.descending, std::nullopt}; }

/// All but bool and halves; with where they were.
constexpr DTypes kSorted = kRealTypes - kHalfTypes - DType::kBool;
constexpr TypeRule kSortTypes = {.operands = kSorted, .results = kSorted, .out = {{{1, DType::kInt64}}}};
constexpr TypeRule kUniqueTypes = {.operands = kSorted, .results = kSorted | kIndexTypes};

RejectionReason fits(const void*, const ArgFacts& args) {
  return args.shape(0).count() < (int64_t{1} << 32) ? nullptr : "too many elements";
}

/// A multiple of 64.
size_t aligned(int64_t bytes) { return static_cast<size_t>(bytes + 63) / 64 * 64; }

Prepared prepared_order(const Order& order, const ArgFacts& args, const PrepareContext& context) {
  State s;
  s.functions = &sort_table(kernel_isa(args.kernel()));
  s.type = *number_type(args.in(0).dtype);
  s.descending = order.descending;
  s.lines = MemoryLines(args.in(0), order.axis);
  s.k = MemoryLines(args.out(), order.axis).length;
  s.element = static_cast<int64_t>(size_of(args.in(0).dtype));
  s.parts = context.pool->threads();
  s.row_scratch = s.functions->scratch(s.type, static_cast<size_t>(s.lines.length), static_cast<size_t>(s.k));
  s.part_scratch = s.row_scratch;
  s.dtype = args.in(0).dtype;
  s.selects = order.selection.has_value() && s.k > 0;
  s.selection = order.selection.value_or(Selection{});
  if (s.lines.inner > 1) {
    s.part_scratch += aligned(kTogether * s.lines.length * s.element) + aligned(s.k * s.element) +
                      aligned(s.k * static_cast<int64_t>(sizeof(int64_t)));
  }
  s.room = s.part_scratch;
  if (s.selects) s.part_scratch += aligned(s.lines.length * static_cast<int64_t>(sizeof(Ranked)));
  return prepared(s, s.part_scratch * static_cast<size_t>(s.parts));
}

template <class Op>
Prepared prepare(const void* op, const ArgFacts& args, PrepareContext& context) {
  return prepared_order(order_of(*static_cast<const Op*>(op)), args, context);
}

/// Makes a row that is sorted stably what Paddle has where elements are equal, or are not to be sorted.
void settle(const State& s, const char* x, int64_t step, char* values, int64_t* positions, int64_t result_step,
            bool tied, char* scratch) {
  if (!s.selects || (s.selection.sorted && (positions == nullptr || !tied))) return;
  visit_real(s.dtype, [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    select_row(reinterpret_cast<const T*>(x), step, s.lines.length, s.k, s.selection,
               reinterpret_cast<Ranked*>(scratch + s.room), reinterpret_cast<T*>(values), positions, result_step);
  });
}

void sort_row(const KernelCall& call, const State& s, const char* x, char* values, int64_t* positions, char* scratch) {
  bool tied = false;
  s.functions->row(s.type, s.descending, x, static_cast<size_t>(s.lines.length), static_cast<size_t>(s.k), values,
                   positions, s.selects ? &tied : nullptr, scratch, call.deadline());
  settle(s, x, 1, values, positions, 1, tied, scratch);
}

template <class T>
void spread(const void* from, void* to, int64_t count, int64_t step) {
  for (int64_t i = 0; i < count; ++i) static_cast<T*>(to)[i * step] = static_cast<const T*>(from)[i];
}

template <class T>
void bring_together(const void* x, int64_t length, int64_t step, int64_t rows, void* to) {
  for (int64_t i = 0; i < length; ++i) {
    for (int64_t r = 0; r < rows; ++r) {
      static_cast<T*>(to)[r * length + i] = static_cast<const T*>(x)[i * step + r];
    }
  }
}

/// Rows [first, first + rows) of image `image`, which are neighbours.
void sort_neighbours(const KernelCall& call, const State& s, const char* x, char* values, int64_t* positions,
                     int64_t first, int64_t rows, char* scratch) {
  char* row = scratch + s.row_scratch;
  char* sorted = row + aligned(kTogether * s.lines.length * s.element);
  auto* from = reinterpret_cast<int64_t*>(sorted + aligned(s.k * s.element));
  with_element(static_cast<size_t>(s.element), [&](auto element) {
    using T = decltype(element);
    bring_together<T>(x + first * s.element, s.lines.length, s.lines.inner, rows, row);
    for (int64_t r = 0; r < rows; ++r) {
      sort_row(call, s, row + r * s.lines.length * s.element, sorted, from, scratch);
      spread<T>(sorted, values + (first + r) * s.element, s.k, s.lines.inner);
      if (positions != nullptr) spread<int64_t>(from, positions + first + r, s.k, s.lines.inner);
    }
  });
}

void run(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  const char* x = call.in[0].as<const char>();
  char* values = call.out[0].as<char>();
  int64_t* positions = call.out.size() > 1 ? call.out[1].as<int64_t>() : nullptr;
  const int64_t together = s.lines.inner > 1 ? kTogether : 1;
  const bool side_by_side = sorts_columns(s.type, s.k);
  const int64_t groups = (s.lines.inner + together - 1) / together;  // of each image
  const int64_t all = s.lines.outer * groups;
  const int64_t grain = grain_of(s.lines.length * together * 4);
  const int64_t parts = std::clamp<int64_t>(all / grain, 1, s.parts);
  call.pool->parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) {
      char* scratch = static_cast<char*>(call.workspace) + static_cast<size_t>(part) * s.part_scratch;
      const int64_t stop = all * (part + 1) / parts;
      for (int64_t g = all * part / parts; g < stop && !call.over(); ++g) {
        const int64_t image = g / groups;
        const char* from = x + image * s.lines.length * s.lines.inner * s.element;
        const int64_t to = image * s.k * s.lines.inner;
        int64_t* positions_to = positions == nullptr ? nullptr : positions + to;
        if (s.lines.inner == 1) {
          sort_row(call, s, from, values + to * s.element, positions_to, scratch);
        } else {
          const int64_t first = g % groups * together;
          const int64_t rows = std::min(together, s.lines.inner - first);
          if (side_by_side) {
            bool tied[kSortColumns] = {};
            s.functions->columns(s.type, s.descending, from + first * s.element, static_cast<size_t>(s.lines.length),
                                 static_cast<size_t>(s.lines.inner), static_cast<size_t>(rows),
                                 static_cast<size_t>(s.k), values + (to + first) * s.element,
                                 positions_to == nullptr ? nullptr : positions_to + first, s.selects ? tied : nullptr,
                                 call.deadline());
            for (int64_t r = first; r < first + rows; ++r) {
              settle(s, from + r * s.element, s.lines.inner, values + (to + r) * s.element,
                     positions_to == nullptr ? nullptr : positions_to + r, s.lines.inner, tied[r - first], scratch);
            }
          } else {
            sort_neighbours(call, s, from, values + to * s.element, positions_to, first, rows, scratch);
          }
        }
      }
    }
  });
}

// ---- unique

struct UniqueState {
  const SortFunctions* functions = nullptr;
  NumberType type = NumberType::kInt64;
  int64_t count = 0;
  size_t element = 8;
  size_t scratch = 0;  ///< of SortFunctions; behind it lie the sorted elements, then their positions
};

RejectionReason fits_unique(const void* op, const ArgFacts& args) {
  const auto& unique = *static_cast<const Unique*>(op);
  if (!unique.axis.empty() || !unique.is_sorted) return "only elements, sorted";
  return fits(op, args);
}

Prepared prepare_unique(const void*, const ArgFacts& args, PrepareContext&) {
  UniqueState s;
  s.functions = &sort_table(kernel_isa(args.kernel()));
  s.type = *number_type(args.in(0).dtype);
  s.count = args.shape(0).count();
  s.element = size_of(args.in(0).dtype);
  const auto n = static_cast<size_t>(s.count);
  s.scratch = s.functions->scratch(s.type, n, n);
  return prepared(s, s.scratch + aligned(s.count * static_cast<int64_t>(s.element)) + n * sizeof(int64_t));
}

/// Result `port` of `count` indices, or null where it is not wanted or the call has failed.
template <class Index>
Index* index_result(KernelCall& call, int port, int64_t count) {
  const PortIndex ports(call.out_counts);
  if (ports.count(port) == 0 || call.failure != nullptr) return nullptr;
  const auto i = static_cast<size_t>(ports.at(port, 0));
  void* data = call.out[i].data;
  return static_cast<Index*>(data != nullptr ? data : call.results->make(call, i, Shape{count}));
}

/// f(i) for each i of [0, count), in order. False, with some left out, if the run is over.
template <class F>
bool each_of(const KernelCall& call, int64_t count, const F& f) {
  constexpr int64_t kLong = 1 << 18;
  for (int64_t begin = 0; begin < count; begin += kLong) {
    if (begin != 0 && call.over()) return false;
    for (int64_t i = begin, end = std::min(begin + kLong, count); i < end; ++i) f(i);
  }
  return true;
}

/// The distinct ones of `sorted`, whose places before were `positions`.
template <class T, class Index>
void take_distinct(KernelCall& call, const T* sorted, const int64_t* positions, int64_t count) {
  const auto begins = [&](int64_t i) { return i == 0 || sorted[i] != sorted[i - 1]; };
  int64_t distinct = 0;
  if (!each_of(call, count, [&](int64_t i) { distinct += begins(i) ? 1 : 0; })) return;
  T* values = static_cast<T*>(call.results->make(call, 0, Shape{distinct}));
  Index* first = index_result<Index>(call, 1, distinct);
  Index* inverse = index_result<Index>(call, 2, count);
  Index* counts = index_result<Index>(call, 3, distinct);
  if (call.failure != nullptr) return;
  int64_t group = -1;
  each_of(call, count, [&](int64_t i) {
    if (begins(i)) {
      values[++group] = sorted[i];
      if (first != nullptr) first[group] = static_cast<Index>(positions[i]);
      if (counts != nullptr) counts[group] = 0;
    }
    if (inverse != nullptr) inverse[positions[i]] = static_cast<Index>(group);
    if (counts != nullptr) ++counts[group];
  });
}

template <class T>
void unique_of(KernelCall& call, const UniqueState& s) {
  char* scratch = static_cast<char*>(call.workspace);
  T* sorted = reinterpret_cast<T*>(scratch + s.scratch);
  auto* positions =
      reinterpret_cast<int64_t*>(scratch + s.scratch + aligned(s.count * static_cast<int64_t>(sizeof(T))));
  const auto n = static_cast<size_t>(s.count);
  s.functions->row(s.type, false, call.in[0].data, n, n, sorted, positions, nullptr, scratch, call.deadline());
  if (call.over()) return;  // positions may be anything
  if (index_dtype(call.attributes<Unique>().dtype) == DType::kInt32) {
    take_distinct<T, int32_t>(call, sorted, positions, s.count);
  } else {
    take_distinct<T, int64_t>(call, sorted, positions, s.count);
  }
}

void run_unique(KernelCall& call) noexcept {
  const auto& s = state_of<UniqueState>(call);
  switch (s.type) {
    case NumberType::kFloat32: return unique_of<float>(call, s);
    case NumberType::kFloat64: return unique_of<double>(call, s);
    default: return with_element(s.element, [&](auto element) { unique_of<decltype(element)>(call, s); });
  }
}

template <class Op, Isa kIsa>
constexpr KernelDef make_kernel() {
  return {.name = kernel_name<Op, kIsa>(),
          .op = &kOpSchema<Op>,
          .capability = kIsa,
          .types = kSortTypes,
          .fits = fits,
          .prepare = prepare<Op>,
          .run = run};
}

template <Isa kIsa>
struct IsaKernels {
  static constexpr std::array<KernelDef, 4> kKernels = {make_kernel<Topk, kIsa>(), make_kernel<TopkV1, kIsa>(),
                                                        make_kernel<Argsort, kIsa>(),
                                                        KernelDef{.name = kernel_name<Unique, kIsa>(),
                                                                  .op = &kOpSchema<Unique>,
                                                                  .capability = kIsa,
                                                                  .types = kUniqueTypes,
                                                                  .sized = true,
                                                                  .fits = fits_unique,
                                                                  .prepare = prepare_unique,
                                                                  .run = run_unique}};
};

constexpr auto kKernels = kernels_of_each_isa<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::sort
