// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "base/buffer.h"
#include "base/convert.h"
#include "base/copy_bytes.h"
#include "devices/cpu/kernels/elementwise/numbers.h"
#include "ops/creation/meshgrid.h"
#include "ops/movement/pad3d.h"
#include "ops/movement/tril.h"
#include "ops/movement/triu.h"

/// Operators that copy rows, or parts of them, and fill the rest.
namespace coracle::internal::cpu::kernels::rearrange {
namespace {

// Copies of what is there already take fewer instructions than stores of single elements.
template <class T>
void fill_row(T* to, int64_t count, T value) {
  int64_t filled = std::min<int64_t>(count, 32);
  std::fill(to, to + filled, value);
  while (filled < count) {
    const int64_t size = std::min(filled, count - filled);
    std::copy(to, to + size, to + filled);
    filled += size;
  }
}

// ---- meshgrid

void run_meshgrid(KernelCall& call) noexcept {
  for (size_t r = 0; r < call.out.size(); ++r) {
    const Shape& shape = call.out[r].fact->shape;
    const int axis = static_cast<int>(r);
    const int64_t length = shape[axis];
    const int64_t inner = shape.count(axis + 1, shape.rank());
    with_element(size_of(call.in[r].fact->dtype), [&](auto element) {
      using T = decltype(element);
      const T* x = call.in[r].as<const T>();
      T* y = call.out[r].as<T>();
      call.pool->parallel_for(shape.count(0, axis + 1), grain_of(inner), [&](int64_t begin, int64_t end) {
        if (inner == 1) {
          for (int64_t i = begin; i < end;) {
            const int64_t size = std::min(length - i % length, end - i);
            std::copy(x + i % length, x + i % length + size, y + i);
            i += size;
          }
          return;
        }
        for (int64_t i = begin; i < end; ++i) fill_row(y + i * inner, inner, x[i % length]);
      });
    });
  }
}

// ---- triangles

struct TriangleState {
  int64_t rows = 0;  ///< of one matrix
  int64_t columns = 0;
  int64_t all_rows = 0;
  int64_t diagonal = 0;
  size_t element = 4;
};

template <class Op>
Prepared prepare_triangle(const void* op, const ArgFacts& args, PrepareContext&) {
  const Shape& x = args.shape(0);
  TriangleState s;
  s.rows = x[x.rank() - 2];
  s.columns = x[x.rank() - 1];
  s.all_rows = x.count(0, x.rank() - 1);
  s.diagonal = static_cast<const Op*>(op)->diagonal;
  s.element = size_of(args.in(0).dtype);
  return in_place(prepared(s));
}

template <bool kLower>
void run_triangle(KernelCall& call) noexcept {
  const auto& s = state_of<TriangleState>(call);
  const char* x = call.in[0].as<const char>();
  char* y = call.out[0].as<char>();
  call.pool->parallel_for(s.all_rows, grain_of(s.columns), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      // Columns up to the diagonal, included below it and left out above it.
      const int64_t split = std::clamp<int64_t>(r % s.rows + s.diagonal + (kLower ? 1 : 0), 0, s.columns);
      const int64_t first = kLower ? 0 : split;
      const int64_t last = kLower ? split : s.columns;
      const auto at = [&](int64_t column) { return static_cast<size_t>(r * s.columns + column) * s.element; };
      if (x != y && last > first) copy_bytes(y + at(first), x + at(first), at(last) - at(first));
      if (kLower && split < s.columns) std::memset(y + at(split), 0, at(s.columns) - at(split));
      if (!kLower && split > 0) std::memset(y + at(0), 0, at(split) - at(0));
    }
  });
}

// ---- pad3d

/// The result as rows along its last dimension; each comes from a row of the operand or is filled.
struct PadState {
  explicit PadState(const RunContext& run) : row(run), left(run), right(run) {}

  size_t element = 4;
  int64_t width = 0;       ///< of the result
  int64_t from_width = 0;  ///< of the operand
  int64_t before = 0;      ///< of the last dimension
  Buffer<int64_t> row;     ///< of the operand for each row of the result, -1 for none
  Buffer<int64_t> left;    ///< column of the operand for each of the columns before it, -1 for none
  Buffer<int64_t> right;   ///< and behind it
  uint64_t fill = 0;       ///< the bytes of an element
};

constexpr int64_t kNone = -1;

