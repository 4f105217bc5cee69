// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "files.h"
#include "program.h"

// Ctrl-C: what was measured is told, and the exit code is that of shells.
namespace coracle::internal {
namespace {

#ifdef CORACLE_SANITIZED
constexpr int kAfterMs = 10000;  // until then runs have begun
#else
constexpr int kAfterMs = 3000;
#endif

TEST(Interrupt, BenchTellsWhatItMeasured) {
  const test::TemporaryFolder folder;
  const std::string model = test::write_model(folder, test::product_model());
  const test::Outcome outcome =
      test::coracle_program({"bench", model, "--shape", "x=300000,2", "--repeat", "1000000"}, {}, kAfterMs);
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_NE(outcome.out.find("median"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.err.find("interrupted after"), std::string::npos) << outcome.err;
}

TEST(Interrupt, EndsAllSessionsOfBench) {
  const test::TemporaryFolder folder;
  const std::string model = test::write_model(folder, test::product_model());
  const test::Outcome outcome = test::coracle_program(
      {"bench", model, "--shape", "x=300000,2", "--sessions", "3", "--duration", "100000"}, {}, kAfterMs);
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_NE(outcome.out.find("by 3 sessions"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.err.find("interrupted after"), std::string::npos) << outcome.err;
}

TEST(Interrupt, WithoutAMeasurementThereIsNoResult) {
  const test::TemporaryFolder folder;
  const std::string model = test::write_model(folder, test::product_model());
  const test::Outcome outcome =
      test::coracle_program({"bench", model, "--shape", "x=300000,2", "--warmup", "1000000"}, {}, kAfterMs);
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_EQ(outcome.out, "");
}

TEST(Interrupt, EndsCommandsThatRunOnRegardless) {
  const test::TemporaryFolder folder;
  const std::string picture = folder.path("a.png");
  test::write_png(picture, 90, 120, {250, 10, 10});
  std::vector<std::string> arguments = {"predict", CORACLE_VISION_TESTS "/objects", "--description",
                                        CORACLE_VISION_TESTS "/descriptions/objects.yml"};
  arguments.insert(arguments.end(), 20000, picture);
  const test::Outcome outcome = test::coracle_program(arguments, {}, 1000);
  EXPECT_EQ(outcome.code, 130);
  EXPECT_EQ(outcome.err, "coracle: interrupted\n");
}

}  // namespace
}  // namespace coracle::internal
