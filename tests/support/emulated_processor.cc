// SPDX-License-Identifier: Apache-2.0
#include "support/emulated_processor.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "base/error.h"
#include "base/half.h"
#include "devices/cpu/isa/binary.h"
#include "devices/cpu/isa/compress.h"
#include "devices/cpu/isa/convert.h"
#include "devices/cpu/isa/copy.h"
#include "devices/cpu/isa/integer_depthwise.h"
#include "devices/cpu/isa/integer_tile_gemm.h"
#include "devices/cpu/isa/integer_winograd.h"
#include "devices/cpu/isa/limits.h"
#include "devices/cpu/isa/lines.h"
#include "devices/cpu/isa/norm.h"
#include "devices/cpu/isa/number_binary.h"
#include "devices/cpu/isa/number_reduce.h"
#include "devices/cpu/isa/number_unary.h"
#include "devices/cpu/isa/pool.h"
#include "devices/cpu/isa/product.h"
#include "devices/cpu/isa/quantize.h"
#include "devices/cpu/isa/reduce.h"
#include "devices/cpu/isa/resize.h"
#include "devices/cpu/isa/rnn_cell.h"
#include "devices/cpu/isa/scan.h"
#include "devices/cpu/isa/sequence_cell.h"
#include "devices/cpu/isa/softmax.h"
#include "devices/cpu/isa/sort.h"
#include "devices/cpu/isa/tile_gemm.h"
#include "devices/cpu/isa/transpose.h"
#include "devices/cpu/isa/unary.h"
#include "devices/cpu/isa/winograd.h"

/// Panels are packed by plain code from their geometry. To compute with them, they are packed again as a table wants
/// them that this machine runs.
namespace coracle::test {
namespace {

using cpu::Isa;

#if defined(__x86_64__)

constexpr int64_t rounded_up(int64_t count, int64_t to) { return (count + to - 1) / to * to; }

// ---- products of float32

/// kPaired: half a vector of columns has two lanes for each, of an even and an odd k (isa/gemm_tile.h).
template <int64_t kLanes, int64_t kTileRows, int64_t kPairedTripleRows>
struct Panels {
  static constexpr int64_t kColumns = 2 * kLanes;
  static constexpr bool kPaired = kPairedTripleRows > 0;

  struct Panel {
    int64_t first;    ///< column
    int64_t columns;  ///< that it has room for
    bool paired;
    int64_t rows;
  };

  static int64_t panels(int64_t columns) { return rounded_up(columns, kColumns) / kColumns; }
  static Panel panel_at(int64_t columns, int64_t p) {
    const int64_t left = columns - p * kColumns;
    if (kPaired && left <= kLanes / 2) return {p * kColumns, kLanes / 2, true, kTileRows};
    if (left <= kLanes) return {p * kColumns, kLanes, false, kTileRows};
    if (kPaired && left <= kLanes * 3 / 2) return {p * kColumns, kLanes * 3 / 2, true, kPairedTripleRows};
    return {p * kColumns, kColumns, false, kTileRows};
  }
  static int64_t tile_rows(int64_t columns) { return panel_at(columns, 0).rows; }
  static int64_t tap_floats(const Panel& panel, int64_t depth) {
    return (panel.paired ? rounded_up(depth, 2) : depth) * panel.columns;
  }
  static int64_t start_of(const cpu::GemmShape& shape, int64_t p) { return p * shape.taps * shape.depth * kColumns; }
  static int64_t packed_floats(const cpu::GemmShape& shape) {
    if (shape.columns <= 0) return 0;
    const int64_t last = panels(shape.columns) - 1;
    return start_of(shape, last) + shape.taps * tap_floats(panel_at(shape.columns, last), shape.depth);
  }
  /// Of the panel's floats of a tap.
  static int64_t place(const Panel& panel, int64_t k, int64_t column) {
    return panel.paired ? (k / 2 * panel.columns + column) * 2 + k % 2 : k * panel.columns + column;
  }
  /// Without denormals (isa/denormals.h).
  static float flushed(float value) { return (std::bit_cast<uint32_t>(value) & 0x7f800000U) == 0 ? 0.0F : value; }

