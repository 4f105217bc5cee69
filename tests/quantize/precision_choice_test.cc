// SPDX-License-Identifier: Apache-2.0
#include "quantize/precision_choice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

// The choice of precisions from made-up times and errors.
namespace coracle::internal::quantize {
namespace {

using enum LayerPrecision;

/// A layer of int8 and float32.
LayerCosts two(double int8_time, double int8_error, double float32_time) {
  LayerCosts costs;
  costs.in(kInt8) = {int8_time, int8_error};
  costs.in(kFloat32) = {float32_time, 0};
  return costs;
}
/// And of bf16, as on processors that are faster with it.
LayerCosts three(double int8_time, double int8_error, double bf16_time, double bf16_error, double float32_time) {
  LayerCosts costs = two(int8_time, int8_error, float32_time);
  costs.in(kBf16) = {bf16_time, bf16_error};
  return costs;
}

/// Errors of layers that have nothing to do with each other.
double independent_error(const LayerPrecisions& precisions, const PrecisionTable& table) {
  double square = 0;
  for (size_t i = 0; i < table.size(); ++i) square += std::pow(table[i].in(precisions[i])->error, 2);
  return std::sqrt(square);
}
Judge within(double bound, const PrecisionTable& table) {
  return [bound, &table](const LayerPrecisions& p) {
    const double error = independent_error(p, table);
    return Verdict{error <= bound, error};
  };
}

TEST(QuantizePrecisionChoice, BeginsWithWhatIsFastest) {
  const PrecisionTable table{two(1, 0.1, 2), two(2, 0.1, 1), two(0.98, 0.1, 0.97), three(1, 0.1, 0.5, 0.01, 2)};
  EXPECT_EQ(fastest_precisions(table), (LayerPrecisions{kInt8, kFloat32, kInt8, kBf16}));
  const PrecisionChoice choice = choose_precisions(table, within(1, table));
  EXPECT_EQ(choice.precisions, fastest_precisions(table));
  EXPECT_TRUE(choice.verdict.near_enough);
}

TEST(QuantizePrecisionChoice, GivesBackWhatGainsMostForItsTime) {
  // Layer 1 has the larger error, layer 0 gains more for a millisecond.
  const PrecisionTable table{two(1, 0.1, 1.1), two(1, 0.2, 11), two(1, 0.001, 1.2)};
  const std::vector<Exchange> exchanges = exchanges_from(fastest_precisions(table), table);
  ASSERT_EQ(exchanges.size(), 3U);
  EXPECT_EQ(exchanges[0].layer, 0U);
  EXPECT_EQ(exchanges[1].layer, 1U);
  EXPECT_NEAR(exchanges[1].time, 10, 1e-9);
  EXPECT_NEAR(exchanges[1].square, 0.04, 1e-9);
  EXPECT_EQ(choose_precisions(table, within(0.21, table)).precisions, (LayerPrecisions{kFloat32, kInt8, kInt8}));
  EXPECT_EQ(choose_precisions(table, within(0, table)).precisions, (LayerPrecisions{kFloat32, kFloat32, kFloat32}));
}

TEST(QuantizePrecisionChoice, GoesByBf16WhereThatGainsMore) {
  const PrecisionTable table{three(1, 0.1, 1.5, 0.02, 4), three(1, 0.1, 3.9, 0.09, 4)};
  const std::vector<Exchange> exchanges = exchanges_from({kInt8, kInt8}, table);
  ASSERT_EQ(exchanges.size(), 3U);
  EXPECT_EQ(exchanges[0].layer, 0U);
  EXPECT_EQ(exchanges[0].to, kBf16);
  EXPECT_EQ(exchanges[1].layer, 1U);  // not by bf16, which is hardly nearer
  EXPECT_EQ(exchanges[1].to, kFloat32);
  EXPECT_EQ(exchanges[2].layer, 0U);
  EXPECT_EQ(exchanges[2].from, kBf16);
  EXPECT_EQ(choose_precisions(table, within(0.11, table)).precisions, (LayerPrecisions{kBf16, kInt8}));
  EXPECT_EQ(choose_precisions(table, within(0.03, table)).precisions, (LayerPrecisions{kBf16, kFloat32}));
  EXPECT_EQ(choose_precisions(table, within(0.01, table)).precisions, (LayerPrecisions{kFloat32, kFloat32}));
}

TEST(QuantizePrecisionChoice, ExchangesThatLoseNothingComeFirst) {
  const PrecisionTable table{two(1, 0.1, 1.5), two(1, 0.02, 0.99), two(1, 0.03, 1)};
  const std::vector<Exchange> exchanges = exchanges_from({kInt8, kInt8, kInt8}, table);
  ASSERT_EQ(exchanges.size(), 3U);
  EXPECT_EQ(exchanges[0].layer, 2U);
  EXPECT_EQ(exchanges[1].layer, 1U);
  EXPECT_EQ(exchanges[2].layer, 0U);
}

// What counts is the answers of the whole model, whatever the layers alone have.
TEST(QuantizePrecisionChoice, TheVerdictIsOnTheWholeModel) {
  const PrecisionTable table{two(1, 0.3, 1.1), two(1, 0.1, 2), two(1, 0.2, 3)};
  const auto only_with_the_second = [](const LayerPrecisions& p) {
    return Verdict{p[1] == kFloat32, p[1] == kFloat32 ? 0.0 : 1.0};
  };
  // The first has to be given back on the way to the second, and turns out not to be needed.
  const PrecisionChoice choice = choose_precisions(table, only_with_the_second);
  EXPECT_EQ(choice.precisions, (LayerPrecisions{kInt8, kFloat32, kInt8}));
  EXPECT_TRUE(choice.verdict.near_enough);
}

TEST(QuantizePrecisionChoice, SaysWhatIsNearestWhereNothingIsNearEnough) {
  const PrecisionTable table{two(1, 0.3, 2), two(1, 0.1, 2)};
  const auto never = [&](const LayerPrecisions& p) { return Verdict{false, 0.5 + independent_error(p, table)}; };
  const PrecisionChoice choice = choose_precisions(table, never);
  EXPECT_FALSE(choice.verdict.near_enough);
  EXPECT_EQ(choice.verdict.error, 0.5);
  EXPECT_EQ(choice.precisions, (LayerPrecisions{kFloat32, kFloat32}));
}

TEST(QuantizePrecisionChoice, NoLayersAreAChoiceToo) {
  const PrecisionChoice choice = choose_precisions({}, [](const LayerPrecisions&) { return Verdict{true, 0}; });
  EXPECT_TRUE(choice.precisions.empty());
  EXPECT_TRUE(choice.verdict.near_enough);
}

// Within the bound, with no time given away for nothing, and the same each time.
TEST(QuantizePrecisionChoice, MadeUpTables) {
  std::mt19937 random(1);
  const auto between = [&](double least, double most) {
    return least + (most - least) * static_cast<double>(random()) / static_cast<double>(std::mt19937::max());
  };
  for (int t = 0; t < 200; ++t) {
    PrecisionTable table;
    for (int layer = 0; layer < 12; ++layer) {
      const double float32 = between(0.1, 3);
      const bool has_bf16 = random() % 2 == 0;
      const double int8 = float32 * between(0.3, 1.2);
      const double error = between(0, 0.1);
      table.push_back(has_bf16 ? three(int8, error, float32 * between(0.5, 1.1), error * between(0.05, 1.1), float32)
                               : two(int8, error, float32));
    }
    const double bound = between(0, 0.2);
    const PrecisionChoice choice = choose_precisions(table, within(bound, table));
    ASSERT_TRUE(choice.verdict.near_enough) << t;
    EXPECT_EQ(choice.verdict.error, independent_error(choice.precisions, table));
    EXPECT_LE(choice.verdict.error, bound);
    EXPECT_EQ(choose_precisions(table, within(bound, table)).precisions, choice.precisions);
    for (const Exchange& e : exchanges_from(fastest_precisions(table), table)) {
      if (choice.precisions[e.layer] != e.to || e.time <= 0) continue;
      LayerPrecisions faster = choice.precisions;
      faster[e.layer] = e.from;
      EXPECT_GT(independent_error(faster, table), bound) << t << " " << e.layer;
    }
    EXPECT_LE(time_with(fastest_precisions(table), table), time_with(choice.precisions, table) * 1.04);
  }
}

}  // namespace
}  // namespace coracle::internal::quantize
