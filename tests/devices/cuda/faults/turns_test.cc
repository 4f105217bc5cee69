// SPDX-License-Identifier: Apache-2.0
// Sessions at the same time: one computes, others copy; results are those of a session alone.
#include <algorithm>
#include <atomic>
#include <random>
#include <set>
#include <thread>

#include "devices/cuda/driver.h"
#include "devices/cuda/faults/stand_in.h"
#include "plan/kernel_turns.h"
#include "run/session_results.h"
#include "support/graph_model.h"
#include "support/random_graph.h"

namespace coracle::internal::test {
namespace {

/// What a stream has done: 'k' a kernel, 'u' and 'd' copies to and from the device.
struct Done {
  char kind;
  int stream;
};

std::vector<Done> parsed(const char* log) {
  std::vector<Done> all;
  for (; *log != '\0'; ++log) {
    if (*log == ' ') continue;
    all.push_back({*log, std::atoi(log + 1)});
    while (log[1] >= '0' && log[1] <= '9') ++log;
  }
  return all;
}

/// Streams of kernels, one for each time that another one's begin.
std::vector<int> turns_of(const std::vector<Done>& all) {
  std::vector<int> turns;
  for (const Done& done : all) {
    if (done.kind == 'k' && (turns.empty() || turns.back() != done.stream)) turns.push_back(done.stream);
  }
  return turns;
}

/// Copies that were done between two kernels of one stream.
int copies_beside(const std::vector<Done>& all) {
  int found = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].kind == 'k') continue;
    const auto is_kernel = [](const Done& d) { return d.kind == 'k'; };
    const auto here = all.begin() + static_cast<ptrdiff_t>(i);
    const auto after = std::find_if(here, all.end(), is_kernel);
    const auto before = std::find_if(std::make_reverse_iterator(here), all.rend(), is_kernel);
    found += after != all.end() && before != all.rend() && after->stream == before->stream ? 1 : 0;
  }
  return found;
}

class CudaTurns : public CudaStandIn {
 protected:
  static std::shared_ptr<const Model> model(unsigned seed, unsigned percent) {
    ModelOptions options;
    options.device = kDevice.name;
    options.kernels.disabled = {"islands"};
    std::mt19937 random(seed);
    for (const KernelTable* table : kDevice.kernels()) {
      for (const KernelDef& kernel : table->kernels) {
        if (random() % 100 < percent) options.kernels.disabled.emplace_back(kernel.name);
      }
    }
    return model_of(random_graph(seed, 15), options);
  }
  /// The error of an asynchronous run; its results where there is none.
  static std::optional<Error> outcome(Session& session, size_t outputs, std::vector<Tensor>& results) {
    results.clear();
    try {
      session.wait();
      for (size_t i = 0; i < outputs; ++i) results.push_back(session.output(i));
    } catch (const Error& e) {
      return e;
    }
    return std::nullopt;
  }
};

TEST_F(CudaTurns, KernelsOfTwoQueuesDoNotMix) {
  const auto device = kDevice.open(0);
  const std::unique_ptr<Queue> queues[] = {device->make_queue(), device->make_queue()};
  const auto block = device->allocate(64);
  const auto other = device->allocate(64);
  const auto host = device->allocate_host(64);
  std::fill_n(static_cast<float*>(host.get()), 16, 1.0F);
  const auto function = compile(*device, kAddSource, "add_number", "-DFACTOR=1.0f");
  const auto turns = [](Queue& queue) { return dynamic_cast<KernelTurns*>(&queue); };
  ASSERT_NE(turns(*queues[0]), nullptr);
  for (const bool takes_turns : {true, false}) {
    int mixed = 0;
    int beside = 0;
    for (uint64_t seed = 1; seed <= 40; ++seed) {
      seed_(seed);
      log_(1);
      for (const auto& queue : queues) {
        queue->upload(host.get(), {other.get(), 0}, 64);
        if (takes_turns) turns(*queue)->begin_turn();
        for (int i = 0; i < 3; ++i) {
          launch(*queue, *function, {.global = {16, 1, 1}}, {{DeviceBytes{block.get(), 0}, 4}, 16, 1.0F});
        }
        if (takes_turns) turns(*queue)->end_turn();
      }
      for (const auto& queue : queues) EXPECT_EQ(queue->finish(nullptr), nullptr);
      const std::vector<Done> done = parsed(log_(0));
      ASSERT_EQ(done.size(), 8U);
      mixed += turns_of(done).size() != 2 ? 1 : 0;
      beside += copies_beside(done);
    }
    EXPECT_EQ(mixed > 0, !takes_turns);
    EXPECT_GT(beside, 0) << "copies wait for no turn";
  }
}

TEST_F(CudaTurns, CopiesOfOneRunAreDoneBesideKernelsOfAnother) {
  const auto on_device = model(1, 0);
  const Tensor x = random_tensor({1, 4, 8, 8}, 1);
  Session sessions[] = {{on_device, {.threads = 1}}, {on_device, {.threads = 1}}, {on_device, {.threads = 1}}};
  const std::vector<Tensor> expected = run(sessions[0], {x});
  size_t kernels = 0;
  for (Session& session : sessions) {
    EXPECT_TRUE(same_bits(run(session, {x}), expected));
    log_(1);
    EXPECT_TRUE(same_bits(run(session, {x}), expected));
    const std::vector<Done> done = parsed(log_(0));
    kernels = static_cast<size_t>(std::count_if(done.begin(), done.end(), [](const Done& d) { return d.kind == 'k'; }));
    ASSERT_EQ(turns_of(done).size(), 1U) << "it is not on the device whole";
  }
  ASSERT_GT(kernels, 3U);
  int beside = 0;
  std::set<int> streams;
  for (int round = 0; round < 200 && (round < 20 || beside == 0); ++round) {
    seed_(static_cast<uint64_t>(round));
    log_(1);
    for (Session& session : sessions) session.run_async({}, nullptr);
    std::vector<Tensor> results;
    for (Session& session : sessions) {
      ASSERT_FALSE(outcome(session, expected.size(), results));
      EXPECT_TRUE(same_bits(results, expected));
    }
    const std::vector<Done> done = parsed(log_(0));
    // The kernels of a run follow each other.
    const std::vector<int> turns = turns_of(done);
    EXPECT_EQ(turns.size(), 3U);
    streams.insert(turns.begin(), turns.end());
    beside += copies_beside(done);
  }
  EXPECT_EQ(streams.size(), 3U);
  EXPECT_GT(beside, 0);
}