  static void pack(const cpu::GemmShape& shape, const cpu::GemmSource& source, float* packed, int64_t begin,
                   int64_t end) {
    const int64_t inner = std::max<int64_t>(source.inner, 1);
    for (int64_t p = begin; p < end; ++p) {
      const Panel panel = panel_at(shape.columns, p);
      float* to = packed + start_of(shape, p);
      std::fill_n(to, shape.taps * tap_floats(panel, shape.depth), 0.0F * source.scale);
      for (int64_t t = 0; t < shape.taps; ++t, to += tap_floats(panel, shape.depth)) {
        const float* from = source.data + (source.tap_offsets == nullptr ? 0 : source.tap_offsets[t]);
        for (int64_t k = 0; k < shape.depth; ++k) {
          const float* row = from + k / inner * source.join_stride + k % inner * source.inner_stride;
          for (int64_t c = 0; c < std::min(panel.columns, shape.columns - panel.first); ++c) {
            to[place(panel, k, c)] = flushed(row[(panel.first + c) * source.column_stride]) * source.scale;
          }
        }
      }
    }
  }

  static bool sums_wait_in_c(const cpu::GemmCall& call) {
    // isa/gemm_rows.h: rows that are copied, block by block.
    const int64_t stride = call.image == nullptr ? call.a_stride : call.image->stride_x * call.image->in_channels;
    const bool far = stride % 1024 == 0 && call.shape.depth >= 32;
    if (kTileRows > 8 && call.shape.taps == 1 && (call.shape.depth > 1536 || far)) return call.shape.depth > 384;
    return call.shape.taps > 64;
  }

  static const cpu::GemmFunctions& here() { return cpu::gemm_table(cpu::this_machine().isa); }

  /// Of all groups, the panels that have been asked for.
  static void run(const cpu::GemmCall& call, int64_t row_begin, int64_t row_end, int64_t begin, int64_t end) {
    const int64_t depth = call.shape.depth;
    const int64_t columns = call.shape.columns;
    const int64_t each = panels(columns);
    const int64_t each_here = here().panels(columns);
    const int64_t floats_here = here().packed_floats(call.shape);
    const int64_t parts = each_here == 0 ? 0 : kColumns / columns_here();
    std::vector<float> packed(static_cast<size_t>(floats_here * call.groups));
    std::vector<float> dense(static_cast<size_t>(call.shape.taps * depth * columns));
    std::vector<int64_t> taps(static_cast<size_t>(call.shape.taps));
    for (int64_t t = 0; t < call.shape.taps; ++t) taps[static_cast<size_t>(t)] = t * depth * columns;
    cpu::GemmCall same = call;
    same.packed = packed.data();
    for (int64_t p = begin; p < end; ++p) {
      const int64_t group = p / each;
      const Panel panel = panel_at(columns, p % each);
      const float* from = call.packed + group * packed_floats(call.shape) + start_of(call.shape, p % each);
      for (int64_t t = 0; t < call.shape.taps; ++t, from += tap_floats(panel, depth)) {
        for (int64_t k = 0; k < depth; ++k) {
          for (int64_t c = 0; c < std::min(panel.columns, columns - panel.first); ++c) {
            dense[static_cast<size_t>((t * depth + k) * columns + panel.first + c)] = from[place(panel, k, c)];
          }
        }
      }
      const int64_t first = p % each * parts;
      const int64_t last = std::min(first + parts, each_here);
      const cpu::GemmSource source{.data = dense.data(),
                                   .tap_offsets = taps.data(),
                                   .inner = depth,
                                   .inner_stride = columns,
                                   .column_stride = 1};
      here().pack(call.shape, source, packed.data() + group * floats_here, first, last);
      here().run(same, row_begin, row_end, group * each_here + first, group * each_here + last);
    }
  }
  static int64_t columns_here() { return here().narrow->panel_columns; }

