// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/processor.h"

#include <vector>

namespace coracle::internal::cpu {
namespace {

using enum Capability;

constexpr Processor kKnown[] = {
#define CORACLE_PROCESSOR(name, capabilities) {name, capabilities},
#include "devices/cpu/capabilities.def"
};

const Processor* emulated = nullptr;

}  // namespace

std::span<const Processor> known_processors() {
  static const std::vector<Processor> kCompiled = [] {
    std::vector<Processor> all;
    for (const Processor& known : kKnown) {
      const Processor whole{known.name, with_needs(known.capabilities)};
      const Processor usable{known.name, whole.capabilities & compiled_capabilities()};
      if (usable.isa() != Isa::kAny && usable.isa() == whole.isa()) all.push_back(usable);
    }
    return all;
  }();
  return kCompiled;
}

const Processor& this_machine() {
  static const Processor kDetected{"this machine", detect_capabilities()};
  return kDetected;
}

const Processor& processor() { return emulated != nullptr ? *emulated : this_machine(); }

void emulate(const Processor* other) { emulated = other; }

}  // namespace coracle::internal::cpu
