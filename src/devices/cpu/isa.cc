// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa.h"

#include <algorithm>
#include <vector>

#include "devices/cpu/processor.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace coracle::cpu {
namespace {

constexpr std::string_view kIsaNames[] = {"any", "neon", "sse2", "avx2", "avx512"};

/// The widest set of this machine, compiled or not.
Isa detect() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  if (!avx2) return Isa::kSse2;
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512cd");
  return avx512 ? Isa::kAvx512 : Isa::kAvx2;
#elif defined(__aarch64__)
  return Isa::kNeon;
#else
  return Isa::kAny;
#endif
}

/// False for sets that this library was built without (cmake/isas.cmake).
constexpr bool compiled([[maybe_unused]] Isa isa) {
#if defined(CORACLE_WITHOUT_SSE2)
  if (isa == Isa::kSse2) return false;
#endif
#if defined(CORACLE_WITHOUT_AVX2)
  if (isa == Isa::kAvx2) return false;
#endif
#if defined(CORACLE_WITHOUT_AVX512)
  if (isa == Isa::kAvx512) return false;
#endif
  return true;
}

Isa widest_compiled() {
  Isa isa = detect();
  while (isa != Isa::kAny && !compiled(isa)) {
    isa = isa == Isa::kAvx512 ? Isa::kAvx2 : isa == Isa::kAvx2 ? Isa::kSse2 : Isa::kAny;
  }
  return isa;
}

/// Intel's Software Developer's Manual, volume 1, chapter 18: AMX-BF16, AMX-TILE and AMX-INT8 in CPUID leaf 7, both
/// parts of the tile state enabled in XCR0. Linux gives the state of the tiles' data to processes that ask
/// (Documentation/arch/x86/ xstate.rst); where it refuses, an instruction on tiles would be a fault.
bool request_matrix_tiles([[maybe_unused]] Isa isa) {
#if defined(__x86_64__) && defined(__linux__)
  if (isa != Isa::kAvx512) return false;
  constexpr unsigned kAmx = 1U << 22U | 1U << 24U | 1U << 25U;
  constexpr unsigned kTileState = 3U << 17U;
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr unsigned long kTileData = 18;      // XFEATURE_XTILEDATA
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (d & kAmx) != kAmx) return false;
  unsigned low = 0;
  unsigned high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));  // AVX-512 was found: the system saves extended states
  if ((low & kTileState) != kTileState) return false;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

/// The bits of CPUID's leaf 7, subleaf 1, in EAX; 0 where there are none.
unsigned later_features() {
  unsigned a = 0;
#if defined(__x86_64__)
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid_count(7, 1, &a, &b, &c, &d) == 0) return 0;
#endif
  return a;
}
constexpr unsigned kAvxVnni = 1U << 4U;
constexpr unsigned kAvx512Bf16 = 1U << 5U;

/// Intel's server processors with AMX do 0.49 `vdpbf16ps` a cycle (measured on one of them) and 1.83 multiply-adds of
/// float32, so sums of products of pairs take twice as long there. AMD's from Zen 4 on do both at one rate.
bool has_slow_bf16_dots() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_is("intel") != 0;
#else
  return false;
#endif
}

bool find_avx512_vnni() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512vnni") != 0;
#else
  return false;
#endif
}

Processor detect_processor() {
  Processor found{.name = "this machine", .isa = widest_compiled()};
  const bool avx512 = found.isa == Isa::kAvx512;
  found.avx2_byte_dots = runs_on(Isa::kAvx2, found.isa) && (later_features() & kAvxVnni) != 0;
  found.avx512_byte_dots = avx512 && find_avx512_vnni();
  found.bf16_dots = avx512 && (later_features() & kAvx512Bf16) != 0 && !has_slow_bf16_dots();
  found.matrix_tiles = request_matrix_tiles(found.isa);
  return found;
}

#if defined(__x86_64__)
constexpr Processor kKnown[] = {
    {.name = "sse2", .isa = Isa::kSse2},
    {.name = "avx2", .isa = Isa::kAvx2},                                                        // Haswell, Zen to Zen 3
    {.name = "avx2_vnni", .isa = Isa::kAvx2, .avx2_byte_dots = true},                           // Alder Lake
    {.name = "avx512", .isa = Isa::kAvx512},                                                    // Skylake-X
    {.name = "avx512_vnni", .isa = Isa::kAvx512, .avx512_byte_dots = true},                     // Ice Lake
    {.name = "avx512_bf16", .isa = Isa::kAvx512, .avx512_byte_dots = true, .bf16_dots = true},  // Cooper Lake, Zen 4
    {.name = "amx",                                                                             // Sapphire Rapids
     .isa = Isa::kAvx512,
     .avx2_byte_dots = true,
     .avx512_byte_dots = true,
     .matrix_tiles = true}};
#else
constexpr std::span<const Processor> kKnown;
#endif

const Processor* emulated = nullptr;

}  // namespace

std::span<const Processor> known_processors() {
  static const std::vector<Processor> kCompiled = [] {
    std::vector<Processor> all;
    std::copy_if(std::begin(kKnown), std::end(kKnown), std::back_inserter(all),
                 [](const Processor& p) { return compiled(p.isa); });
    return all;
  }();
  return kCompiled;
}

const Processor& this_machine() {
  static const Processor kDetected = detect_processor();
  return kDetected;
}

const Processor& processor() { return emulated != nullptr ? *emulated : this_machine(); }

void emulate(const Processor* other) { emulated = other; }

Isa detected_isa() { return processor().isa; }
bool has_matrix_tiles() { return processor().matrix_tiles; }
bool has_bf16_dots() { return processor().bf16_dots; }
bool has_byte_dots(Isa isa) {
  return isa == Isa::kAvx512 ? processor().avx512_byte_dots : isa == Isa::kAvx2 && processor().avx2_byte_dots;
}

bool runs_on(Isa isa, Isa machine) {
  if (isa == Isa::kAny || isa == machine) return true;
  if (!compiled(isa)) return false;
  return machine != Isa::kNeon && isa != Isa::kNeon && isa < machine;
}

std::string_view name_of(Isa isa) { return kIsaNames[static_cast<size_t>(isa)]; }
std::span<const std::string_view> isa_names() { return kIsaNames; }

std::optional<Isa> isa_of(std::string_view name) {
  for (size_t i = 0; i < std::size(kIsaNames); ++i) {
    if (kIsaNames[i] == name) return static_cast<Isa>(i);
  }
  return std::nullopt;
}

}  // namespace coracle::cpu