  static float widened(const cpu::NarrowMatrix& b, int64_t depth, int64_t p, int64_t k, int64_t c) {
    const int64_t row = p * depth + k;
    const auto* bytes = static_cast<const uint8_t*>(b.panels);
    uint16_t bits = 0;
    std::memcpy(&bits, bytes + (bits_of(b.type) == 16 ? (row * kColumns + c) * 2 : 0), sizeof(bits));
    if (b.type == cpu::NarrowType::kFloat16) return Float16::to_float(bits);
    if (b.type == cpu::NarrowType::kBfloat16) return std::bit_cast<float>(uint32_t{bits} << 16U);
    const float scale = b.scales == nullptr ? 1 : b.scales[k / b.group * b.scale_stride + p * kColumns + c];
    if (b.type == cpu::NarrowType::kInt8)
      return static_cast<float>(static_cast<int8_t>(bytes[row * kColumns + c])) * scale;
    const int both = bytes[row * kLanes + c % kLanes];
    return static_cast<float>((c < kLanes ? both & 15 : both >> 4) - 8) * scale;
  }
  static void widen(const cpu::NarrowMatrix& b, int64_t depth, int64_t begin, int64_t end, float* to) {
    for (int64_t p = begin; p < end; ++p) {
      for (int64_t k = 0; k < depth; ++k) {
        for (int64_t c = 0; c < kColumns; ++c) *to++ = widened(b, depth, p, k, c);
      }
    }
  }
  static void run_narrow(const cpu::GemmCall& call, const cpu::NarrowMatrix& b, int64_t row_begin, int64_t row_end,
                         int64_t begin, int64_t end) {
    std::vector<float> panels(static_cast<size_t>((end - begin) * call.shape.depth * kColumns));
    widen(b, call.shape.depth, begin, end, panels.data());
    cpu::GemmCall same = call;
    same.packed = panels.data() - start_of(call.shape, begin);
    run(same, row_begin, row_end, begin, end);
  }

