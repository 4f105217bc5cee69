// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/stages/row_tiles.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/size.h"
#include "plan/steps.h"

namespace coracle::internal::cpu {
namespace {

/// Tensors from this size on do not stay in the level-2 cache until they are used.
constexpr size_t kLargeBytes = size_t{1536} << 10U;
/// What a thread's tiles of all tensors in between may take of it.
constexpr size_t kBufferBytes = size_t{512} << 10U;
/// Rows of the last result that are made at once, at most.
constexpr int64_t kMostRows = 16;
/// Other operands of a step that are constants, its weights above all: read anew for every tile, they should stay
/// near.
constexpr size_t kConstantBytes = size_t{96} << 10U;
constexpr size_t kMostOperands = 12;
constexpr size_t kMostParts = 16;

struct Rows {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t count() const { return end - begin; }
};

/// One of the steps, and the tile that holds what it makes.
struct TiledPart {
  const KernelDef* kernel = nullptr;
  Op op;
  Prepared prepared;
  PortCounts in_counts;
  PortCounts out_counts;
  std::vector<Fact> facts;   ///< of the operands, then of the result
  size_t first_operand = 0;  ///< of those of the joined step; the first part's operand 0 is among them, others' are not
  int64_t rows = 0;          ///< of an image of the result
  size_t row_bytes = 0;
  size_t offset = 0;  ///< of the tile in a thread's scratch

  const RowWindow& window() const { return *prepared.rows; }
  /// Rows of the operand for rows of the result.
  Rows reads(Rows made, int64_t operand_rows) const {
    if (made.count() <= 0) return {made.begin, made.begin};
    const int64_t begin = made.begin * window().stride - window().before;
    const int64_t end = (made.end - 1) * window().stride - window().before + window().extent;
    const int64_t first = std::clamp<int64_t>(begin, 0, operand_rows);
    return {first, std::clamp<int64_t>(end, first, operand_rows)};
  }
};

struct RowTileState {
  std::vector<TiledPart> parts;
  int64_t images = 1;
  int64_t strip_rows = 1;   ///< of the last result
  size_t buffer_bytes = 0;  ///< of one thread
  int bands = 1;
};

/// Runs rows of the last result on one thread.
class Band {
 public:
  Band(const RowTileState& state, const KernelCall& joined, std::byte* buffer)
      : state_(state), joined_(joined), buffer_(buffer) {}

  /// Rows [begin, end) of an image.
  void run(int64_t image, int64_t begin, int64_t end) {
    const size_t count = state_.parts.size();
    image_ = image;
    held_.fill({});
    for (int64_t y = begin; y < end && !joined_.over(); y += state_.strip_rows) {
      // From the last part to the first: the rows that are missing. What is held stays needed only from `keep` on.
      std::array<Rows, kMostParts> made;
      std::array<int64_t, kMostParts> keep{};
      made[count - 1] = {y, std::min(y + state_.strip_rows, end)};
      for (size_t p = count - 1; p-- > 0;) {
        const Rows needed = state_.parts[p + 1].reads(made[p + 1], state_.parts[p].rows);
        keep[p] = needed.begin;
        made[p] = {std::max(needed.begin, held_[p].end), needed.end};
      }
      for (size_t p = 0; p < count; ++p) {
        if (p + 1 < count) hold(p, keep[p], made[p]);
        if (made[p].count() > 0) run_part(p, made[p]);
      }
    }
  }

 private:
  /// Makes room for new rows: those from `keep` on move to the tile's beginning.
  void hold(size_t p, int64_t keep, Rows made) {
    if (made.count() <= 0) return;
    const TiledPart& part = state_.parts[p];
    Rows& held = held_[p];
    if (keep >= held.end) {
      held = {made.begin, made.end};
      return;
    }
    std::byte* tile = buffer_ + part.offset;
    if (keep > held.begin) {
      std::memmove(tile, tile + static_cast<size_t>(keep - held.begin) * part.row_bytes,
                   static_cast<size_t>(held.end - keep) * part.row_bytes);
    }
    held = {keep, made.end};
  }

  /// Where row 0 of image 0 would lie if the whole tensor were there: kernels count rows from there.
  void* origin(size_t p) const {
    const TiledPart& part = state_.parts[p];
    const auto before = static_cast<uintptr_t>(image_ * part.rows + held_[p].begin) * part.row_bytes;
    return reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(buffer_ + part.offset) - before);
  }

