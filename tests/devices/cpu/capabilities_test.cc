// SPDX-License-Identifier: Apache-2.0
// The table src/devices/cpu/capabilities.def, as C++ and as CMake read it.
#include "devices/cpu/capabilities.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/processor.h"
#include "plan/device.h"

namespace coracle::internal::cpu {
namespace {

std::vector<Capability> all_capabilities() {
  std::vector<Capability> all;
  for (size_t i = 0; i < kCapabilityCount; ++i) all.push_back(static_cast<Capability>(i));
  return all;
}

std::vector<std::string> capability_names(CapabilitySet set) {
  std::vector<std::string> names;
  for (const Capability c : all_capabilities()) {
    if (set.has(c)) names.emplace_back(name_of(c));
  }
  return names;
}

std::vector<std::string> words(const char* text) {
  std::istringstream list(text);
  std::vector<std::string> all;
  for (std::string word; list >> word;) all.push_back(word);
  return all;
}

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::count(names.begin(), names.end(), name) > 0;
}

TEST(Capabilities, AreSets) {
  constexpr CapabilitySet kBoth = Capability::kSse2 | Capability::kAmx;
  static_assert(kBoth.has(Capability::kAmx) && !kBoth.has(Capability::kAvx2));
  static_assert(kBoth.has_all(Capability::kSse2) && kBoth.has_all({}) && kBoth.has_all(kBoth));
  static_assert(!kBoth.has_all(Capability::kSse2 | Capability::kAvx2));
  static_assert(kBoth - Capability::kAmx == CapabilitySet(Capability::kSse2));
  static_assert((kBoth & Capability::kAmx) == CapabilitySet(Capability::kAmx));
  static_assert(CapabilitySet().empty() && !kBoth.empty() && kBoth.count() == 2);
}

TEST(Capabilities, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const Capability c : all_capabilities()) {
    EXPECT_FALSE(name_of(c).empty());
    EXPECT_TRUE(names.insert(name_of(c)).second) << name_of(c);
  }
}

TEST(Capabilities, NeedWhatTheirNeedsNeed) {
  for (const Capability c : all_capabilities()) {
    SCOPED_TRACE(name_of(c));
    const CapabilitySet all = with_needs(c);
    EXPECT_TRUE(all.has(c));
    EXPECT_FALSE(needs_of(c).has(c));
    EXPECT_TRUE(all.has_all(needs_of(c)));
    EXPECT_EQ(capability_names(with_needs(all)), capability_names(all));
    for (const Capability need : all_capabilities()) {
      EXPECT_TRUE(!all.has(need) || all.has_all(with_needs(need))) << name_of(need);
    }
  }
  EXPECT_EQ(capability_names(with_needs(Capability::kAmx)),
            (std::vector<std::string>{"sse2", "avx2", "avx512", "amx"}));
  EXPECT_EQ(capability_names(with_needs(Capability::kAvxVnni)), (std::vector<std::string>{"sse2", "avx2", "avx_vnni"}));
}

TEST(Capabilities, AreCompiledWithWhatTheyGoWith) {
  const CapabilitySet compiled = compiled_capabilities();
  EXPECT_FALSE(compiled.empty());
  for (size_t i = kInstructionSetCount; i < kCapabilityCount; ++i) {
    const auto extension = static_cast<Capability>(i);
    EXPECT_EQ(compiled.has(extension), compiled.has_all(needs_of(extension))) << name_of(extension);
  }
}

/// CMake compiles what it reads of the table; C++ calls what it has of it.
TEST(Capabilities, AreThoseOfCMake) {
  std::vector<std::string> all;
  for (const Capability c : all_capabilities()) all.emplace_back(name_of(c));
  EXPECT_EQ(words(CMAKE_capabilities), all);
  std::vector<std::string> compiled = words(CMAKE_compiled_capabilities);
  std::sort(compiled.begin(), compiled.end());
  std::vector<std::string> called = capability_names(compiled_capabilities());
  std::sort(called.begin(), called.end());
  EXPECT_EQ(compiled, called);
}

