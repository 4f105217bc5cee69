// SPDX-License-Identifier: Apache-2.0
#include "serve/request_queue.h"

#include <gtest/gtest.h>

#include <thread>

namespace coracle::serve {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr microseconds kLong{60'000'000};

/// A request of so many rows of `width` elements, whose answer is kept.
struct Asked {
  InferencePtr request = std::make_shared<Inference>();
  std::shared_ptr<std::optional<Answer>> answer = std::make_shared<std::optional<Answer>>();

  explicit Asked(int64_t rows, int64_t width = 4) {
    Tensor input;
    input.dims = {rows, width};
    request->inputs.push_back(input);
    request->answer = [kept = answer](Answer a) { *kept = std::move(a); };
  }
  Asked& priority(uint32_t level) {
    request->priority = level;
    return *this;
  }
};

int64_t rows_of_all(const std::vector<InferencePtr>& requests) {
  int64_t rows = 0;
  for (const InferencePtr& request : requests) rows += request->inputs.front().dims.front();
  return rows;
}

BatchOptions batches_of(int64_t most, microseconds delay = kLong, std::vector<int64_t> preferred = {}) {
  BatchOptions options;
  options.max_batch_size = most;
  options.max_queue_delay = delay;
  options.preferred_batch_size = std::move(preferred);
  return options;
}

TEST(RequestQueue, RequestsRunAloneWithoutBatching) {
  RequestQueue queue(batches_of(0, microseconds(0)));
  queue.push(Asked(1).request);
  queue.push(Asked(2).request);
  EXPECT_EQ(queue.size(), 2U);
  EXPECT_EQ(rows_of_all(queue.pop()), 1);
  EXPECT_EQ(rows_of_all(queue.pop()), 2);
  EXPECT_EQ(queue.size(), 0U);
}

TEST(RequestQueue, TakesWhatIsWorthToRunTogether) {
  const auto two = [](const std::string&, int64_t first, int64_t waiting) { return std::min(waiting, first + 1); };
  RequestQueue queue(batches_of(8, microseconds(0)), nullptr, two);
  for (int i = 0; i < 5; ++i) queue.push(Asked(1).request);
  EXPECT_EQ(rows_of_all(queue.pop()), 2);
  EXPECT_EQ(rows_of_all(queue.pop()), 2);
  EXPECT_EQ(rows_of_all(queue.pop()), 1);
}

TEST(RequestQueue, WhoLetsRequestsWaitForOthersGetsTheirBatches) {
  const auto one = [](const std::string&, int64_t, int64_t) { return int64_t{1}; };
  BatchOptions padded = batches_of(8, microseconds(0));
  padded.pad_axis = 1;
  for (const BatchOptions& options : {batches_of(8), batches_of(8, microseconds(0), {4}), padded}) {
    RequestQueue queue(options, nullptr, one);
    for (int i = 0; i < 8; ++i) queue.push(Asked(1).request);
    EXPECT_EQ(rows_of_all(queue.pop()), 8);
  }
}

TEST(RequestQueue, RowsAreJoinedUpToTheMost) {
  RequestQueue queue(batches_of(4));
  for (int i = 0; i < 3; ++i) queue.push(Asked(2).request);
  const std::vector<InferencePtr> first = queue.pop();
  EXPECT_EQ(first.size(), 2U);
  EXPECT_EQ(rows_of_all(first), 4);
  queue.close();
  EXPECT_EQ(rows_of_all(queue.pop()), 2);
  EXPECT_TRUE(queue.pop().empty());
}

TEST(RequestQueue, APreferredSizeDoesNotWait) {
  RequestQueue queue(batches_of(8, kLong, {2, 4}));
  for (int i = 0; i < 5; ++i) queue.push(Asked(1).request);
  EXPECT_EQ(rows_of_all(queue.pop()), 4);  // the larger one that can be had
  queue.push(Asked(1).request);
  EXPECT_EQ(rows_of_all(queue.pop()), 2);
}

TEST(RequestQueue, FewerWaitForTheDelay) {
  const milliseconds delay{30};
  RequestQueue queue(batches_of(8, delay, {8}));
  const Clock::time_point begin = Clock::now();
  queue.push(Asked(1).request);
  EXPECT_EQ(rows_of_all(queue.pop()), 1);
  EXPECT_GE(Clock::now() - begin, delay);
}

TEST(RequestQueue, ShapesAreNotMixed) {
  RequestQueue queue(batches_of(4));
  for (int i = 0; i < 4; ++i) {
    queue.push(Asked(1, 4).request);
    queue.push(Asked(1, 5).request);
  }
  for (int i = 0; i < 2; ++i) {
    const std::vector<InferencePtr> together = queue.pop();
    ASSERT_EQ(together.size(), 4U);
    for (const InferencePtr& request : together)
      EXPECT_EQ(request->inputs.front().dims, together.front()->inputs.front().dims);
  }
}

TEST(RequestQueue, MoreRowsThanTheMostRunAlone) {
  RequestQueue queue(batches_of(4));
  queue.push(Asked(1).request);
  queue.push(Asked(9).request);
  EXPECT_EQ(rows_of_all(queue.pop()), 9);  // at once, where the other one waits
  EXPECT_EQ(queue.size(), 1U);
}

TEST(RequestQueue, SequencesRunAlone) {
  RequestQueue queue(batches_of(4));
  Asked sequence(2);
  sequence.request->inputs.front().lod = {{0, 1, 2}};
  queue.push(sequence.request);
  EXPECT_EQ(queue.pop().size(), 1U);
}

TEST(RequestQueue, HigherPrioritiesGoFirst) {
  BatchOptions options = batches_of(2);
  options.priority_levels = 2;
  options.default_priority_level = 2;
  RequestQueue queue(options);
  queue.push(Asked(1).request);
  Asked urgent(1);
  queue.push(urgent.priority(1).request);
  queue.push(Asked(1).request);
  const std::vector<InferencePtr> first = queue.pop();
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first.front(), urgent.request);
  // A level that the model has not is its default one.
  Asked other(1);
  queue.push(other.priority(3).request);
  EXPECT_EQ(queue.pop().back(), other.request);
}

