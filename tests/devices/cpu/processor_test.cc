// SPDX-License-Identifier: Apache-2.0
// Other processors than this machine's: what is packed for them, and how it is computed with.
#include "devices/cpu/processor.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "devices/cpu/gemm_plan.h"
#include "devices/cpu/isa/isa_test.h"
#include "support/emulated_processor.h"
#include "support/plain_tables.h"

namespace coracle::internal::cpu {
namespace {

TEST(Processors, AreWhatTheirTableSays) {
  const Isa here = detected_isa();
  std::set<std::string_view> names;
  for (const Processor* p : test::emulated_processors()) {
    EXPECT_TRUE(names.insert(p->name).second) << p->name;
    const test::EmulatedProcessor emulated(*p);
    EXPECT_EQ(detected_isa(), p->isa());
    EXPECT_EQ(&processor(), p);
  }
  EXPECT_EQ(detected_isa(), here);
  EXPECT_THROW(test::processor_named("z80"), Error);
}

/// What tests/support/emulated_processor.cc has no stand-in for would never be tested on this machine.
TEST(Processors, AreAllEmulatedWithAvx2) {
#if defined(CORACLE_SANITIZED) || defined(CORACLE_WITHOUT_SSE2)
  GTEST_SKIP() << "builds with sanitizers, or without SSE2, have no stand-ins for some processors";
#endif
  if (!runs_here(Isa::kAvx2)) GTEST_SKIP() << "this machine has no AVX2";
  std::set<std::string_view> emulated;
  for (const Processor* p : test::emulated_processors()) emulated.insert(p->name);
  for (const Processor& p : known_processors()) EXPECT_TRUE(emulated.contains(p.name)) << p.name;
}

#if defined(__x86_64__)
struct Source {
  GemmShape shape;
  int64_t inner;
  bool by_columns;
  float scale;
};

std::vector<float> packed_by(const GemmFunctions& f, const Source& s) {
  const int64_t depth = s.shape.depth;
  const int64_t columns = s.shape.columns;
  std::vector<float> numbers = random_floats(static_cast<size_t>(s.shape.taps * depth * columns), 1);
  for (size_t i = 0; i < numbers.size(); i += 7) numbers[i] = i % 2 == 0 ? 1e-39F : -1e-40F;  // denormal
  std::vector<int64_t> taps;
  for (int64_t t = 0; t < s.shape.taps; ++t) taps.push_back(t * depth * columns);
  GemmSource source{.data = numbers.data(), .tap_offsets = taps.data(), .inner = s.inner, .scale = s.scale};
  source.inner_stride = s.by_columns ? 1 : columns;
  source.column_stride = s.by_columns ? depth : 1;
  source.join_stride = s.inner * source.inner_stride;
  std::vector<float> packed(static_cast<size_t>(f.packed_floats(s.shape)), 7.0F);
  f.pack(s.shape, source, packed.data(), 0, f.panels(columns));
  return packed;
}

/// Plain code packs what the vectors of an instruction set do, to the bit.
TEST(PlainPanels, AreThoseOfTheInstructionSets) {
  for (const Isa isa : tested_isas()) {
    SCOPED_TRACE(name_of(isa));
    const GemmFunctions& real = gemm_table(isa);
    const GemmFunctions& plain = test::plain_gemm(isa);
    EXPECT_EQ(real.narrow->panel_columns, plain.narrow->panel_columns);
    EXPECT_EQ(real.narrow->run == nullptr, plain.narrow->run == nullptr);
    for (int64_t columns = 1; columns < 100; ++columns) {
      EXPECT_EQ(real.panels(columns), plain.panels(columns)) << columns;
      EXPECT_EQ(real.tile_rows(columns), plain.tile_rows(columns)) << columns;
      for (const Source& s : {Source{{1, 5, columns}, 5, false, 1},
                              {{1, 18, columns}, 18, true, 1},
                              {{3, 9, columns}, 3, false, -2},
                              {{2, 7, columns}, 7, true, 0.5F}}) {
        const std::vector<float> a = packed_by(real, s);
        const std::vector<float> b = packed_by(plain, s);
        ASSERT_EQ(a.size(), b.size()) << columns;
        EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(float)), 0) << columns;
      }
      const std::vector<float> weights = random_floats(static_cast<size_t>(9 * columns), 2);
      const DepthwiseFunctions& real_channels = depthwise_table(isa);
      const DepthwiseFunctions& plain_channels = test::plain_depthwise(isa);
      std::vector<float> a(static_cast<size_t>(real_channels.packed_floats(9, columns)), 7.0F);
      std::vector<float> b(static_cast<size_t>(plain_channels.packed_floats(9, columns)), 8.0F);
      real_channels.pack(weights.data(), 9, columns, a.data());
      plain_channels.pack(weights.data(), 9, columns, b.data());
      EXPECT_EQ(a, b) << columns;
    }
    GemmCall call;
    for (const GemmShape& shape : {GemmShape{1, 20, 8}, {1, 500, 8}, {1, 2000, 8}, {65, 8, 8}, {64, 500, 8}}) {
      for (const int64_t stride : {int64_t{24}, int64_t{1024}}) {
        call.shape = shape;
        call.a_stride = stride;
        EXPECT_EQ(real.sums_wait_in_c(call), plain.sums_wait_in_c(call)) << shape.taps << ", " << shape.depth;
      }
    }
  }
}
#endif

}  // namespace
}  // namespace coracle::internal::cpu
