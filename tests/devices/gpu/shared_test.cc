// SPDX-License-Identifier: Apache-2.0
// What kinds of devices share, without a device.
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "base/error.h"
#include "devices/gpu/kernel_tables.h"
#include "devices/gpu/launch_plan.h"
#include "ops/activation/relu.h"
#include "plan/device.h"

namespace coracle::internal::test {
namespace {

std::map<std::string_view, const KernelDef*> by_name(std::span<const KernelTable* const> tables) {
  std::map<std::string_view, const KernelDef*> kernels;
  for (const KernelTable* table : tables) {
    for (const KernelDef& kernel : table->kernels)
      EXPECT_TRUE(kernels.emplace(kernel.name, &kernel).second) << kernel.name;
  }
  return kernels;
}

TEST(GpuKernelTables, KernelsAreNamedAfterTheirDevice) {
  const gpu::KernelTables one("one");
  const gpu::KernelTables two("two");
  const auto of_one = by_name(one.all());
  const auto of_two = by_name(two.all());
  EXPECT_GT(of_one.size(), 100U);
  EXPECT_EQ(of_one.size(), of_two.size());
  for (const auto& [name, kernel] : of_one) {
    EXPECT_EQ(name, text(kernel->op->name, ".one"));
    const KernelDef& same = *of_two.at(text(kernel->op->name, ".two"));
    EXPECT_EQ(same.prepare, kernel->prepare);
    EXPECT_EQ(same.rank, kernel->rank);
  }
}

TEST(GpuKernelTables, KernelsOfItsOwnComeFirst) {
  static constexpr KernelDef kOwn[] = {{.name = "relu.fast.one", .op = &kOpSchema<Relu>}};
  static constexpr KernelTable kTable = {kOwn};
  const KernelTable* const own[] = {&kTable};
  const gpu::KernelTables tables("one", own);
  EXPECT_EQ(tables.all().front(), &kTable);
  EXPECT_LT(by_name(tables.all()).at("relu.one")->rank, kOwn[0].rank);
}

TEST(GpuLaunch, GroupsAreWhole) {
  const auto whole = [](gpu::Grid grid, size_t largest = 1024) {
    const gpu::Grid g = gpu::whole_groups(grid, largest);
    return std::vector<size_t>{g.global[0], g.global[1], g.global[2], g.local[0], g.local[1], g.local[2]};
  };
  EXPECT_EQ(whole({.global = {65, 2, 3}}), (std::vector<size_t>{128, 2, 3, 64, 1, 1}));
  EXPECT_EQ(whole({.global = {65, 1, 1}}, 16), (std::vector<size_t>{80, 1, 1, 16, 1, 1}));
  EXPECT_EQ(whole({.global = {65, 9, 1}, .local = {8, 8, 0}}, 16), (std::vector<size_t>{72, 16, 1, 8, 8, 1}));
  EXPECT_EQ(whole({.global = {0, 1, 1}}).front(), 0U);
}

TEST(GpuLaunch, ArgumentsAreTheirBytes) {
  const auto bytes = [](const gpu::Argument& a, auto value) {
    return a.size() == sizeof(value) && std::memcmp(a.value(), &value, sizeof(value)) == 0;
  };
  EXPECT_TRUE(bytes(int32_t{-7}, int32_t{-7}));
  EXPECT_TRUE(bytes(0.5F, 0.5F));
  EXPECT_EQ(gpu::Argument(7).allocation(), nullptr);
  int block = 0;
  const gpu::Argument memory(DeviceBytes{&block, 24}, 8);
  EXPECT_EQ(*memory.allocation(), &block);
  EXPECT_TRUE(bytes(memory, int64_t{3}));
  const gpu::Argument nothing(DeviceBytes{}, 8);
  EXPECT_EQ(*nothing.allocation(), nullptr);
  const Fact halves(DType::kFloat16, {4});
  EXPECT_TRUE(bytes(TensorView{&block, &halves, 24}, int64_t{12}));
}

TEST(GpuLaunch, DefinitionsAreWords) {
  gpu::Definitions d;
  d.set("A", 3).set("B", "x + y").set_each("EACH", 1, 3).set_stored(DType::kFloat32).set_stored(DType::kFloat16);
  EXPECT_EQ(d.text(), "-DA=3 -DB=x+y -DEACH(f)=f(1)f(2) -DHALF=1");
}

TEST(GpuSources, BeginWithThePreludeAndHoldWhatTheyInclude) {
  const std::string whole = gpu::with_prelude({"gather"});
  EXPECT_LT(whole.find("#define KERNEL"), whole.find("#line 1 \"gather.cl\""));
  EXPECT_NE(whole.find("void index_out_of_range("), whole.npos);
  EXPECT_EQ(whole.find("#include"), whole.npos);
  const std::string own = gpu::with_prelude({"own", "int x;\n#include \"lanes.cl\"\nint y;\n"});
  EXPECT_NE(own.find("JOIN_LANES(sum"), own.npos);
  EXPECT_NE(own.find("\n#line 3 \"own.cl\"\nint y;\n"), own.npos);
  try {
    gpu::with_prelude({"no_such_file"});
    FAIL() << "a source that there is not";
  } catch (const Error& error) {
    EXPECT_EQ(error.text(), "there is no source kernels/no_such_file.cl");
  }
}

}  // namespace
}  // namespace coracle::internal::test