int64_t pad_source(int64_t i, int64_t n, PadMode mode) {
  if (i >= 0 && i < n) return i;
  if (mode == PadMode::kReflect) return i < 0 ? -i : 2 * n - i - 2;
  if (mode == PadMode::kReplicate) return i < 0 ? 0 : n - 1;
  if (mode == PadMode::kCircular) return (i % n + n) % n;
  return kNone;
}

RejectionReason fits_pad3d(const void* op, const ArgFacts& args) {
  if (args.has(1) && known_value(args, 1) == nullptr) return "the paddings are not constant";
  const Ints paddings = args.has(1) ? known_value(args, 1)->integers() : Ints(6, 0);
  if (std::any_of(paddings.begin(), paddings.end(), [](int64_t p) { return p < 0; })) return "something is cut off";
  return args.out().shape.count() > 0 && static_cast<const Pad3d*>(op)->data_format.back() != 'C'
             ? nullptr
             : "nothing to write, or channels are last";
}

Prepared prepare_pad3d(const void* attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const Pad3d*>(attributes);
  const Ints paddings = args.has(1) ? known_value(args, 1)->integers() : Ints(6, 0);
  const std::vector<PadAmount> amounts = pad_amounts(op, paddings);
  const PadMode mode = pad_mode_of(op.mode);
  const Shape& x = args.shape(0);
  const Shape& y = args.out().shape;
  PadState s(*context.run);
  s.element = size_of(args.in(0).dtype);
  s.width = y[4];
  s.from_width = x[4];
  s.before = amounts[4].before;
  int64_t at[4] = {};
  for (int64_t r = 0, rows = y.count(0, 4); r < rows; ++r) {
    int64_t row = 0;
    for (size_t d = 0; d < 4; ++d) {
      const int dimension = static_cast<int>(d);
      const int64_t from = pad_source(at[d] - amounts[d].before, x[dimension], mode);
      row = from == kNone || row == kNone ? kNone : row * x[dimension] + from;
    }
    s.row.push_back(row);
    for (int d = 3; d >= 0; --d) {
      if (++at[d] < y[d]) break;
      at[d] = 0;
    }
  }
  for (int64_t i = 0; i < s.before; ++i) s.left.push_back(pad_source(i - s.before, s.from_width, mode));
  for (int64_t i = s.before + s.from_width; i < s.width; ++i) {
    s.right.push_back(pad_source(i - s.before, s.from_width, mode));
  }
  visit_real(args.in(0).dtype, [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const T value = convert<T>(op.pad_value);
    std::memcpy(&s.fill, &value, sizeof(T));
  });
  const size_t extra = (s.row.size() + s.left.size() + s.right.size()) * sizeof(int64_t);
  return prepared(std::move(s), 0, extra);
}

void run_pad3d(KernelCall& call) noexcept {
  const auto& s = state_of<PadState>(call);
  with_element(s.element, [&](auto element) {
    using T = decltype(element);
    const T* x = call.in[0].as<const T>();
    T* y = call.out[0].as<T>();
    const T fill = static_cast<T>(s.fill);
    call.pool->parallel_for(static_cast<int64_t>(s.row.size()), grain_of(s.width), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        T* to = y + r * s.width;
        const int64_t row = s.row[static_cast<size_t>(r)];
        if (row == kNone) {
          fill_row(to, s.width, fill);
          continue;
        }
        const T* from = x + row * s.from_width;
        for (const int64_t column : s.left) *to++ = column == kNone ? fill : from[column];
        to = std::copy(from, from + s.from_width, to);
        for (const int64_t column : s.right) *to++ = column == kNone ? fill : from[column];
      }
    });
  });
}

template <class Op>
constexpr KernelDef make_kernel(decltype(KernelDef::fits) fits, decltype(KernelDef::prepare) prepare,
                                decltype(KernelDef::run) run) {
  return {.name = kernel_name<Op, Isa::kAny>(),
          .op = &kOpSchema<Op>,
          .types = kRealRule,
          .fits = fits,
          .prepare = prepare,
          .run = run};
}

constexpr std::array<KernelDef, 4> kKernels = {
    make_kernel<Meshgrid>(nullptr, nullptr, run_meshgrid),
    make_kernel<Tril>(nullptr, prepare_triangle<Tril>, run_triangle<true>),
    make_kernel<Triu>(nullptr, prepare_triangle<Triu>, run_triangle<false>),
    make_kernel<Pad3d>(fits_pad3d, prepare_pad3d, run_pad3d),
};

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::rearrange