  void run_part(size_t p, Rows made) const {
    const TiledPart& part = state_.parts[p];
    std::array<TensorView, kMostOperands> in;
    const size_t operands = part.facts.size() - 1;
    for (size_t i = 0; i < operands; ++i) {
      const bool tile = p > 0 && i == 0;
      in[i] = {.data = tile ? origin(p - 1) : joined_.in[part.first_operand + i - (p > 0 ? 1 : 0)].data,
               .fact = &part.facts[i]};
    }
    const bool last = p + 1 == state_.parts.size();
    const TensorView out{.data = last ? joined_.out[0].data : origin(p), .fact = &part.facts[operands]};
    KernelCall call;
    call.schema = &part.op.schema();
    call.kernel = part.kernel;
    call.op = part.op.attributes();
    call.in = {in.data(), operands};
    call.out = {&out, 1};
    call.in_counts = part.in_counts;
    call.out_counts = part.out_counts;
    call.weights = part.prepared.weights.get();
    call.context = joined_.context;
    call.state = part.prepared.state.get();
    part.kernel->run_rows(call, image_ * part.rows + made.begin, image_ * part.rows + made.end);
  }

  const RowTileState& state_;
  const KernelCall& joined_;
  std::byte* buffer_;
  int64_t image_ = 0;
  std::array<Rows, kMostParts> held_{};
};

void run(KernelCall& call) noexcept {
  const RowTileState& state = *static_cast<const RowTileState*>(call.state);
  const int64_t rows = state.parts.back().rows;
  const int64_t all = state.images * rows;
  call.pool->parallel_for(state.bands, 1, [&](int64_t first, int64_t last) {
    for (int64_t b = first; b < last; ++b) {
      Band band(state, call, static_cast<std::byte*>(call.workspace) + static_cast<size_t>(b) * state.buffer_bytes);
      const int64_t end = all * (b + 1) / state.bands;
      for (int64_t at = all * b / state.bands; at < end;) {
        const int64_t image = at / rows;
        const int64_t stop = std::min(end, (image + 1) * rows);
        band.run(image, at - image * rows, stop - image * rows);
        at = stop;
      }
    }
  });
}

constexpr KernelDef kRowTilesKernel = {.name = kRowTiles.name, .op = nullptr, .types = kAnyTypeRule, .run = run};

bool runs_by_rows(const Steps& steps, const Step& step) {
  size_t constants = 0;
  for (int l : step.in) {
    const Fact& fact = steps.buffers[static_cast<size_t>(l)].fact;
    if (fact.value != nullptr) constants += fact.bytes();
  }
  return step.place.is_host() && constants <= kConstantBytes && step.kernel->run_rows != nullptr &&
         step.prepared.rows.has_value() && step.prepared.workspace == 0 && step.out.size() == 1 &&
         step.in.size() <= kMostOperands;
}

size_t row_bytes(const Fact& fact) { return static_cast<size_t>(fact.shape[1] * fact.shape[3]) * size_of(fact.dtype); }

class Joiner {
 public:
  Joiner(Steps& steps, int threads) : steps_(steps), threads_(threads), uses_(steps.buffers.size(), 0) {
    for (const Step& step : steps.steps) {
      for (int l : step.in) ++uses_[static_cast<size_t>(l)];
    }
    for (const LiveOut& out : steps.live_out) ++uses_[static_cast<size_t>(out.buffer)];
    for (const SegmentBuffer& buffer : steps.buffers) {
      if (buffer.alias_of >= 0) ++uses_[static_cast<size_t>(buffer.alias_of)];
    }
  }

  void join() {
    std::vector<Step> joined;
    size_t at = 0;
    while (at < steps_.steps.size()) {
      const size_t end = chain_end(at);
      if (end - at > 1) {
        joined.push_back(join(at, end));
      } else {
        joined.push_back(std::move(steps_.steps[at]));
      }
      at = std::max(end, at + 1);
    }
    steps_.steps = std::move(joined);
  }

 private:
  const Step& step(size_t s) const { return steps_.steps[s]; }
  const Fact& result(size_t s) const { return steps_.buffers[static_cast<size_t>(step(s).out[0])].fact; }

