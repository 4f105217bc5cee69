// SPDX-License-Identifier: Apache-2.0
#include "serve/batch_gain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>

namespace coracle::serve {
namespace {

using std::chrono::milliseconds;
using Cost = std::function<int64_t(int64_t rows)>;  // milliseconds of a run

/// Runs of which each takes what the gain says, of `waiting` rows; the largest of the last hundred.
int64_t settles_at(BatchGain& gain, const Cost& cost, int64_t waiting = 8, int64_t first = 1) {
  Clock::time_point now;
  int64_t most = 0;
  for (int i = 0; i < 200; ++i) {
    // A request runs whole, so that batches have a multiple of its rows.
    const int64_t rows = std::max(first, gain.rows("x", first, waiting) / first * first);
    BatchGain::Run run(gain, now);
    now += milliseconds(cost(rows));
    run.done("x", rows, now);
    if (i >= 100) most = std::max(most, rows);
  }
  return most;
}

TEST(BatchGain, RowsThatCostTheSameRunOneByOne) {
  BatchGain gain(1);
  EXPECT_EQ(settles_at(gain, [](int64_t rows) { return 100 * rows; }), 1);
}

TEST(BatchGain, RowsThatCostLessTogetherRunTogether) {
  BatchGain gain(1);
  EXPECT_EQ(settles_at(gain, [](int64_t rows) { return 100 + 10 * rows; }), 8);
}

TEST(BatchGain, ShortRowsRunTogether) {
  BatchGain gain(1);
  EXPECT_EQ(settles_at(gain, [](int64_t rows) { return 19 * rows; }), 8);
}

TEST(BatchGain, ABatchGrowsAsLongAsThatPays) {
  BatchGain gain(1);
  EXPECT_EQ(settles_at(gain, [](int64_t rows) { return rows < 4 ? 100 + 10 * rows : 50 * rows; }), 3);
}

TEST(BatchGain, TakesNoMoreThanWaits) {
  BatchGain gain(1);
  EXPECT_EQ(settles_at(
                gain, [](int64_t) { return 100; }, 5),
            5);
  EXPECT_EQ(gain.rows("x", 1, 1), 1);
  EXPECT_EQ(gain.rows("never seen", 3, 3), 3);
}

TEST(BatchGain, RequestsOfSeveralRowsAreJoinedToo) {
  BatchGain gain(1);
  EXPECT_EQ(settles_at(
                gain, [](int64_t rows) { return 100 + rows; }, 16, 3),
            15);
}

TEST(BatchGain, TheFirstRunOfASizeDoesNotCount) {
  BatchGain gain(1);
  int runs = 0;
  EXPECT_EQ(settles_at(gain, [&](int64_t rows) { return rows == 1 && runs++ == 0 ? 1000000 : 100 * rows; }), 1);
}

TEST(BatchGain, FollowsWhatChanges) {
  BatchGain gain(1);
  EXPECT_EQ(settles_at(gain, [](int64_t rows) { return 100 * rows; }), 1);
  bool joined = false;
  for (int i = 0; i < 20 && !joined; ++i) joined = settles_at(gain, [](int64_t rows) { return 90 + 10 * rows; }) == 8;
  EXPECT_TRUE(joined) << "larger batches are tried again";
}

/// Of two instances: a run alone has all processors, which says nothing of runs while requests wait.
TEST(BatchGain, RunsWithoutOthersBesideThemTeachNothing) {
  BatchGain gain(2);
  Clock::time_point now;
  const auto run = [&](int64_t rows, int64_t ms, bool beside) {
    for (int i = 0; i < 6; ++i) {
      std::optional<BatchGain::Run> other;
      if (beside) other.emplace(gain, now);
      BatchGain::Run own(gain, now);
      now += milliseconds(ms);
      own.done("x", rows, now);
    }
  };
  run(1, 50, false);
  run(2, 160, true);
  EXPECT_EQ(gain.rows("x", 1, 2), 1) << "one row is to be measured first";
  run(1, 100, true);
  EXPECT_EQ(gain.rows("x", 1, 2), 2);
}

TEST(BatchGain, ARunThatFailsTeachesNothing) {
  BatchGain gain(1);
  Clock::time_point now;
  for (int i = 0; i < 20; ++i) {
    const BatchGain::Run failed(gain, now);
    now += milliseconds(1);
  }
  EXPECT_EQ(gain.rows("x", 1, 8), 1) << "nothing is known yet";
}

}  // namespace
}  // namespace coracle::serve