TEST(InstructionSets, AreRowsOfTheTable) {
  EXPECT_EQ(isa_names().size(), kInstructionSetCount + 1);
  EXPECT_EQ(name_of(Isa::kAny), "any");
  EXPECT_EQ(isa_of("any"), Isa::kAny);
  for (size_t i = 1; i < isa_names().size(); ++i) {
    const auto isa = static_cast<Isa>(i);
    EXPECT_EQ(name_of(isa), name_of(capability_of(isa)));
    EXPECT_EQ(isa_of(name_of(isa)), isa);
    EXPECT_EQ(widest_isa(with_needs(capability_of(isa))), isa);
  }
  EXPECT_EQ(isa_of("amx"), std::nullopt) << "goes with avx512";
  EXPECT_EQ(widest_isa({}), Isa::kAny);
  EXPECT_EQ(widest_isa(with_needs(Capability::kAmx)), Isa::kAvx512);
  EXPECT_EQ(widest_isa(with_needs(Capability::kAvxVnni)), Isa::kAvx2);
}

TEST(InstructionSets, RunWhereTheyAreNeeded) {
  const CapabilitySet compiled = compiled_capabilities();
  for (const Isa machine : {Isa::kAny, Isa::kNeon, Isa::kSse2, Isa::kAvx2, Isa::kAvx512}) {
    EXPECT_TRUE(runs_on(Isa::kAny, machine));
    EXPECT_TRUE(runs_on(machine, machine));
    EXPECT_EQ(runs_on(machine, Isa::kAny), machine == Isa::kAny) << name_of(machine);
  }
  for (const auto& [narrow, wide] :
       {std::pair{Isa::kSse2, Isa::kAvx2}, {Isa::kSse2, Isa::kAvx512}, {Isa::kAvx2, Isa::kAvx512}}) {
    EXPECT_EQ(runs_on(narrow, wide), compiled.has(capability_of(narrow))) << name_of(narrow);
    EXPECT_FALSE(runs_on(wide, narrow)) << name_of(wide);
    EXPECT_FALSE(runs_on(Isa::kNeon, wide));
    EXPECT_FALSE(runs_on(narrow, Isa::kNeon));
  }
}

/// Kernels' names end in that of the set that they need (kernels/kernel_table.h).
TEST(InstructionSets, AreInTheNamesOfKernels) {
  int found = 0;
  for (const KernelTable* table : host_device().kernels()) {
    for (const KernelDef& kernel : table->kernels) {
      const std::string_view name = kernel.name;
      const std::string_view last = name.substr(name.rfind('.') + 1);
      if (!is_one_of(last, isa_names())) continue;
      ++found;
      EXPECT_EQ(last, name_of(kernel_isa(kernel))) << name;
    }
  }
  EXPECT_GT(found, 100);
}

TEST(KnownProcessors, HaveWhatTheirCapabilitiesNeed) {
  std::set<std::string_view> names;
  std::set<std::vector<std::string>> sets;
  for (const Processor& p : known_processors()) {
    SCOPED_TRACE(p.name);
    EXPECT_TRUE(names.insert(p.name).second);
    EXPECT_TRUE(sets.insert(capability_names(p.capabilities)).second) << "nothing tells it from another";
    EXPECT_EQ(capability_names(p.capabilities), capability_names(with_needs(p.capabilities) & compiled_capabilities()));
    EXPECT_TRUE(compiled_capabilities().has(capability_of(p.isa())));
  }
}

/// ctest emulates those that CMake reads of the table. A processor that is missing there would never be emulated.
TEST(KnownProcessors, AreThoseOfCMake) {
  std::vector<std::string> known;
  for (const Processor& p : known_processors()) known.emplace_back(p.name);
  EXPECT_EQ(words(CMAKE_CORACLE_PROCESSORS), known);
}

TEST(ThisMachine, HasWhatItsCapabilitiesNeed) {
  const CapabilitySet found = this_machine().capabilities;
  EXPECT_EQ(capability_names(found), capability_names(detect_capabilities()));
  EXPECT_EQ(capability_names(found), capability_names(with_needs(found) & compiled_capabilities()));
  EXPECT_TRUE(runs_here(this_machine().isa()));
}

}  // namespace
}  // namespace coracle::internal::cpu
