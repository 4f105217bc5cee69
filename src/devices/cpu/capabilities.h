// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "devices/cpu/isa.h"

/// What processors have that kernels use, from the table capabilities.def.
namespace coracle::internal::cpu {

/// In the order of the rows: the instruction sets, then what goes with them.
enum class Capability : uint8_t {
#define CORACLE_INSTRUCTION_SET(id, ...) id,
#define CORACLE_EXTENSION(id, ...) id,
#include "devices/cpu/capabilities.def"
};

inline constexpr size_t kInstructionSetCount = 0
// NOLINTNEXTLINE(bugprone-macro-parentheses): a term of the sum
#define CORACLE_INSTRUCTION_SET(...) +1
#include "devices/cpu/capabilities.def"
    ;
inline constexpr size_t kCapabilityCount = kInstructionSetCount
// NOLINTNEXTLINE(bugprone-macro-parentheses): as above
#define CORACLE_EXTENSION(...) +1
#include "devices/cpu/capabilities.def"
    ;

class CapabilitySet {
 public:
  constexpr CapabilitySet() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a capability is the set of itself
  constexpr CapabilitySet(Capability one) : bits_(1U << static_cast<unsigned>(one)) {}

  constexpr bool has(Capability one) const { return has_all(one); }
  constexpr bool has_all(CapabilitySet of) const { return (of.bits_ & ~bits_) == 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr int count() const { return std::popcount(bits_); }

  friend constexpr CapabilitySet operator|(CapabilitySet a, CapabilitySet b) { return of_bits(a.bits_ | b.bits_); }
  friend constexpr CapabilitySet operator&(CapabilitySet a, CapabilitySet b) { return of_bits(a.bits_ & b.bits_); }
  /// What is in `a` and not in `b`.
  friend constexpr CapabilitySet operator-(CapabilitySet a, CapabilitySet b) { return of_bits(a.bits_ & ~b.bits_); }
  friend constexpr bool operator==(CapabilitySet a, CapabilitySet b) = default;

 private:
  static constexpr CapabilitySet of_bits(uint32_t bits) {
    CapabilitySet set;
    set.bits_ = bits;
    return set;
  }

  uint32_t bits_ = 0;
};
static_assert(kCapabilityCount <= 32);

constexpr CapabilitySet operator|(Capability a, Capability b) { return CapabilitySet(a) | CapabilitySet(b); }

/// Of an instruction set; not of kAny, which every processor has.
constexpr Capability capability_of(Isa isa) { return static_cast<Capability>(static_cast<unsigned>(isa) - 1); }
/// The widest instruction set of the set; kAny if it has none.
Isa widest_isa(CapabilitySet set);

/// "avx512_vnni"
std::string_view name_of(Capability capability);
/// The columns `needs` of the rows: what no processor with this capability lacks, but for what that needs in turn.
CapabilitySet needs_of(Capability capability);
/// With all that they need, and what that needs.
CapabilitySet with_needs(CapabilitySet set);
/// What this library has code for: instruction sets that it was not built without (cmake/isas.cmake), and what goes
/// with them.
CapabilitySet compiled_capabilities();
/// What this machine has and this library has code for. Asks anew each time, also the system, for what processes may
/// use on request.
CapabilitySet detect_capabilities();

}  // namespace coracle::internal::cpu
