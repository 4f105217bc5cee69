// SPDX-License-Identifier: Apache-2.0
#include "serve/ensemble.h"

#include <gtest/gtest.h>

#include <array>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "serve/model_call.h"
#include "serve/repository.h"
#include "support/small_models.h"
#include "support/temporary_folder.h"

namespace coracle::serve {
namespace {

using internal::test::TemporaryFolder;

std::string twice_step(const std::string& model, const std::string& in, const std::string& out, const std::string& from,
                       const std::string& to) {
  return "step { model_name: \"" + model + "\" input_map { key: \"" + in + "\" value: \"" + from +
         "\" } output_map { key: \"" + out + "\" value: \"" + to + "\" } } ";
}

std::string ensemble_config(const std::string& steps) {
  return "platform: \"ensemble\" input { name: \"IN\" data_type: TYPE_FP32 dims: [ -1, 2 ] } output { name: \"OUT\" "
         "data_type: TYPE_FP32 dims: [ -1, 2 ] } ensemble_scheduling { " +
         steps + "}";
}

/// x of any rows of 2; "e" is four times x by m in two steps, "f" the same as an ensemble of e's steps and of m: eight
/// times.
class Ensembles : public testing::Test {
 protected:
  Ensembles() {
    const internal::test::ModelBytes model = internal::test::product_model();
    folder_.write("m/1/inference.pdmodel", model.program);
    folder_.write("m/1/inference.pdiparams", model.params);
    folder_.write("m/config.pbtxt", "max_batch_size: 8 dynamic_batching { preserve_ordering: true }");
    folder_.write("e/config.pbtxt", ensemble_config(twice_step("m", "x", "twice", "IN", "t") +
                                                    twice_step("m", "x", "twice", "t", "OUT")));
    folder_.write("f/config.pbtxt",
                  ensemble_config(twice_step("e", "IN", "OUT", "IN", "t") + twice_step("m", "x", "twice", "t", "OUT")));
    Repository::Options options;
    options.folder = folder_.path();
    repository_ = std::make_unique<Repository>(options);
    repository_->load_all();
  }

  TemporaryFolder folder_;
  std::unique_ptr<Repository> repository_;
};

/// A request with one row, and its answer when it has come.
class RowAsked {
 public:
  RowAsked(const std::shared_ptr<ServedModel>& model, float value) : values_{value, -value} {
    const auto inference = std::make_shared<Inference>();
    Tensor& tensor = inference->inputs.emplace_back();
    tensor.dims = {1, 2};
    tensor.data = reinterpret_cast<const std::byte*>(values_.data());
    tensor.bytes = sizeof(values_);
    cancel_ = run_model(model, inference, Clock::now(), [this](const Answer& answer) {
      const std::lock_guard lock(mutex_);
      answer_ = answer;
      changed_.notify_one();
    });
  }
  void cancel() { cancel_(); }
  Answer answer() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return answer_.has_value(); });
    return *answer_;
  }

 private:
  const std::array<float, 2> values_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Answer> answer_;
  Cancel cancel_;
};

std::vector<float> floats_of(const Answer& answer) {
  std::vector<float> values(answer.outputs.at(0).bytes / sizeof(float));
  std::memcpy(values.data(), answer.outputs[0].data, answer.outputs[0].bytes);
  return values;
}

TEST_F(Ensembles, AnswerManyAtTheSameTimeWhileModelsAreLoadedAgain) {
  std::vector<std::thread> clients;
  for (int client = 0; client < 4; ++client) {
    clients.emplace_back([this, client] {
      for (int request = 0; request < 50; ++request) {
        const auto value = static_cast<float>(100 * client + request);
        RowAsked asked(repository_->find("f"), value);
        const Answer answer = asked.answer();
        ASSERT_FALSE(answer.failure.has_value()) << answer.failure->what();
        EXPECT_EQ(floats_of(answer), (std::vector<float>{8 * value, -8 * value}));
      }
    });
  }
  for (const char* const name : {"m", "e", "m", "f", "m"}) repository_->load(name);
  for (std::thread& client : clients) client.join();
}

TEST_F(Ensembles, EndWhenTheyAreCancelledAndAnswerOnce) {
  size_t cancelled = 0;
  for (int request = 0; request < 50; ++request) {
    RowAsked asked(repository_->find("f"), 1);
    std::thread other([&] { asked.cancel(); });
    const Answer answer = asked.answer();
    other.join();
    if (answer.failure.has_value()) {
      EXPECT_EQ(answer.failure->code(), Code::kCancelled) << answer.failure->what();
      ++cancelled;
    } else {
      EXPECT_EQ(floats_of(answer), (std::vector<float>{8, -8}));
    }
  }
  std::map<std::string, uint64_t> failures = repository_->find("f")->statistics().counts().failures;
  EXPECT_EQ(failures["CANCELED"], cancelled);
}

TEST_F(Ensembles, OneThatWasCancelledBeforeRunsNoStep) {
  const auto request = std::make_shared<Inference>();
  request->cancel();
  const std::array<float, 2> values{1, 2};
  Tensor& tensor = request->inputs.emplace_back();
  tensor.dims = {1, 2};
  tensor.data = reinterpret_cast<const std::byte*>(values.data());
  tensor.bytes = sizeof(values);
  std::optional<Failure> failure;
  run_model(repository_->find("e"), request, Clock::now(), [&](const Answer& answer) { failure = answer.failure; });
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->code(), Code::kCancelled);
  EXPECT_EQ(repository_->find("m")->statistics().counts().execution_count, 0U);
}

}  // namespace
}  // namespace coracle::serve