  static constexpr cpu::NarrowFunctions kNarrow = {kColumns, kLanes == 4 ? nullptr : run_narrow, widen};
  static constexpr cpu::GemmFunctions kFunctions = {panels,         tile_rows, packed_floats, pack,
                                                    sums_wait_in_c, run,       &kNarrow};
};

using PanelsSse2 = Panels<4, 4, 0>;
using PanelsAvx2 = Panels<8, 6, 0>;
using PanelsAvx512 = Panels<16, 12, 9>;

// ---- filters of one channel each

template <int64_t kLanes>
struct Channels {
  static int64_t packed_floats(int64_t taps, int64_t channels) { return taps * rounded_up(channels, kLanes); }
  static void pack(const float* weights, int64_t taps, int64_t channels, float* packed) {
    std::fill_n(packed, packed_floats(taps, channels), 0.0F);
    for (int64_t t = 0; t < taps; ++t) {
      for (int64_t c = 0; c < channels; ++c) {
        packed[t * rounded_up(channels, kLanes) + c] = PanelsSse2::flushed(weights[c * taps + t]);
      }
    }
  }
  static void run(const cpu::DepthwiseCall& call, int64_t begin, int64_t end) {
    const cpu::DepthwiseFunctions& here = cpu::depthwise_table(cpu::this_machine().isa);
    const int64_t taps = call.kernel_h * call.kernel_w;
    std::vector<float> weights(static_cast<size_t>(taps * call.channels));
    for (int64_t t = 0; t < taps; ++t) {
      for (int64_t c = 0; c < call.channels; ++c) {
        weights[static_cast<size_t>(c * taps + t)] = call.packed[t * rounded_up(call.channels, kLanes) + c];
      }
    }
    std::vector<float> packed(static_cast<size_t>(here.packed_floats(taps, call.channels)));
    here.pack(weights.data(), taps, call.channels, packed.data());
    cpu::DepthwiseCall same = call;
    same.packed = packed.data();
    here.run(same, begin, end);
  }
  static constexpr cpu::DepthwiseFunctions kFunctions = {packed_floats, pack, run};
};

// ---- integers

#if !defined(CORACLE_WITHOUT_AVX512)
/// Where a panel of vectors of `lanes` has word `word` of a column, of `words` (isa/integer_gemm.h); 0: where sums
/// start.
int64_t place_of(int64_t lanes, int64_t columns, int64_t words, int64_t column, int64_t word) {
  const int64_t first = column / (2 * lanes) * 2 * lanes;
  const int64_t width = columns - first > lanes ? 2 * lanes : lanes;
  return first * words + word * width + column - first;
}
#endif

#if !defined(CORACLE_WITHOUT_SSE2) && !defined(CORACLE_WITHOUT_AVX512)
/// Numbers of 16 bits for vectors of 16 sums, by those of SSE2.
void run_wide_integers(const cpu::IntegerGemmCall& call, int64_t row_begin, int64_t row_end, int64_t begin,
                       int64_t end) {
  const cpu::IntegerGemmFunctions& here = cpu::sse2::integer_gemm;
  constexpr int64_t kLanes = 16;
  const int64_t words = 1 + here.groups(call.taps * call.depth);
  const auto* from = static_cast<const uint32_t*>(call.packed);
  std::vector<uint32_t> packed(static_cast<size_t>(rounded_up(call.columns, here.lanes) * words));
  for (int64_t c = 0; c < call.columns; ++c) {
    for (int64_t w = 0; w < words; ++w) {
      packed[static_cast<size_t>(place_of(here.lanes, call.columns, words, c, w))] =
          from[place_of(kLanes, call.columns, words, c, w)];
    }
  }
  std::vector<char> scratch(static_cast<size_t>(here.scratch_bytes(call.taps * call.depth)) + 64);
  cpu::IntegerGemmCall same = call;
  same.packed = packed.data();
  same.scratch = scratch.data() + 64 - reinterpret_cast<uintptr_t>(scratch.data()) % 64;
  const int64_t parts = kLanes / here.lanes;
  here.run(same, row_begin, row_end, begin * parts, std::min(end * parts, here.panels(call.columns)));
}
#endif

#if !defined(CORACLE_WITHOUT_AVX512)
void run_integer_winograd(const cpu::IntegerWinogradCall& call, int64_t begin, int64_t end) {
  const cpu::IntegerWinogradFunctions& here = cpu::integer_winograd_table(cpu::this_machine().isa);
  const int64_t lanes = cpu::avx512::integer_winograd.lanes;
  const int64_t columns = rounded_up(call.out_channels, lanes);
  const int64_t columns_here = rounded_up(call.out_channels, here.lanes);
  const int64_t point_words = call.pairs() * columns;
  const int64_t point_words_here = call.pairs() * columns_here;
  std::vector<int16_t> filter(static_cast<size_t>(cpu::kIntegerWinogradPoints * point_words_here * 2));
  for (int64_t point = 0; point < cpu::kIntegerWinogradPoints; ++point) {
    for (int64_t pair = 0; pair < call.pairs(); ++pair) {
      for (int64_t c = 0; c < call.out_channels; ++c) {
        const int64_t from = point * point_words + place_of(lanes, columns, call.pairs(), c, pair);
        const int64_t to = point * point_words_here + place_of(here.lanes, columns_here, call.pairs(), c, pair);
        std::copy_n(call.filter + from * 2, 2, filter.begin() + to * 2);
      }
    }
  }
  cpu::IntegerWinogradCall same = call;
  same.filter = filter.data();
  here.run(same, begin, end);
}

void run_integer_depthwise(const cpu::IntegerDepthwiseCall& call, int64_t begin, int64_t end) {
  const cpu::IntegerDepthwiseFunctions& here = cpu::integer_depthwise_table(cpu::this_machine().isa);
  const int64_t lanes = cpu::avx512::integer_depthwise.lanes;
  const int64_t columns_here = rounded_up(call.channels, here.lanes);
  const int64_t rows =
      cpu::IntegerDepthwiseCall::pairs(call.kernel_h, 0) + cpu::IntegerDepthwiseCall::pairs(call.kernel_h, 1);
  std::vector<int16_t> filter(static_cast<size_t>(rows * call.kernel_w * columns_here * 2));
  const int16_t* from = call.filter;
  auto to = filter.begin();
  for (int64_t alignment = 0; alignment < 2; ++alignment) {
    const int64_t places = cpu::IntegerDepthwiseCall::pairs(call.kernel_h, alignment) * call.kernel_w;
    for (int64_t c = 0; c < call.channels; ++c) {
      for (int64_t i = 0; i < places; ++i) {
        const int64_t place = (c / lanes * places + i) * lanes + c % lanes;
        const int64_t place_here = (c / here.lanes * places + i) * here.lanes + c % here.lanes;
        std::copy_n(from + place * 2, 2, to + place_here * 2);
      }
    }
    from += places * rounded_up(call.channels, lanes) * 2;
    to += places * columns_here * 2;
  }
  cpu::IntegerDepthwiseCall same = call;
  same.filter = filter.data();
  here.run(same, begin, end);
}
#endif

// ---- tables

/// A table that has another's functions until it gets its own back. Tables are constants of the library, so that
/// kernels call them without asking for a stand-in; their pages are made writable for this.
class Replaced {
 public:
  template <class Table>
  Replaced(const Table& table, const Table& by) : at_(const_cast<Table*>(&table)) {
    const auto* own = reinterpret_cast<const std::byte*>(&table);
    own_.assign(own, own + sizeof(Table));
    write(&by);
  }
  void restore() const { write(own_.data()); }

