// SPDX-License-Identifier: Apache-2.0
#include "plan/written_kernel.h"

#include <gtest/gtest.h>

#include <array>
#include <string_view>

#include "ops/activation/relu.h"
#include "ops/conv_pool/conv2d.h"

namespace coracle::internal {
namespace {

RejectionReason fits_row(const void*, const ArgFacts&) { return nullptr; }
std::optional<CostEstimate> estimate_row(const void*, const ArgFacts&) { return std::nullopt; }
Prepared prepare_row(const void*, const ArgFacts&, PrepareContext&) { return {}; }
std::vector<Shape> bound_row(const void*, const ArgFacts&) { return {}; }
void run_row(KernelCall&) noexcept {}
void run_some_rows(const KernelCall&, int64_t, int64_t) noexcept {}

enum class Level : uint8_t { kLow, kHigh };

constexpr std::array kRows{KernelDef{.name = "relu.low", .op = &kOpSchema<Relu>, .run = run_row},
                           KernelDef{.name = "conv2d.high",
                                     .op = &kOpSchema<Conv2d>,
                                     .capability = Level::kHigh,
                                     .layout = LayoutRule::kChannelsLast,
                                     .mode = Level::kHigh,
                                     .types = {.operands = DType::kInt8,
                                               .results = DType::kInt32,
                                               .in = {{{.port = 1, .types = kIndexTypes}}},
                                               .out = {{{.port = 2, .types = kHalfTypes}}},
                                               .alike = true},
                                     .rank = kLastResort,
                                     .view = true,
                                     .strided = true,
                                     .sized = true,
                                     .doubles = true,
                                     .multiplies = 0.25,
                                     .fits = fits_row,
                                     .estimate = estimate_row,
                                     .prepare = prepare_row,
                                     .bounds = bound_row,
                                     .run = run_row,
                                     .run_rows = run_some_rows}};

void expect_same_types(const PortTypes& a, const PortTypes& b) {
  EXPECT_EQ(a.port, b.port);
  EXPECT_EQ(a.types, b.types);
}

TEST(WrittenKernel, IsTheConstant) {
  using Table = WrittenTable<kRows>;
  Table::write();
  Table::write();  // again changes nothing
  ASSERT_EQ(Table::elements().size(), kRows.size());
  for (size_t i = 0; i < kRows.size(); ++i) {
    const KernelDef& written = Table::elements()[i];
    const KernelDef& constant = kRows[i];
    EXPECT_EQ(std::string_view(written.name), constant.name);
    EXPECT_EQ(written.op, constant.op);
    EXPECT_EQ(written.capability, constant.capability);
    EXPECT_EQ(written.layout, constant.layout);
    EXPECT_EQ(written.mode, constant.mode);
    EXPECT_EQ(written.types.operands, constant.types.operands);
    EXPECT_EQ(written.types.results, constant.types.results);
    for (size_t p = 0; p < constant.types.in.size(); ++p) expect_same_types(written.types.in[p], constant.types.in[p]);
    for (size_t p = 0; p < constant.types.out.size(); ++p)
      expect_same_types(written.types.out[p], constant.types.out[p]);
    EXPECT_EQ(written.types.alike, constant.types.alike);
    EXPECT_EQ(written.rank, constant.rank);
    EXPECT_EQ(written.view, constant.view);
    EXPECT_EQ(written.strided, constant.strided);
    EXPECT_EQ(written.sized, constant.sized);
    EXPECT_EQ(written.doubles, constant.doubles);
    EXPECT_EQ(written.multiplies, constant.multiplies);
    EXPECT_EQ(written.fits, constant.fits);
    EXPECT_EQ(written.estimate, constant.estimate);
    EXPECT_EQ(written.prepare, constant.prepare);
    EXPECT_EQ(written.bounds, constant.bounds);
    EXPECT_EQ(written.run, constant.run);
    EXPECT_EQ(written.run_rows, constant.run_rows);
  }
}

}  // namespace
}  // namespace coracle::internal
