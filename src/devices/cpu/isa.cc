// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa.h"

#include "devices/cpu/processor.h"

namespace coracle::internal::cpu {
namespace {

constexpr std::string_view kIsaNames[] = {
    "any",
#define CORACLE_INSTRUCTION_SET(id, name, ...) name,
#include "devices/cpu/capabilities.def"
};

// Rows and enumerators have one order.
#define CORACLE_INSTRUCTION_SET(id, ...) static_assert(capability_of(Isa::id) == Capability::id);
#include "devices/cpu/capabilities.def"

}  // namespace

Isa detected_isa() { return processor().isa(); }

bool runs_on(Isa isa, Isa machine) {
  if (isa == Isa::kAny || isa == machine) return true;
  if (machine == Isa::kAny || !compiled_capabilities().has(capability_of(isa))) return false;
  return with_needs(capability_of(machine)).has(capability_of(isa));
}

std::string_view name_of(Isa isa) { return kIsaNames[static_cast<size_t>(isa)]; }
std::span<const std::string_view> isa_names() { return kIsaNames; }

std::optional<Isa> isa_of(std::string_view name) {
  for (size_t i = 0; i < std::size(kIsaNames); ++i) {
    if (kIsaNames[i] == name) return static_cast<Isa>(i);
  }
  return std::nullopt;
}

}  // namespace coracle::internal::cpu
