// SPDX-License-Identifier: Apache-2.0
#include "ops/movement/concat.h"

#include <algorithm>
#include <vector>

#include "base/copy_bytes.h"
#include "devices/cpu/kernels/kernel_table.h"
#include "ops/movement/split.h"
#include "ops/movement/split_with_num.h"
#include "ops/movement/stack.h"
#include "ops/movement/unbind.h"
#include "ops/movement/unstack.h"

/// Joining tensors along an axis and taking them apart: rows of a whole, made up of one block of bytes for each part.
namespace coracle::internal::cpu::kernels::concat {
namespace {

/// Bytes that are worth a thread of their own.
constexpr int64_t kGrainBytes = 128 << 10;
/// Bytes of whole rows that are copied part by part.
constexpr int64_t kBlockBytes = 16 << 10;

struct Part {
  int tensor = 0;         ///< position among the operands (joining) or results
  int64_t offset = 0;     ///< bytes, in a row of the whole
  int64_t bytes = 0;      ///< of a row of the part
  int64_t start = 0;      ///< bytes before its first row
  int64_t row_bytes = 0;  ///< from row to row; more than `bytes` where the part lies in a larger tensor
};

struct State {
  int64_t rows = 0;
  int64_t row_bytes = 0;
  std::vector<Part> parts;  ///< without empty ones
};

/// Bytes [begin, end) of each of the rows [first, last) between the whole and one part.
template <bool kJoin>
void copy_block(const Part& part, int64_t row_bytes, char* whole, char* piece, int64_t first, int64_t last,
                int64_t begin, int64_t end) {
  const auto bytes = static_cast<size_t>(end - begin);
  char* w = whole + first * row_bytes + part.offset + begin;
  char* p = piece + part.start + first * part.row_bytes + begin;
  for (int64_t r = first; r < last; ++r, w += row_bytes, p += part.row_bytes) {
    if constexpr (kJoin) {
      copy_bytes(w, p, bytes);
    } else {
      copy_bytes(p, w, bytes);
    }
  }
}

template <bool kJoin>
void run(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  const int64_t total = s.rows * s.row_bytes;
  if (total == 0) return;
  char* whole = kJoin ? call.out[0].as<char>() : call.in[0].as<char>();
  const std::span<const TensorView> pieces = kJoin ? call.in : call.out;
  // Parts that were written where they belong.
  const auto in_place = [&](const Part& part) {
    return pieces[static_cast<size_t>(part.tensor)].as<char>() + part.start == whole + part.offset &&
           part.row_bytes == s.row_bytes;
  };
  if (kJoin && std::all_of(s.parts.begin(), s.parts.end(), in_place)) return;
  // The bytes [from, to) of one row.
  const auto within = [&](int64_t row, int64_t from, int64_t to) {
    for (const Part& part : s.parts) {
      const int64_t begin = from > part.offset ? from - part.offset : 0;
      const int64_t end = to - part.offset < part.bytes ? to - part.offset : part.bytes;
      if (begin >= end || in_place(part)) continue;
      copy_block<kJoin>(part, s.row_bytes, whole, pieces[static_cast<size_t>(part.tensor)].as<char>(), row, row + 1,
                        begin, end);
    }
  };
  call.pool->parallel_for(total, kGrainBytes, [&](int64_t begin, int64_t end) {
    int64_t first = begin / s.row_bytes;
    const int64_t last = end / s.row_bytes;
    const int64_t head = begin - first * s.row_bytes;
    if (head != 0) {
      within(first, head, first == last ? end - first * s.row_bytes : s.row_bytes);
      if (first == last) return;
      ++first;
    }
    // Some rows of all parts before the next: short rows share cache lines of the whole.
    const int64_t block = s.row_bytes >= kBlockBytes ? 1 : kBlockBytes / s.row_bytes;
    for (; first < last; first += block) {
      const int64_t stop = last - first < block ? last : first + block;
      for (const Part& part : s.parts) {
        if (in_place(part)) continue;
        copy_block<kJoin>(part, s.row_bytes, whole, pieces[static_cast<size_t>(part.tensor)].as<char>(), first, stop, 0,
                          part.bytes);
      }
    }
    const int64_t tail = end - last * s.row_bytes;
    if (tail != 0) within(last, 0, tail);
  });
}

void add_part(State& s, int tensor, int64_t bytes) {
  if (bytes != 0) s.parts.push_back({tensor, s.row_bytes, bytes, 0, bytes});
  s.row_bytes += bytes;
}

Prepared finish(State s) {
  const size_t extra = s.parts.size() * sizeof(Part);
  return prepared(std::move(s), 0, extra);
}

int64_t axis_of(const ArgFacts& args, int port) { return static_cast<int64_t>(*known_number(args, port, 0)); }

/// The elements of a part from the axis on are one block; this is how those blocks follow each other, in elements.
struct BlockLine {
  int64_t start = 0;
  int64_t stride = 0;
};

/// Nothing if a part does not lie so.
std::optional<BlockLine> block_line(const Fact& fact, const StridedView& view, int64_t axis) {
  const MemoryOrder order(fact);
  const int place = order.place[normalize_axis(axis, order.rank)];
  int64_t block = 1;
  for (int p = order.rank - 1; p >= place; --p) {
    if (order.dims[p] > 1 && view.step[order.logical[p]] != block) return std::nullopt;
    block *= order.dims[p];
  }
  BlockLine line{view.start, block};
  int64_t rows = 1;
  for (int p = place - 1; p >= 0; --p) {
    if (order.dims[p] == 1) continue;
    const int64_t step = view.step[order.logical[p]];
    if (rows == 1) line.stride = step;
    if (step != rows * line.stride) return std::nullopt;
    rows *= order.dims[p];
  }
  return line;
}

RejectionReason fits_concat(const void*, const ArgFacts& args) {
  if (!known_number(args, 1, 0)) return "the axis is not constant";
  if (args.view_out() != nullptr) return "the result is strided";
  for (int i = 0; i < args.count(0); ++i) {
    const StridedView* view = args.view_in(0, i);
    if (view != nullptr && !block_line(args.in(0, i), *view, axis_of(args, 1))) return "a part lies in pieces";
  }
  return nullptr;
}

Prepared prepare_concat(const void*, const ArgFacts& args, PrepareContext&) {
  const MemoryLines whole(args.out(), axis_of(args, 1));
  State s;
  s.rows = whole.outer;
  const auto element = static_cast<int64_t>(size_of(args.out().dtype));
  for (int i = 0; i < args.count(0); ++i) {
    const MemoryLines part(args.in(0, i), args.shape(0, i).is_scalar() ? 0 : axis_of(args, 1));
    add_part(s, i, part.length * whole.inner * element);
    if (const StridedView* view = args.view_in(0, i); view != nullptr && part.length * whole.inner > 0) {
      const BlockLine line = *block_line(args.in(0, i), *view, axis_of(args, 1));
      s.parts.back().start = line.start * element;
      s.parts.back().row_bytes = line.stride * element;
    }
  }
  return finish(std::move(s));
}

Prepared prepare_stack(const void* op, const ArgFacts& args, PrepareContext&) {
  const MemoryLines whole(args.out(), static_cast<const Stack*>(op)->axis);
  State s;
  s.rows = whole.outer;
  for (int i = 0; i < args.count(0); ++i) {
    add_part(s, i, whole.inner * static_cast<int64_t>(size_of(args.out().dtype)));
  }
  return finish(std::move(s));
}

template <class Op>
constexpr int kAxisPort = std::is_same_v<Op, Split> ? 2 : 1;

template <class Op>
RejectionReason fits_split(const void*, const ArgFacts& args) {
  return known_number(args, kAxisPort<Op>, 0) ? nullptr : "the axis is not constant";
}

template <class Op>
Prepared prepare_split(const void*, const ArgFacts& args, PrepareContext&) {
  const int64_t axis = axis_of(args, kAxisPort<Op>);
  const MemoryLines whole(args.in(0), axis);
  State s;
  s.rows = whole.outer;
  const auto element = static_cast<int64_t>(size_of(args.in(0).dtype));
  for (int i = 0; i < args.out_count(0); ++i) {
    add_part(s, i, MemoryLines(args.out(0, i), axis).length * whole.inner * element);
  }
  return finish(std::move(s));
}

template <class Op>
Prepared prepare_slices(const void* op, const ArgFacts& args, PrepareContext&) {
  const MemoryLines whole(args.in(0), static_cast<const Op*>(op)->axis);
  State s;
  s.rows = whole.outer;
  for (int i = 0; i < args.out_count(0); ++i) {
    add_part(s, i, whole.inner * static_cast<int64_t>(size_of(args.in(0).dtype)));
  }
  return finish(std::move(s));
}

template <class Op>
constexpr KernelDef make_kernel(LayoutRule layout, decltype(KernelDef::fits) fits, decltype(KernelDef::prepare) prepare,
                                decltype(KernelDef::run) run, bool strided = false) {
  return {.name = kernel_name<Op, Isa::kAny>(),
          .op = &kOpSchema<Op>,
          .layout = layout,
          .types = kAnyTypeRule,
          .strided = strided,
          .fits = fits,
          .prepare = prepare,
          .run = run};
}

constexpr KernelDef kKernels[] = {
    make_kernel<Concat>(LayoutRule::kSame, fits_concat, prepare_concat, run<true>, true),
    make_kernel<Stack>(LayoutRule::kRowMajor, nullptr, prepare_stack, run<true>),
    make_kernel<Split>(LayoutRule::kSame, fits_split<Split>, prepare_split<Split>, run<false>),
    make_kernel<SplitWithNum>(LayoutRule::kSame, fits_split<SplitWithNum>, prepare_split<SplitWithNum>, run<false>),
    make_kernel<Unstack>(LayoutRule::kRowMajor, nullptr, prepare_slices<Unstack>, run<false>),
    make_kernel<Unbind>(LayoutRule::kRowMajor, nullptr, prepare_slices<Unbind>, run<false>),
};

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::concat
