// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string_view>
#include <vector>

#include "devices/cpu/processor.h"

namespace coracle::internal::test {

/// While one lives, kernels are chosen and weights packed as on another processor, whatever this machine is. Where its
/// instructions are missing, plain code packs the same bytes, and kernels compute by what there is: float32 products in
/// this machine's own order of sums, integers exactly. Not for threads that load, plan or run meanwhile; models and
/// sessions made under it end before it does.
class EmulatedProcessor {
 public:
  explicit EmulatedProcessor(const cpu::Processor& processor);
  ~EmulatedProcessor();
  EmulatedProcessor(const EmulatedProcessor&) = delete;
  EmulatedProcessor& operator=(const EmulatedProcessor&) = delete;

 private:
  std::shared_ptr<void> tables_;  ///< gives back the functions of tables that were replaced
  const cpu::Processor* before_ = nullptr;
};

/// The one of cpu::known_processors() with this name. Throws where there is none.
const cpu::Processor& processor_named(std::string_view name);

/// Those that kernels can be run on, by this machine's instructions or by what stands for them: all, if this machine
/// has any instruction set that kernels were compiled for. None under sanitizers.
std::vector<const cpu::Processor*> emulated_processors();

/// Calls f() as on this machine, then as on each of them.
template <class F>
void on_every_processor(const F& f) {
  f();
  for (const cpu::Processor* p : emulated_processors()) {
    SCOPED_TRACE(p->name);
    const EmulatedProcessor emulated(*p);
    f();
  }
}

/// Emulates the processor that CORACLE_TEST_PROCESSOR names in all tests of a program, which then has this called
/// before main: CORACLE_TEST_PROCESSOR=amx run_tests.
bool emulate_everywhere();
inline const bool kEmulatesEverywhere = emulate_everywhere();

}  // namespace coracle::internal::test
