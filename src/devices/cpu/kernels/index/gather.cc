// SPDX-License-Identifier: Apache-2.0
#include "ops/index/gather.h"

#include <limits>

#include "devices/cpu/isa/copy.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/kernels/kernel_table.h"
#include "ops/common/indices.h"
#include "ops/index/embedding.h"
#include "ops/index/index_select.h"
#include "ops/index/lookup_table.h"

/// Slices of a tensor picked by ids. The ids are checked first, then rows of bytes are copied.
namespace coracle::internal::cpu::kernels::gather {
namespace {

struct State {
  const CopyFunctions* functions = nullptr;
  MemoryLines lines;  ///< of the table along the picked dimension
  int table = 0;      ///< positions of the operands
  int ids = 1;
  int64_t count = 0;  ///< ids
  int64_t row_bytes = 0;
  bool padded = false;  ///< rows of zeros for zero_id, which need not be in the table
  int64_t zero_id = std::numeric_limits<int64_t>::min();
  bool from_the_end = false;  ///< negative ids count from the end
};

/// Rows of any type; the ids at port 1, of `embedding` at port 0.
constexpr TypeRule kGatherTypes = {.operands = DTypes::all(), .results = DTypes::all(), .in = {{{1, kIndexTypes}}}};
constexpr TypeRule kEmbeddingTypes = {.operands = DTypes::all(), .results = DTypes::all(), .in = {{{0, kIndexTypes}}}};

RejectionReason fits_gather(const void*, const ArgFacts& args) {
  return known_number(args, 2, 0) ? nullptr : "the axis is not constant";
}

State state_along(const ArgFacts& args, int64_t axis) {
  State s;
  s.functions = &copy_table(kernel_isa(args.kernel()));
  s.lines = MemoryLines(args.in(0), axis);
  s.count = args.shape(1).count();
  s.row_bytes = s.lines.inner * static_cast<int64_t>(size_of(args.in(0).dtype));
  s.from_the_end = true;
  return s;
}

Prepared with_workspace(const State& s) { return prepared(s, static_cast<size_t>(s.count) * sizeof(int64_t)); }

Prepared prepare_gather(const void*, const ArgFacts& args, PrepareContext&) {
  return with_workspace(state_along(args, static_cast<int64_t>(*known_number(args, 2, 0))));
}

Prepared prepare_index_select(const void* op, const ArgFacts& args, PrepareContext&) {
  return with_workspace(state_along(args, static_cast<const IndexSelect*>(op)->axis));
}

Prepared prepared_embedding(const ArgFacts& args, int64_t padding) {
  State s;
  s.functions = &copy_table(kernel_isa(args.kernel()));
  s.lines = MemoryLines(args.in(1), 0);
  s.table = 1;
  s.ids = 0;
  s.count = args.shape(0).count();
  s.row_bytes = s.lines.inner * static_cast<int64_t>(size_of(args.in(1).dtype));
  s.padded = padding != kNoPadding;
  if (s.padded) s.zero_id = padding;
  return with_workspace(s);
}

template <class Op>
Prepared prepare_embedding(const void* op, const ArgFacts& args, PrepareContext&) {
  return prepared_embedding(args, static_cast<const Op*>(op)->padding_idx);
}

/// Copies the ids, counted from the front. Gives the position of the first that is out of range, else -1.
template <class T>
int64_t copy_ids(const State& s, const T* ids, int64_t* to) {
  const int64_t bound = s.lines.length;
  for (int64_t i = 0; i < s.count; ++i) {
    int64_t id = static_cast<int64_t>(ids[i]);
    if (id < 0 && s.from_the_end) id += bound;
    if ((id < 0 || id >= bound) && !(s.padded && id == s.zero_id)) return i;
    to[i] = id;
  }
  return -1;
}

void fail_at(KernelCall& call, const State& s, int64_t element, int64_t id) noexcept {
  call.fail("an index is out of range", [&] {
    const char* operand = call.schema->inputs[static_cast<size_t>(s.ids)].label();
    return out_of_range_text(id, operand, element, s.from_the_end ? -s.lines.length : 0, s.lines.length - 1);
  });
}

void run(KernelCall& call) noexcept {
  const State& s = state_of<State>(call);
  const TensorView& from = call.in[static_cast<size_t>(s.ids)];
  auto* ids = static_cast<int64_t*>(call.workspace);
  const bool narrow = from.fact->dtype == DType::kInt32;
  const int64_t wrong =
      narrow ? copy_ids(s, from.as<const int32_t>(), ids) : copy_ids(s, from.as<const int64_t>(), ids);
  if (wrong >= 0) {
    return fail_at(call, s, wrong, narrow ? from.as<const int32_t>()[wrong] : from.as<const int64_t>()[wrong]);
  }
  if (s.row_bytes == 0 || s.count == 0) return;
  const char* table = call.in[static_cast<size_t>(s.table)].as<const char>();
  char* y = call.out[0].as<char>();
  call.pool->parallel_for(s.lines.outer * s.count, grain_of(s.row_bytes / 4), [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t image = begin / s.count;
      const int64_t first = begin - image * s.count;
      const int64_t count = end - begin < s.count - first ? end - begin : s.count - first;
      const GatherRows rows{.table = table + image * s.lines.length * s.row_bytes,
                            .table_rows = s.lines.length,
                            .row_bytes = static_cast<size_t>(s.row_bytes),
                            .zero_id = s.zero_id,
                            .y = y + begin * s.row_bytes};
      s.functions->gather_int64(rows, ids + first, count);
      begin += count;
    }
  });
}

template <class Op, Isa kIsa>
constexpr KernelDef make_kernel(const TypeRule& types, decltype(KernelDef::fits) fits,
                                decltype(KernelDef::prepare) prepare) {
  return {.name = kernel_name<Op, kIsa>(),
          .op = &kOpSchema<Op>,
          .capability = kIsa,
          .types = types,
          .fits = fits,
          .prepare = prepare,
          .run = run};
}

template <Isa kIsa>
struct IsaKernels {
  static constexpr std::array<KernelDef, 4> kKernels = {
      make_kernel<Gather, kIsa>(kGatherTypes, fits_gather, prepare_gather),
      make_kernel<IndexSelect, kIsa>(kGatherTypes, nullptr, prepare_index_select),
      make_kernel<Embedding, kIsa>(kEmbeddingTypes, nullptr, prepare_embedding<Embedding>),
      make_kernel<LookupTable, kIsa>(kEmbeddingTypes, nullptr, prepare_embedding<LookupTable>),
  };
};

constexpr auto kKernels = kernels_of_each_isa<IsaKernels>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = kernel_table<kKernels>();

}  // namespace coracle::internal::cpu::kernels::gather