TEST_F(CudaTurns, InterleavingsOfSessionsAndThreads) {
  const Tensor x = random_tensor({1, 4, 8, 8}, 1);
  const std::shared_ptr<const Model> models[] = {model(1, 0), model(2, 40)};
  std::vector<std::vector<Tensor>> expected;
  for (const auto& each : models) {
    Session session(each, {.threads = 1});
    expected.push_back(run(session, {x}));
  }
  constexpr int kThreads = 3;
  constexpr int kRuns = 334;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      std::vector<std::unique_ptr<Session>> sessions;
      for (int i = 0; i < 4; ++i) {
        sessions.push_back(std::make_unique<Session>(models[i % 2], SessionOptions{.threads = 1}));
        sessions.back()->set_input(0, x);
      }
      std::vector<Tensor> results;
      for (int i = 0; i < kRuns;) {
        seed_(random());
        const size_t count = 1 + random() % 4;
        for (size_t s = 0; s < count; ++s) {
          sessions[s]->run_async({}, nullptr);
          if (random() % 8 == 0) sessions[s]->cancel();
        }
        for (size_t s = 0; s < count; ++s, ++i) {
          const std::optional<Error> error = outcome(*sessions[s], expected[s % 2].size(), results);
          const bool is_right = error ? error->code() == ErrorCode::kCancelled : same_bits(results, expected[s % 2]);
          if (!is_right) wrong.fetch_add(1);
          if (random() % 16 == 0) {  // one that runs in this thread, and takes its turn among the others
            sessions[s]->run();
          }
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
}

TEST_F(CudaTurns, ADeviceThatGoesEndsAllRunsUnderWay) {
  const Tensor x = random_tensor({1, 4, 8, 8}, 1);
  std::vector<Tensor> expected;
  int64_t calls = 0;
  {
    const auto on_device = model(1, 20);
    Session first(on_device, {.threads = 1});
    Session second(on_device, {.threads = 1});
    expected = run(first, {x});
    run(second, {x});
    const int64_t before = calls_(nullptr);
    run(first, {x});
    run(second, {x});
    calls = calls_(nullptr) - before;
  }
  int failed = 0;
  for (int64_t i = 1; i <= calls; i += std::max<int64_t>(1, calls / 8)) {
    {
      const auto on_device = model(1, 20);
      Session first(on_device, {.threads = 1});
      Session second(on_device, {.threads = 1});
      run(first, {x});
      run(second, {x});
      lose_(i);
      first.run_async({}, nullptr);
      second.run_async({}, nullptr);
      std::vector<Tensor> results;
      for (Session* session : {&first, &second}) {
        const std::optional<Error> error = outcome(*session, expected.size(), results);
        if (!error) {
          EXPECT_TRUE(same_bits(results, expected)) << "call " << i << " of " << calls;
          continue;
        }
        ++failed;
        EXPECT_EQ(error->code(), ErrorCode::kRunFailure) << error->text();
        EXPECT_NE(error->text().find("fake GPU"), std::string::npos) << error->text();
      }
    }
    lose_(0);
  }
  EXPECT_GT(failed, 5);
  Session session(model(1, 20), {.threads = 1});
  EXPECT_TRUE(same_bits(run(session, {x}), expected)) << "the device is there again";
}

TEST_F(CudaTurns, EachCallMayFail) {
  const Tensor x = random_tensor({1, 4, 8, 8}, 1);
  const auto on_device = model(1, 20);
  Session first(on_device, {.threads = 1});
  Session second(on_device, {.threads = 1});
  const std::vector<Tensor> expected = run(first, {x});
  run(second, {x});
  int failed = 0;
  // Codes after which a device goes on.
  for (const char* function : {"cuEventCreate", "cuEventRecord", "cuStreamWaitEvent", "cuLaunchKernel",
                               "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2"}) {
    for (int64_t skipped = 0; skipped < 40; skipped += 3) {
      fail_(function, cuda::CUDA_ERROR_OUT_OF_MEMORY, skipped);
      first.run_async({}, nullptr);
      second.run_async({}, nullptr);
      std::vector<Tensor> results;
      for (Session* session : {&first, &second}) {
        const std::optional<Error> error = outcome(*session, expected.size(), results);
        if (error) {
          ++failed;
          EXPECT_NE(error->text().find("fake GPU"), std::string::npos) << error->text();
        } else {
          EXPECT_TRUE(same_bits(results, expected)) << function << " " << skipped;
        }
      }
      fail_("", 0, 0);
      for (Session* session : {&first, &second}) {
        EXPECT_TRUE(same_bits(run(*session, {x}), expected)) << "after " << function << " " << skipped;
      }
    }
  }
  EXPECT_GE(failed, 12) << "both fail with the first call of each";
}

}  // namespace
}  // namespace coracle::internal::test