 private:
  void write(const void* from) const {
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    const uintptr_t first = reinterpret_cast<uintptr_t>(at_) / page * page;
    const size_t bytes = reinterpret_cast<uintptr_t>(at_) + own_.size() - first;
    require(mprotect(reinterpret_cast<void*>(first), bytes, PROT_READ | PROT_WRITE) == 0,
            "tables of functions cannot be made writable");
    std::memcpy(at_, from, own_.size());
  }

  void* at_;
  std::vector<std::byte> own_;
};

/// What this machine has no instructions for, where its widest set is AVX2.
std::vector<Replaced> replaced_tables() {
  std::vector<Replaced> all;
  const cpu::Processor& here = cpu::this_machine();
#if !defined(CORACLE_WITHOUT_AVX2)
  if (!here.avx2_byte_dots) all.emplace_back(cpu::avx_vnni::integer_gemm, cpu::emulated_avx_vnni::integer_gemm);
#if !defined(CORACLE_WITHOUT_AVX512)
  if (!here.avx512_byte_dots) all.emplace_back(cpu::vnni::integer_gemm, cpu::emulated_vnni::integer_gemm);
  if (!here.matrix_tiles) {
    all.emplace_back(cpu::amx::integer_tile_gemm, cpu::emulated_amx::integer_tile_gemm);
    all.emplace_back(cpu::amx::tile_gemm, cpu::tile_gemm_table(here.isa));
  }
#endif
#endif
#if !defined(CORACLE_WITHOUT_AVX512)
  if (here.isa == Isa::kAvx512) {
    // Sums of products of pairs are those that tiles make in vectors.
    cpu::TileGemmFunctions without_dots = cpu::avx512::tile_gemm;
    without_dots.bf16_dots = without_dots.bf16;
    if (!here.bf16_dots) all.emplace_back(cpu::avx512::tile_gemm, without_dots);
    return all;
  }
  all.emplace_back(cpu::avx512::gemm, PanelsAvx512::kFunctions);
  all.emplace_back(cpu::avx512::depthwise, Channels<16>::kFunctions);
#if !defined(CORACLE_WITHOUT_SSE2)
  cpu::IntegerGemmFunctions integers = cpu::avx512::integer_gemm;
  integers.run = run_wide_integers;
  all.emplace_back(cpu::avx512::integer_gemm, integers);
#endif
  cpu::IntegerWinogradFunctions winograd = cpu::avx512::integer_winograd;
  winograd.run = run_integer_winograd;
  all.emplace_back(cpu::avx512::integer_winograd, winograd);
  cpu::IntegerDepthwiseFunctions depthwise = cpu::avx512::integer_depthwise;
  depthwise.run = run_integer_depthwise;
  all.emplace_back(cpu::avx512::integer_depthwise, depthwise);
  // The width of vectors is in nothing that these say.
#define CORACLE_USE(name) all.emplace_back(cpu::avx512::name, cpu::name##_table(here.isa))
  CORACLE_USE(binary);
  CORACLE_USE(compress);
  CORACLE_USE(convert);
  CORACLE_USE(copy);
  CORACLE_USE(limits);
  CORACLE_USE(lines);
  CORACLE_USE(norm);
  CORACLE_USE(number_binary);
  CORACLE_USE(number_reduce);
  CORACLE_USE(number_unary);
  CORACLE_USE(pool);
  CORACLE_USE(product);
  CORACLE_USE(quantize);
  CORACLE_USE(reduce);
  CORACLE_USE(resize);
  CORACLE_USE(rnn_cell);
  CORACLE_USE(scan);
  CORACLE_USE(sequence_cell);
  CORACLE_USE(softmax);
  CORACLE_USE(sort);
  CORACLE_USE(tile_gemm);
  CORACLE_USE(transpose);
  CORACLE_USE(unary);
  CORACLE_USE(winograd);
#undef CORACLE_USE
#endif
  return all;
}

struct Tables {
  std::vector<Replaced> replaced = replaced_tables();