TEST(RequestQueue, AFullQueueRefuses) {
  BatchOptions options = batches_of(8);
  options.default_queue_policy.max_queue_size = 2;
  RequestQueue queue(options);
  queue.push(Asked(1).request);
  queue.push(Asked(1).request);
  try {
    queue.push(Asked(1).request);
    FAIL() << "the third request was taken";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), Code::kResourceExhausted);
  }
}

TEST(RequestQueue, WhatWaitsTooLongIsAnswered) {
  BatchOptions options = batches_of(8);
  options.default_queue_policy.default_timeout = milliseconds(5);
  RequestQueue queue(options);
  const Asked late(1);
  queue.push(late.request);
  std::thread closes([&] {
    std::this_thread::sleep_for(milliseconds(50));
    queue.close();
  });
  EXPECT_TRUE(queue.pop().empty());
  closes.join();
  ASSERT_TRUE(late.answer->has_value());
  ASSERT_TRUE((*late.answer)->failure.has_value());
  EXPECT_EQ((*late.answer)->failure->code(), Code::kDeadlineExceeded);
}

TEST(RequestQueue, ADelayedRequestRunsAfterTheOthers) {
  BatchOptions options = batches_of(1, microseconds(0));
  options.default_queue_policy.default_timeout = milliseconds(1);
  options.default_queue_policy.timeout_action = QueuePolicy::TimeoutAction::kDelay;
  RequestQueue queue(options);
  const Asked late(1);
  late.request->deadline = Clock::now();  // which does not count: the policy's time does
  queue.push(late.request);
  std::this_thread::sleep_for(milliseconds(3));
  const Asked fresh(1);
  queue.push(fresh.request);
  EXPECT_EQ(queue.pop().front(), fresh.request);
  EXPECT_EQ(queue.pop().front(), late.request);
  EXPECT_FALSE(late.request->deadline.has_value()) << "it is to run, however late";
}

