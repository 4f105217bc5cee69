// SPDX-License-Identifier: Apache-2.0
#include "serve/batch_gain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
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
  BatchGain gain;
  EXPECT_EQ(settles_at(gain, [](int64_t rows) { return 100 * rows; }), 1);
}

TEST(BatchGain, RowsThatCostLessTogetherRunTogether) {
  BatchGain gain;
  EXPECT_EQ(settles_at(gain, [](int64_t rows) { return 100 + 10 * rows; }), 8);
}

TEST(BatchGain, ABatchGrowsAsLongAsThatPays) {
  BatchGain gain;
  EXPECT_EQ(settles_at(gain, [](int64_t rows) { return rows < 4 ? 100 + 10 * rows : 50 * rows; }), 3);
}

TEST(BatchGain, TakesNoMoreThanWaits) {
  BatchGain gain;
  EXPECT_EQ(settles_at(
                gain, [](int64_t) { return 100; }, 5),
            5);
  EXPECT_EQ(gain.rows("x", 1, 1), 1);
  EXPECT_EQ(gain.rows("never seen", 3, 3), 3);
}

TEST(BatchGain, RequestsOfSeveralRowsAreJoinedToo) {
  BatchGain gain;
  EXPECT_EQ(settles_at(
                gain, [](int64_t rows) { return 100 + rows; }, 16, 3),
            15);
}

TEST(BatchGain, TheFirstRunOfASizeDoesNotCount) {
  BatchGain gain;
  int runs = 0;
  EXPECT_EQ(settles_at(gain, [&](int64_t rows) { return rows == 1 && runs++ == 0 ? 1000000 : 100 * rows; }), 1);
}

TEST(BatchGain, FollowsWhatChanges) {
  BatchGain gain;
  EXPECT_EQ(settles_at(gain, [](int64_t rows) { return 100 * rows; }), 1);
  bool joined = false;
  for (int i = 0; i < 20 && !joined; ++i) joined = settles_at(gain, [](int64_t rows) { return 90 + 10 * rows; }) == 8;
  EXPECT_TRUE(joined) << "larger batches are tried again";
}

/// Two runs at the same time have half of the time each; a run alone has all of it.
TEST(BatchGain, RunsAtTheSameTimeShareIt) {
  BatchGain gain;
  Clock::time_point now;
  for (int i = 0; i < 6; ++i) {
    BatchGain::Run alone(gain, now);
    now += milliseconds(100);
    alone.done("x", 1, now);
  }
  for (int i = 0; i < 6; ++i) {
    BatchGain::Run one(gain, now);
    BatchGain::Run other(gain, now);
    now += milliseconds(200);
    one.done("x", 2, now);  // 50 ms each row: a gain
    other.done("y", 2, now);
  }
  EXPECT_EQ(gain.rows("x", 1, 2), 2);
}

TEST(BatchGain, ARunThatFailsTeachesNothing) {
  BatchGain gain;
  Clock::time_point now;
  for (int i = 0; i < 20; ++i) {
    const BatchGain::Run failed(gain, now);
    now += milliseconds(1);
  }
  EXPECT_EQ(gain.rows("x", 1, 8), 1) << "nothing is known yet";
}

}  // namespace
}  // namespace coracle::serve