  Tables() = default;
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;
  ~Tables() {
    std::for_each(replaced.rbegin(), replaced.rend(), [](const Replaced& r) { r.restore(); });
  }
};

/// What stands for wider tables uses AVX2.
[[maybe_unused]] bool can_emulate(const cpu::Processor& p) {
  const cpu::Processor& here = cpu::this_machine();
  if (!cpu::runs_here(Isa::kAvx2)) return p.isa == here.isa && !p.avx2_byte_dots;
#if defined(CORACLE_WITHOUT_SSE2)
  if (p.isa == Isa::kAvx512 && !p.avx512_byte_dots && here.isa != Isa::kAvx512) return false;
#endif
  return true;
}

#endif

}  // namespace

EmulatedProcessor::EmulatedProcessor(const cpu::Processor& processor) {
  const auto all = emulated_processors();
  require(std::count(all.begin(), all.end(), &processor) > 0, "this machine cannot emulate ", processor.name);
  if (&cpu::processor() == &cpu::this_machine()) {
#if defined(__x86_64__)
    tables_ = std::make_shared<Tables>();
#endif
  } else {
    before_ = &cpu::processor();
  }
  cpu::emulate(&processor);
}

EmulatedProcessor::~EmulatedProcessor() { cpu::emulate(before_); }

namespace {

class Everywhere : public testing::Environment {
 public:
  explicit Everywhere(const char* name) : name_(name) {}
  void SetUp() override {
    const cpu::Processor& processor = processor_named(name_);
    const auto all = emulated_processors();
    if (std::count(all.begin(), all.end(), &processor) == 0) GTEST_SKIP() << "this machine cannot emulate " << name_;
    emulated_ = std::make_unique<EmulatedProcessor>(processor);
  }
  void TearDown() override { emulated_.reset(); }

 private:
  const char* name_;
  std::unique_ptr<EmulatedProcessor> emulated_;
};

}  // namespace

bool emulate_everywhere() {
  const char* const name = std::getenv("CORACLE_TEST_PROCESSOR");
  static const bool kOnce = name != nullptr && testing::AddGlobalTestEnvironment(new Everywhere(name)) != nullptr;
  return kOnce;
}

const cpu::Processor& processor_named(std::string_view name) {
  for (const cpu::Processor& p : cpu::known_processors()) {
    if (p.name == name) return p;
  }
  throw Error(ErrorCode::kInvalidArgument, text("there is no processor '", name, "'"));
}

std::vector<const cpu::Processor*> emulated_processors() {
  std::vector<const cpu::Processor*> all;
#if defined(__x86_64__) && !defined(CORACLE_SANITIZED)  // under sanitizers it all takes several times as long
  for (const cpu::Processor& p : cpu::known_processors()) {
    if (can_emulate(p)) all.push_back(&p);
  }
#endif
  return all;
}

#if defined(__x86_64__)
const cpu::GemmFunctions& plain_gemm(Isa isa) {
  if (isa == Isa::kAvx512) return PanelsAvx512::kFunctions;
  return isa == Isa::kAvx2 ? PanelsAvx2::kFunctions : PanelsSse2::kFunctions;
}

const cpu::DepthwiseFunctions& plain_depthwise(Isa isa) {
  if (isa == Isa::kAvx512) return Channels<16>::kFunctions;
  return isa == Isa::kAvx2 ? Channels<8>::kFunctions : Channels<4>::kFunctions;
}
#endif

}  // namespace coracle::test
