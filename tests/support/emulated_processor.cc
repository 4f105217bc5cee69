// SPDX-License-Identifier: Apache-2.0
#include "support/emulated_processor.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/error.h"
#include "devices/cpu/isa/binary.h"
#include "devices/cpu/isa/compress.h"
#include "devices/cpu/isa/convert.h"
#include "devices/cpu/isa/copy.h"
#include "devices/cpu/isa/limits.h"
#include "devices/cpu/isa/lines.h"
#include "devices/cpu/isa/norm.h"
#include "devices/cpu/isa/number_binary.h"
#include "devices/cpu/isa/number_reduce.h"
#include "devices/cpu/isa/number_unary.h"
#include "devices/cpu/isa/pool.h"
#include "devices/cpu/isa/product.h"
#include "devices/cpu/isa/quantize.h"
#include "devices/cpu/isa/quantized_depthwise.h"
#include "devices/cpu/isa/quantized_tile_gemm.h"
#include "devices/cpu/isa/quantized_winograd.h"
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
#include "support/plain_tables.h"

namespace coracle::internal::test {
namespace {

using cpu::Capability;
using cpu::CapabilitySet;
using cpu::Isa;

#if defined(__x86_64__)

// ---- integers

#if !defined(CORACLE_WITHOUT_AVX512)
/// Where a panel of vectors of `lanes` has word `word` of a column, of `words` (isa/quantized_gemm.h); 0: where sums
/// start.
int64_t place_of(int64_t lanes, int64_t columns, int64_t words, int64_t column, int64_t word) {
  const int64_t first = column / (2 * lanes) * 2 * lanes;
  const int64_t width = columns - first > lanes ? 2 * lanes : lanes;
  return first * words + word * width + column - first;
}
#endif

#if !defined(CORACLE_WITHOUT_SSE2) && !defined(CORACLE_WITHOUT_AVX512)
/// Numbers of 16 bits for vectors of 16 sums, by those of SSE2.
void run_wide_integers(const cpu::QuantizedGemmCall& call, int64_t row_begin, int64_t row_end, int64_t begin,
                       int64_t end) {
  const cpu::QuantizedGemmFunctions& here = cpu::sse2::quantized_gemm;
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
  cpu::QuantizedGemmCall same = call;
  same.packed = packed.data();
  same.block_rows = 0;
  same.scratch = scratch.data() + 64 - reinterpret_cast<uintptr_t>(scratch.data()) % 64;
  const int64_t parts = kLanes / here.lanes;
  here.run(same, row_begin, row_end, begin * parts, std::min(end * parts, here.panels(call.columns)));
}
#endif

#if !defined(CORACLE_WITHOUT_AVX512)
void multiply_quantized_winograd(const cpu::QuantizedWinogradCall& call, int64_t tiles, int64_t begin, int64_t end) {
  const cpu::QuantizedWinogradFunctions& here = cpu::quantized_winograd_table(cpu::this_machine().isa());
  const int64_t lanes = cpu::avx512::quantized_winograd.lanes;
  const int64_t columns = rounded_up(call.out_channels, lanes);
  const int64_t columns_here = rounded_up(call.out_channels, here.lanes);
  const int64_t point_words = call.pairs() * columns;
  const int64_t point_words_here = call.pairs() * columns_here;
  std::vector<int16_t> filter(static_cast<size_t>(cpu::kQuantizedWinogradPoints * point_words_here * 2));
  for (int64_t point = 0; point < cpu::kQuantizedWinogradPoints; ++point) {
    for (int64_t pair = 0; pair < call.pairs(); ++pair) {
      for (int64_t c = 0; c < call.out_channels; ++c) {
        const int64_t from = point * point_words + place_of(lanes, columns, call.pairs(), c, pair);
        const int64_t to = point * point_words_here + place_of(here.lanes, columns_here, call.pairs(), c, pair);
        std::copy_n(call.filter + from * 2, 2, filter.begin() + to * 2);
      }
    }
  }
  cpu::QuantizedWinogradCall same = call;
  same.filter = filter.data();
  // A panel has two vectors.
  const int64_t parts = lanes / here.lanes;
  const int64_t panels = rounded_up(columns, 2 * lanes) / (2 * lanes);
  const int64_t panels_here = rounded_up(columns_here, 2 * here.lanes) / (2 * here.lanes);
  for (int64_t i = begin; i < end; ++i) {
    const int64_t point = i / panels * panels_here;
    const int64_t first = i % panels * parts;
    here.multiply(same, tiles, point + first, point + std::min(first + parts, panels_here));
  }
}

void run_quantized_depthwise(const cpu::QuantizedDepthwiseCall& call, int64_t begin, int64_t end) {
  const cpu::QuantizedDepthwiseFunctions& here = cpu::quantized_depthwise_table(cpu::this_machine().isa());
  const cpu::QuantizedDepthwiseFunctions& there = cpu::avx512::quantized_depthwise;
  const auto vectors = [&](int64_t lanes) { return rounded_up(call.channels, lanes) / lanes; };
  const auto bytes = [&](const cpu::QuantizedDepthwiseFunctions& f, int64_t alignment) {
    return f.filter_bytes(call.kernel_h, call.kernel_w, alignment);
  };
  std::vector<char> filter(static_cast<size_t>(vectors(here.lanes) * (bytes(here, 0) + bytes(here, 1))));
  const auto* from = static_cast<const char*>(call.filter);
  auto to = filter.begin();
  for (int64_t alignment = 0; alignment < 2; ++alignment) {
    const int64_t places = here.groups(call.kernel_h, alignment) * call.kernel_w;
    for (int64_t c = 0; c < call.channels; ++c) {
      for (int64_t i = 0; i < places; ++i) {
        const int64_t place = (c / there.lanes * places + i) * there.lanes + c % there.lanes;
        const int64_t place_here = (c / here.lanes * places + i) * here.lanes + c % here.lanes;
        std::copy_n(from + place * 4, 4, to + place_here * 4);
      }
    }
    from += vectors(there.lanes) * bytes(there, alignment);
    to += vectors(here.lanes) * bytes(here, alignment);
  }
  cpu::QuantizedDepthwiseCall same = call;
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

/// Replaces all functions whose instructions a machine without AVX-512 lacks, but for those that go with AVX-512.
#if !defined(CORACLE_WITHOUT_AVX512)
void replace_avx512(std::vector<Replaced>& all) {
  all.emplace_back(cpu::avx512::gemm, plain_gemm(Isa::kAvx512));
  all.emplace_back(cpu::avx512::depthwise, plain_depthwise(Isa::kAvx512));
#if !defined(CORACLE_WITHOUT_SSE2)
  cpu::QuantizedGemmFunctions integers = cpu::avx512::quantized_gemm;
  integers.run = run_wide_integers;
  all.emplace_back(cpu::avx512::quantized_gemm, integers);
#endif
  cpu::QuantizedWinogradFunctions winograd = cpu::quantized_winograd_table(cpu::this_machine().isa());
  winograd.lanes = cpu::avx512::quantized_winograd.lanes;
  winograd.tile_rows = cpu::avx512::quantized_winograd.tile_rows;
  winograd.multiply = multiply_quantized_winograd;
  all.emplace_back(cpu::avx512::quantized_winograd, winograd);
  cpu::QuantizedDepthwiseFunctions depthwise = cpu::avx512::quantized_depthwise;
  depthwise.run = run_quantized_depthwise;
  all.emplace_back(cpu::avx512::quantized_depthwise, depthwise);
  // The width of vectors is in nothing that these say.
  const Isa here = cpu::this_machine().isa();
#define CORACLE_USE(name) all.emplace_back(cpu::avx512::name, cpu::name##_table(here))
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
}

/// Sums of products of pairs are those that tiles make in vectors.
void replace_bf16_dots(std::vector<Replaced>& all) {
  cpu::TileGemmFunctions without_dots = cpu::avx512::tile_gemm;
  without_dots.bf16_dots = without_dots.bf16;
  all.emplace_back(cpu::avx512::tile_gemm, without_dots);
}

#if !defined(CORACLE_WITHOUT_AVX2)
void replace_byte_dots(std::vector<Replaced>& all) {
  all.emplace_back(cpu::avx512_vnni::quantized_gemm, cpu::emulated_avx512_vnni::quantized_gemm);
  all.emplace_back(cpu::avx512_vnni::quantized_depthwise, cpu::emulated_avx512_vnni::quantized_depthwise);
}

void replace_tiles(std::vector<Replaced>& all) {
  all.emplace_back(cpu::amx::quantized_tile_gemm, cpu::emulated_amx::quantized_tile_gemm);
  all.emplace_back(cpu::amx::tile_gemm, cpu::tile_gemm_table(cpu::this_machine().isa()));
}
#endif
#endif

#if !defined(CORACLE_WITHOUT_AVX2)
void replace_avx2_byte_dots(std::vector<Replaced>& all) {
  all.emplace_back(cpu::avx_vnni::quantized_gemm, cpu::emulated_avx_vnni::quantized_gemm);
  all.emplace_back(cpu::avx_vnni::quantized_depthwise, cpu::emulated_avx_vnni::quantized_depthwise);
}
#endif

/// What is done where this machine lacks a capability. A capability without a row is not emulated, nor is a processor
/// that has it.
struct StandIn {
  Capability of;
  CapabilitySet uses;  ///< of this machine
  void (*replace)(std::vector<Replaced>& all);
};

std::vector<StandIn> all_stand_ins() {
  return {
#if !defined(CORACLE_WITHOUT_AVX512)
    {Capability::kAvx512, Capability::kAvx2, replace_avx512}, {Capability::kAvx512Bf16, {}, replace_bf16_dots},
#if !defined(CORACLE_WITHOUT_AVX2)
        {Capability::kAvx512Vnni, Capability::kAvx2, replace_byte_dots},
        {Capability::kAmx, Capability::kAvx2, replace_tiles},
#endif
#endif
#if !defined(CORACLE_WITHOUT_AVX2)
        {Capability::kAvxVnni, Capability::kAvx2, replace_avx2_byte_dots},
#endif
  };
}

/// Those of what this machine lacks.
std::vector<StandIn> stand_ins_here() {
  std::vector<StandIn> all = all_stand_ins();
  std::erase_if(all, [](const StandIn& s) {
    return cpu::this_machine().has(s.of) || !cpu::this_machine().capabilities.has_all(s.uses);
  });
  return all;
}

std::vector<Replaced> replaced_tables() {
  std::vector<Replaced> all;
  for (const StandIn& s : stand_ins_here()) s.replace(all);
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

[[maybe_unused]] bool can_emulate(const cpu::Processor& p) {
  CapabilitySet missing = p.capabilities - cpu::this_machine().capabilities;
#if defined(CORACLE_WITHOUT_SSE2)
  // Integers for vectors of AVX-512 are multiplied by SSE2, or as sums of products of bytes.
  if (missing.has(Capability::kAvx512) && !p.has(Capability::kAvx512Vnni)) return false;
#endif
  for (const StandIn& s : stand_ins_here()) missing = missing - s.of;
  return missing.empty();
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
#elif !defined(__x86_64__)  // nothing stands for instructions, but they may be passed over
  for (const cpu::Processor& p : cpu::known_processors()) {
    if (cpu::this_machine().capabilities.has_all(p.capabilities)) all.push_back(&p);
  }
#endif
  return all;
}

}  // namespace coracle::internal::test
