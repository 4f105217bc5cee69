// SPDX-License-Identifier: Apache-2.0
// Runs that wait for their turn.
#include "run/run_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "run/session_results.h"
#include "support/late_model.h"
#include "support/random_graph.h"

namespace coracle::internal::test {
namespace {

/// Returns when `done` holds; fails the test where that takes too long.
template <class F>
void await(const F& done) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!done() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_TRUE(done());
}

TEST(RunQueue, BeginsInOrderAndHasNoMoreThanThereIsRoomFor) {
  for (const int room : {1, 2, 3}) {
    std::atomic<int> used{0};
    std::atomic<int> most{0};
    std::atomic<int> begun{0};
    std::atomic<int> wrong{0};
    std::atomic<int> ended{0};
    {
      RunQueue queue(room);
      for (int i = 0; i < 60; ++i) {
        const int size = i % 4 == 3 ? 100 : 1 + i % 2;  // one that takes more than there is runs alone
        queue.give(size, [&, i, size] {
          if (begun.fetch_add(1) > i + room - 1) wrong.fetch_add(1);
          const int now = used.fetch_add(size) + size;
          if (now > room && now != size) wrong.fetch_add(1);
          if (size != 100) most = std::max(most.load(), now);
          if (!RunQueue::is_own_thread()) wrong.fetch_add(1);
          std::this_thread::yield();
          used.fetch_sub(size);
          ended.fetch_add(1);
        });
      }
      await([&] { return ended.load() == 60; });
    }
    EXPECT_EQ(wrong.load(), 0) << "room " << room;
    EXPECT_EQ(used.load(), 0);
  }
  EXPECT_FALSE(RunQueue::is_own_thread());
}

TEST(RunQueue, FillsItsRoom) {
  std::atomic<int> here{0};  // outlives the queue, whose runs look at it until the last of them ends
  RunQueue queue(3);
  for (int i = 0; i < 3; ++i) {
    queue.give(1, [&] {
      here.fetch_add(1);
      await([&] { return here.load() == 3; });
    });
  }
  await([&] { return here.load() == 3; });
}

TEST(RunQueue, IsGivenRunsByRunsAndEndsInItsOwnThread) {
  auto queue = std::make_shared<RunQueue>(1);
  std::atomic<int> calls{0};
  RunQueue* const own = queue.get();
  own->give(1, [&, own, queue = std::move(queue)]() mutable {
    own->give(1, [&] { calls.fetch_add(1); });
    own->give(1, [&, last = std::move(queue)]() mutable {
      last.reset();
      calls.fetch_add(1);
    });
  });
  await([&] { return calls.load() == 2; });
}

TEST(RunQueue, ADeviceHasOneAsLongAsItIsUsed) {
  const auto device = LateDevice::make();
  const std::shared_ptr<RunQueue> queue = RunQueue::of(device.get());
  EXPECT_EQ(RunQueue::of(device.get()), queue);
  EXPECT_NE(RunQueue::of(nullptr), queue);
  EXPECT_NE(RunQueue::of(LateDevice::make().get()), queue);
  EXPECT_TRUE(queue->is_of_this_process());
}

/// What a run gave.
struct Outcome {
  std::vector<Tensor> results;
  std::optional<Error> error;
};

Outcome wait_for(Session& session, size_t outputs) {
  Outcome outcome;
  try {
    session.wait();
    for (size_t i = 0; i < outputs; ++i) outcome.results.push_back(session.output(i));
  } catch (const Error& e) {
    outcome.error = e;
  }
  return outcome;
}

TEST(AsyncOnDevice, GivesTheSameBits) {
  for (const bool threaded : {false, true}) {
    const Refusals refusals(2, 30);
    const auto device = LateDevice::make({.threaded = threaded});
    const auto model = model_on({device}, random_graph(4, 30));
    const Tensor x = random_tensor({1, 4, 9, 7}, 1);
    Session alone(model, {.threads = 1});
    const std::vector<Tensor> expected = run(alone, {x});
    std::vector<std::unique_ptr<Session>> sessions;
    for (int i = 0; i < 4; ++i) sessions.push_back(std::make_unique<Session>(model, SessionOptions{.threads = 1}));
    for (int round = 0; round < 10; ++round) {
      for (const auto& session : sessions) {
        session->set_input(0, x);
        session->run_async({}, nullptr);
      }
      for (const auto& session : sessions) {
        const Outcome outcome = wait_for(*session, expected.size());
        ASSERT_FALSE(outcome.error) << outcome.error->text();
        EXPECT_TRUE(same_bits(outcome.results, expected));
      }
    }
    EXPECT_EQ(device->complaint(), "");
  }
}

TEST(AsyncOnDevice, FaultsAndLossAreErrorsOfTheirRuns) {
  const Tensor x = random_tensor({1, 4, 9, 7}, 1);
  for (const bool lost : {false, true}) {
    const auto device = LateDevice::make();
    const auto model = model_on({device}, random_graph(4, 30));
    Session first(model, {.threads = 1});
    Session second(model, {.threads = 1});
    const std::vector<Tensor> expected = run(first, {x});
    run(second, {x});
    int failed = 0;
    for (int n = 1; n < (lost ? 2 : 40); n += 3) {
      device->set_faults(lost ? LateFaults{.loss = 5} : LateFaults{.operation = n});
      std::atomic<int> told{0};
      for (Session* session : {&first, &second}) {
        session->run_async({}, [&](const Error* failure) { told += failure != nullptr ? 1 : 0; });
      }
      int errors = 0;
      for (Session* session : {&first, &second}) {
        const Outcome outcome = wait_for(*session, expected.size());
        if (!outcome.error) {
          EXPECT_TRUE(same_bits(outcome.results, expected));
          continue;
        }
        ++errors;
        EXPECT_EQ(outcome.error->code(), ErrorCode::kRunFailure) << outcome.error->text();
        EXPECT_NE(outcome.error->text().find("Late device"), std::string::npos) << outcome.error->text();
      }
      EXPECT_EQ(told.load(), errors);
      failed += errors;
    }
    EXPECT_GT(failed, 0);
    device->set_faults({});
    if (lost) continue;
    EXPECT_TRUE(same_bits(run(first, {x}), expected)) << "it works again";
  }
}

}  // namespace
}  // namespace coracle::internal::test
