// SPDX-License-Identifier: Apache-2.0
#include "plan/kernel_selector.h"

#include <gtest/gtest.h>

#include <map>
#include <string_view>
#include <tuple>

#include "devices/cpu/kernel_isa.h"
#include "ops/activation/relu.h"
#include "ops/conv_pool/conv2d_fused.h"

namespace coracle::internal {
namespace {

std::vector<std::string_view> names(const KernelSelector& selector, const OpSchema& op) {
  std::vector<std::string_view> out;
  for (const KernelDef* kernel : selector.kernels(op)) out.emplace_back(kernel->name);
  return out;
}

TEST(KernelSelector, EveryOperatorEndsWithItsReference) {
  const KernelSelector selector({});
  for (const OpSchema* op : all_ops()) {
    if (op->reference == nullptr) {
      EXPECT_THROW(selector.kernels(*op), Error) << op->name;
      continue;
    }
    const std::span<const KernelDef* const> kernels = selector.kernels(*op);
    EXPECT_STREQ(kernels.back()->name, "reference") << op->name;
    for (const KernelDef* kernel : kernels) EXPECT_EQ(kernel->op, op) << op->name;
  }
}

TEST(KernelSelector, WiderInstructionSetsComeFirst) {
  const KernelSelector selector({.precision = Precision::kStrict});
  for (const OpSchema* op : all_ops()) {
    if (op->reference == nullptr) continue;
    const std::span<const KernelDef* const> kernels = selector.kernels(*op);
    for (size_t i = 1; i + 1 < kernels.size(); ++i)
      EXPECT_GE(kernels[i - 1]->capability, kernels[i]->capability) << op->name;
  }
}

/// True if some operands and results are of the types of both rules, as far as ports that neither names go.
bool overlap(const TypeRule& a, const TypeRule& b) {
  const auto common = [](DTypes x, DTypes y) { return !(x - (x - y)).empty(); };
  return common(a.operands, b.operands) && common(a.results, b.results);
}

TEST(KernelSelector, LeavesOutWhatAnyDeviceOfTheBuildHasAndRefusesOtherNames) {
  std::vector<std::string> all{"cost", "islands", "strided", "row_tiles"};
  for (const Device* device : all_devices()) {
    for (const KernelTable* table : device->kernels()) {
      for (const KernelDef& kernel : table->kernels) all.emplace_back(kernel.name);
    }
  }
  EXPECT_NO_THROW(KernelSelector({.disabled = all}));
  all.emplace_back("no_such_kernel");
  EXPECT_THROW(KernelSelector({.disabled = all}), Error);
}

TEST(KernelSelector, TheOrderOfFilesDecidesNothing) {
  struct Row {
    const KernelDef* kernel;
    const KernelTable* table;
  };
  std::map<std::tuple<const Device*, const OpSchema*, CapabilityLevel, CapabilityLevel>, std::vector<Row>> alike;
  for (const Device* device : all_devices()) {
    for (const KernelTable* table : device->kernels()) {
      for (const KernelDef& k : table->kernels) alike[{device, k.op, k.capability, k.mode}].push_back({&k, table});
    }
  }
  for (const auto& [key, rows] : alike) {
    for (size_t i = 0; i < rows.size(); ++i) {
      for (size_t j = i + 1; j < rows.size(); ++j) {
        const bool open = rows[i].table != rows[j].table && rows[i].kernel->rank == rows[j].kernel->rank;
        EXPECT_FALSE(open && overlap(rows[i].kernel->types, rows[j].kernel->types))
            << rows[i].kernel->name << " and " << rows[j].kernel->name << " take the same types: give one a rank";
      }
    }
  }
}

TEST(KernelSelector, ACapLeavesWiderKernelsOut) {
  const KernelSelector all({});
  const KernelSelector capped({.capability = cpu::Isa::kAny});
  EXPECT_EQ(capped.capability(), CapabilityLevel(cpu::Isa::kAny));
  for (const KernelDef* kernel : capped.kernels(kOpSchema<Conv2dFused>))
    EXPECT_EQ(cpu::kernel_isa(*kernel), cpu::Isa::kAny) << kernel->name;
  EXPECT_GT(all.kernels(kOpSchema<Conv2dFused>).size(), capped.kernels(kOpSchema<Conv2dFused>).size());
}

TEST(KernelSelector, MatrixTilesGoByPrecision) {
  for (Precision precision : {Precision::kStrict, Precision::kDefault, Precision::kHigh, Precision::kBf16}) {
    const KernelSelector selector({.precision = precision, .emulates_modes = true});
    const cpu::ComputeMode wanted = cpu::compute_mode_of(precision);
    bool after_tiles = false;
    for (const KernelDef* kernel : selector.kernels(kOpSchema<Conv2dFused>)) {
      if (cpu::kernel_mode(*kernel) == cpu::ComputeMode::kFloat32) {
        after_tiles = true;
      } else {
        EXPECT_EQ(cpu::kernel_mode(*kernel), wanted) << kernel->name;
        EXPECT_FALSE(after_tiles) << kernel->name;
      }
    }
    EXPECT_EQ(selector.kernels(kOpSchema<Conv2dFused>).front()->mode, CapabilityLevel(wanted));
  }
  const KernelSelector narrow({.capability = cpu::Isa::kAny});
  for (const KernelDef* kernel : narrow.kernels(kOpSchema<Conv2dFused>)) {
    EXPECT_EQ(cpu::kernel_mode(*kernel), cpu::ComputeMode::kFloat32) << kernel->name;
  }
}

TEST(KernelSelector, KernelsGoByThePrefixOfTheirNames) {
  const KernelSelector all({});
  const std::string_view first = names(all, kOpSchema<Conv2dFused>).front();
  const std::string family(first.substr(0, first.find('.')));
  const KernelSelector without({.disabled = {family}});
  for (std::string_view name : names(without, kOpSchema<Conv2dFused>)) EXPECT_FALSE(name.starts_with(family)) << name;
  EXPECT_EQ(names(without, kOpSchema<Conv2dFused>).back(), "reference");
  EXPECT_EQ(names(without, kOpSchema<Relu>), names(all, kOpSchema<Relu>)) << "other families stay";
}

TEST(KernelSelector, TheReferenceStaysWhateverIsDisabled) {
  const KernelSelector none({.disabled = {""}});
  EXPECT_EQ(names(none, kOpSchema<Relu>), (std::vector<std::string_view>{"reference"}));
}

}  // namespace
}  // namespace coracle::internal