  /// Whether what step s makes is large, and for the next step alone.
  bool linked(size_t s) const {
    if (s + 1 >= steps_.steps.size() || !runs_by_rows(steps_, step(s)) || !runs_by_rows(steps_, step(s + 1)))
      return false;
    const int made = step(s).out[0];
    const SegmentBuffer& buffer = steps_.buffers[static_cast<size_t>(made)];
    return step(s + 1).in[0] == made && uses_[static_cast<size_t>(made)] == 1 && buffer.alias_of < 0 &&
           buffer.slot.kind == Slot::Kind::kArena && buffer.fact.bytes() >= kLargeBytes;
  }

  /// Bytes of the tiles between steps [begin, end) if so many rows of the last result are made at once.
  size_t strip_bytes(size_t begin, size_t end, int64_t rows) const {
    size_t bytes = 0;
    for (size_t s = end - 1; s-- > begin;) {
      rows = strip_rows(s, rows);
      bytes += static_cast<size_t>(rows) * row_bytes(result(s));
    }
    return bytes;
  }

  /// Rows of the result of step s that its tile holds, for so many rows of the next step's.
  int64_t strip_rows(size_t s, int64_t rows) const {
    const RowWindow& w = *step(s + 1).prepared.rows;
    return std::min((rows - 1) * w.stride + w.extent, result(s).shape[2]);
  }

  size_t chain_end(size_t begin) const {
    size_t end = begin + 1;
    while (end - begin < kMostParts && linked(end - 1) && strip_bytes(begin, end + 1, 1) <= kBufferBytes) ++end;
    return end;
  }

  Step join(size_t begin, size_t end) {
    auto state = std::make_shared<RowTileState>();
    const Shape& y = result(end - 1).shape;
    state->images = y[0];
    state->bands = static_cast<int>(std::min<int64_t>(threads_, y[0] * y[2]));
    int64_t rows = std::clamp<int64_t>(y[0] * y[2] / state->bands, 1, kMostRows);
    while (rows > 1 && strip_bytes(begin, end, rows) > kBufferBytes) --rows;
    state->strip_rows = rows;
    Step joined;
    joined.kernel = &kRowTilesKernel;
    joined.op = step(end - 1).op;
    joined.node = step(end - 1).node;
    joined.out = step(end - 1).out;
    joined.out_counts = {1};
    for (size_t s = begin; s < end; ++s) add_part(s, s == begin, joined, *state);
    joined.in_counts = {static_cast<int>(joined.in.size())};
    for (size_t s = end - 1; s-- > begin;) {
      rows = strip_rows(s, rows);
      TiledPart& part = state->parts[s - begin];
      part.offset = state->buffer_bytes;
      state->buffer_bytes += (static_cast<size_t>(rows) * part.row_bytes + 63) / 64 * 64;
    }
    const int over = step(end - 1).prepared.in_place;
    if (over > 0) joined.prepared.in_place = static_cast<int>(state->parts.back().first_operand) + over - 1;
    joined.prepared.workspace = (Size(state->bands) * state->buffer_bytes).bytes();
    joined.prepared.state_bytes = sizeof(RowTileState);
    for (size_t s = begin; s < end; ++s) {
      joined.prepared.state_bytes += sizeof(TiledPart) + sizeof(Step) + step(s).prepared.state_bytes;
      joined.parts.push_back(std::move(steps_.steps[s]));
    }
    joined.prepared.state = std::move(state);
    return joined;
  }

  void add_part(size_t s, bool first, Step& joined, RowTileState& state) const {
    const Step& from = step(s);
    TiledPart part{.kernel = from.kernel,
                   .op = from.op,
                   .prepared = from.prepared,
                   .in_counts = from.in_counts,
                   .out_counts = from.out_counts,
                   .facts = {},
                   .first_operand = joined.in.size(),
                   .rows = result(s).shape[2],
                   .row_bytes = row_bytes(result(s))};
    for (int l : from.in) part.facts.push_back(steps_.buffers[static_cast<size_t>(l)].fact);
    part.facts.push_back(result(s));
    joined.in.insert(joined.in.end(), from.in.begin() + (first ? 0 : 1), from.in.end());
    state.parts.push_back(std::move(part));
  }

  Steps& steps_;
  const int threads_;
  std::vector<int> uses_;
};

}  // namespace

void fuse_row_tiles(Steps& steps, const StageContext& context) { Joiner(steps, context.threads).join(); }

}  // namespace coracle::internal::cpu