TEST(RequestQueue, ARequestMayShortenItsTimeOnlyWhereThatIsAllowed) {
  for (const bool allowed : {false, true}) {
    BatchOptions options = batches_of(8, milliseconds(30));
    options.default_queue_policy.default_timeout = milliseconds(10'000);
    options.default_queue_policy.allow_timeout_override = allowed;
    RequestQueue queue(options);
    const Asked asked(1);
    asked.request->deadline = Clock::now() + milliseconds(1);
    queue.push(asked.request);
    queue.push(Asked(1).request);
    EXPECT_EQ(queue.pop().size(), allowed ? 1U : 2U);
    EXPECT_EQ(asked.answer->has_value(), allowed);
  }
}

TEST(RequestQueue, WhatWasCancelledDoesNotRun) {
  RequestQueue queue(batches_of(2, milliseconds(1)));
  const Asked gone(1);
  gone.request->cancelled = 1;
  queue.push(gone.request);
  const Asked stays(1);
  queue.push(stays.request);
  EXPECT_EQ(queue.pop(), std::vector<InferencePtr>{stays.request});
  ASSERT_TRUE(gone.answer->has_value());
  EXPECT_EQ((*gone.answer)->failure->code(), Code::kCancelled);
}

TEST(RequestQueue, AClosedQueueTakesNothingAndGivesWhatWaits) {
  RequestQueue queue(batches_of(8));
  queue.push(Asked(1).request);
  queue.close();
  EXPECT_THROW(queue.push(Asked(1).request), Failure);
  EXPECT_EQ(queue.pop().size(), 1U);
  EXPECT_TRUE(queue.pop().empty());
}

/// Costs of a model whose rows take 2 ms each, of a queue whose answers are to come in 10 ms.
RequestQueue queue_with_target(int64_t most, microseconds delay) {
  BatchOptions options = batches_of(most, delay);
  options.target = milliseconds(10);
  return RequestQueue(options, [](const std::string&, int64_t rows) { return rows * milliseconds(2); });
}

TEST(RequestQueue, BatchesGrowAsFarAsTheTargetAllows) {
  RequestQueue queue = queue_with_target(8, microseconds(0));
  const Clock::time_point start{};
  for (int i = 0; i < 8; ++i) queue.push(Asked(1).request, start);
  EXPECT_EQ(rows_of_all(queue.poll(start)), 5);
  EXPECT_EQ(rows_of_all(queue.poll(start + milliseconds(7))), 1) << "3 ms are left";
  EXPECT_EQ(rows_of_all(queue.poll(start + milliseconds(9))), 2) << "too late for both, which is faster together";
}

TEST(RequestQueue, ADelayLeavesTimeForTheRun) {
  RequestQueue queue = queue_with_target(8, kLong);
  const Clock::time_point start{};
  queue.push(Asked(1).request, start);
  EXPECT_TRUE(queue.poll(start + microseconds(5999)).empty());
  EXPECT_EQ(rows_of_all(queue.poll(start + milliseconds(6))), 1);
  queue.push(Asked(1).request, start);
  queue.push(Asked(2).request, start + milliseconds(1));
  EXPECT_TRUE(queue.poll(start + microseconds(1999)).empty());
  EXPECT_EQ(rows_of_all(queue.poll(start + milliseconds(2))), 3);
  // A delay that the options give is not made longer.
  RequestQueue shorter = queue_with_target(8, milliseconds(1));
  shorter.push(Asked(1).request, start);
  EXPECT_TRUE(shorter.poll(start + microseconds(999)).empty());
  EXPECT_EQ(rows_of_all(shorter.poll(start + milliseconds(1))), 1);
}

TEST(RequestQueue, WithoutCostsATargetChangesNothing) {
  BatchOptions options = batches_of(4, milliseconds(5));
  options.target = milliseconds(10);
  RequestQueue queue(options, [](const std::string&, int64_t) { return std::optional<Clock::duration>(); });
  const Clock::time_point start{};
  for (int i = 0; i < 5; ++i) queue.push(Asked(1).request, start);
  EXPECT_EQ(rows_of_all(queue.poll(start)), 4);
  EXPECT_TRUE(queue.poll(start).empty());
  EXPECT_EQ(rows_of_all(queue.poll(start + milliseconds(5))), 1);
}

TEST(Batch, EndsWhenNobodyWantsIt) {
  const auto batch = std::make_shared<Batch>(3);
  const Asked first(1);
  const Asked second(1);
  const Asked third(1);
  third.request->cancel();
  for (const Asked* each : {&first, &second, &third}) each->request->join(batch);
  EXPECT_EQ(batch->cancelled, 0U);
  first.request->cancel();
  first.request->cancel();
  EXPECT_EQ(batch->cancelled, 0U) << "one of them is wanted";
  second.request->cancel();
  EXPECT_EQ(batch->cancelled, 1U);
}

TEST(RequestQueue, EachRequestIsTakenOnceByManyThreads) {
  RequestQueue queue(batches_of(5, microseconds(100), {2}));
  constexpr int kRequests = 2000;
  std::mutex mutex;
  std::map<Inference*, int> taken;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      for (auto batch = queue.pop(); !batch.empty(); batch = queue.pop()) {
        const std::lock_guard lock(mutex);
        for (const InferencePtr& request : batch) ++taken[request.get()];
      }
    });
  }
  std::vector<Asked> asked;
  for (int i = 0; i < kRequests; ++i) asked.emplace_back(1 + i % 3, 1 + i % 4);
  for (const Asked& each : asked) {
    while (true) {
      try {
        queue.push(each.request);
        break;
      } catch (const Failure&) {  // full
        std::this_thread::yield();
      }
    }
  }
  queue.close();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(taken.size(), static_cast<size_t>(kRequests));
  for (const auto& [request, times] : taken) EXPECT_EQ(times, 1);
}

}  // namespace
}  // namespace coracle::serve
