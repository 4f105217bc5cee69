// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/capabilities.h"

#include "base/system/processor.h"
#include "devices/cpu/cpuid.h"

namespace coracle::internal::cpu {
namespace {

#if defined(__x86_64__)
constexpr std::string_view kArchitecture = "x86_64";
#elif defined(__aarch64__) || defined(__arm__)
constexpr std::string_view kArchitecture = "arm";
#else
constexpr std::string_view kArchitecture = "another";
#endif
#define CORACLE_SUPPORTS(feature) has_feature(#feature)

// ---- what the processor has to be asked by more than a name

/// Linux gives the state of the tiles' data to processes that ask (Documentation/arch/x86/xstate.rst), for threads that
/// start later, too; where it refuses, an instruction on tiles would be a fault.
bool request_matrix_tiles() { return has_matrix_tiles() && permit_matrix_tiles(); }

bool finds_avx_vnni() { return has_feature("avxvnni"); }

/// Intel's server processors with AMX do 0.49 `vdpbf16ps` a cycle (measured on one of them) and 1.83 multiply-adds of
/// float32, so sums of products of pairs take twice as long there. AMD's from Zen 4 on do both at one rate.
bool finds_fast_bf16_dots() { return has_feature("avx512bf16") && !is_intel(); }

/// /proc/cpuinfo writes avx512_vnni.
bool finds_avx512_vnni() { return has_feature("avx512vnni"); }

/// With multiply-adds of floats. All 64-bit ARM has them.
bool finds_neon() {
#if defined(__arm__)
  constexpr unsigned long kNeon = 1UL << 12U;
  constexpr unsigned long kVfpv4 = 1UL << 16U;
  return (hardware_capabilities() & (kNeon | kVfpv4)) == (kNeon | kVfpv4);
#else
  return true;
#endif
}

bool finds_neon_dot_products() {
#if defined(__aarch64__)
  constexpr unsigned long kAsimdDp = 1UL << 20U;
  return (hardware_capabilities() & kAsimdDp) != 0;
#else
  return false;  // Highway has no vectors for 32-bit code of these processors
#endif
}

bool finds_neon_i8mm() {
  constexpr unsigned long kI8mm = 1UL << 13U;
  return (more_hardware_capabilities() & kI8mm) != 0;
}

bool finds_neon_bf16() {
  constexpr unsigned long kBf16 = 1UL << 14U;
  return (more_hardware_capabilities() & kBf16) != 0;
}

// ---- the table

struct Row {
  std::string_view name;
  CapabilitySet needs;
  bool is_instruction_set;
  bool compiled;  ///< of an instruction set: of this architecture, and not left out
  bool (*asks)();
};

#define CORACLE_QUOTED(text) #text
/// A macro that is not defined is its own name.
constexpr bool is_defined(std::string_view expanded) { return !expanded.starts_with("CORACLE_WITHOUT_"); }

using enum Capability;

constexpr Row kRows[] = {
#define CORACLE_INSTRUCTION_SET(id, name, needs, asks, flags, architecture, without) \
  {name, needs, true, kArchitecture == (architecture) && !is_defined(CORACLE_QUOTED(without)), [] { return asks; }},
#define CORACLE_EXTENSION(id, name, needs, asks, ...) {name, needs, false, false, [] { return asks; }},
#include "devices/cpu/capabilities.def"
};

constexpr const Row& row(size_t i) { return kRows[i]; }
constexpr Capability at(size_t i) { return static_cast<Capability>(i); }

/// An extension is compiled where all that it needs is.
constexpr CapabilitySet kCompiled = [] {
  CapabilitySet set;
  for (size_t i = 0; i < kCapabilityCount; ++i) {
    if (row(i).is_instruction_set ? row(i).compiled : set.has_all(row(i).needs)) set = set | at(i);
  }
  return set;
}();

/// What goes with instruction sets stands behind them, and needs stand above what needs them.
constexpr bool is_in_order() {
  CapabilitySet above;
  for (size_t i = 0; i < kCapabilityCount; ++i) {
    if (row(i).is_instruction_set != (i < kInstructionSetCount) || !above.has_all(row(i).needs)) return false;
    if (!row(i).is_instruction_set && row(i).needs.empty()) return false;
    above = above | at(i);
  }
  return true;
}
static_assert(is_in_order());

}  // namespace

std::string_view name_of(Capability capability) { return kRows[static_cast<size_t>(capability)].name; }
CapabilitySet needs_of(Capability capability) { return kRows[static_cast<size_t>(capability)].needs; }
CapabilitySet compiled_capabilities() { return kCompiled; }

CapabilitySet with_needs(CapabilitySet set) {
  for (size_t i = kCapabilityCount; i-- > 0;) {
    if (set.has(at(i))) set = set | row(i).needs;
  }
  return set;
}

[[gnu::noinline]] Isa widest_isa(CapabilitySet set) {
  size_t isa = kInstructionSetCount;
  while (isa > 0 && !set.has(at(isa - 1))) --isa;
  return static_cast<Isa>(isa);
}

/// A set that is left out may be needed by one that is not, so all sets are asked for; what else there is no code for
/// is not: to ask may change the process.
CapabilitySet detect_capabilities() {
  CapabilitySet found;
  for (size_t i = 0; i < kCapabilityCount; ++i) {
    if (!row(i).is_instruction_set && !kCompiled.has(at(i))) continue;
    if (found.has_all(row(i).needs) && row(i).asks()) found = found | at(i);
  }
  return found & kCompiled;
}

}  // namespace coracle::internal::cpu
