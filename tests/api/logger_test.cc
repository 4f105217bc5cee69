// SPDX-License-Identifier: Apache-2.0
#include <coracle/logger.hpp>
#include <vector>

#include "api/loaded.h"
#include "support/temporary_folder.h"

// What a program is told while it loads and runs models.
namespace coracle::internal::test {
namespace {

class Logger : public testing::Test {
 protected:
  void SetUp() override { listen(CORACLE_LOG_DEBUG); }
  void TearDown() override { EXPECT_EQ(coracle_set_logger(CORACLE_LOG_OFF, nullptr, nullptr), CORACLE_OK); }

  void listen(coracle_log_level level) {
    const coracle_log_function keep = [](void* user, coracle_log_level of, const char* message) {
      static_cast<std::vector<std::string>*>(user)->push_back(std::to_string(of) + " " + message);
    };
    ASSERT_EQ(coracle_set_logger(level, keep, &seen_), CORACLE_OK);
  }

  /// How many messages of `level` have `part`.
  int told(coracle_log_level level, const std::string& part) const {
    int count = 0;
    for (const std::string& message : seen_) {
      count += message.front() == '0' + level && message.find(part) != std::string::npos ? 1 : 0;
    }
    return count;
  }

  void run(const SessionHandle& session, int64_t rows) {
    const std::vector<float> x(static_cast<size_t>(rows) * 2, 1);
    const int64_t dims[] = {rows, 2};
    ASSERT_EQ(coracle_session_set_input(session.get(), 0, CORACLE_FLOAT32, 2, dims, x.data()), CORACLE_OK);
    ASSERT_EQ(coracle_session_run(session.get()), CORACLE_OK) << coracle_last_error();
  }

  std::vector<std::string> seen_;
  const ModelBytes bytes_ = product_model();
};

TEST_F(Logger, TellsOfLoadingAndPlanning) {
  coracle_model_options options;
  coracle_model_options_init(&options, sizeof(options));
  options.disable_passes = "dead_code";
  const ModelHandle model = load(bytes_, &options);
  EXPECT_EQ(told(CORACLE_LOG_INFO, "loaded 'program in memory' (ProgramDesc): "), 1);
  EXPECT_EQ(told(CORACLE_LOG_INFO, "rewrites left out, as the model's options say: dead_code"), 1);

  coracle_session_options small;
  coracle_session_options_init(&small, sizeof(small));
  small.cache_bytes = 1;
  small.threads = 1024;
  const SessionHandle session = open(model, &small);
  EXPECT_EQ(told(CORACLE_LOG_WARNING, "1024 requested"), coracle_default_threads() < 256 ? 1 : 0);
  run(session, 3);
  run(session, 3);
  EXPECT_EQ(told(CORACLE_LOG_INFO, "float32[3, 2]: "), 1) << "one plan for two runs";
  EXPECT_EQ(told(CORACLE_LOG_INFO, "dropped"), 0);
  run(session, 4);
  EXPECT_EQ(told(CORACLE_LOG_INFO, "float32[4, 2]: "), 1);
  EXPECT_EQ(told(CORACLE_LOG_INFO, "dropped the plans of 1 other shapes for a new one"), 1);
}

TEST_F(Logger, TellsHowWeightsAreRead) {
  const TemporaryFolder folder;
  folder.write("m.pdmodel", bytes_.program);
  folder.write("m.pdiparams", bytes_.params);
  for (const char* weights : {"copied", "mapped"}) {
    coracle_model_options options;
    coracle_model_options_init(&options, sizeof(options));
    options.weights = weights;
    coracle_model* model = nullptr;
    ASSERT_EQ(coracle_model_load(folder.path("m.pdmodel").c_str(), nullptr, &options, &model), CORACLE_OK);
    coracle_model_free(model);
    EXPECT_EQ(told(CORACLE_LOG_DEBUG, std::string("m.pdiparams' are ") + weights + ": the model's options say so"), 1);
  }
}

TEST_F(Logger, LevelsAndErrors) {
  listen(CORACLE_LOG_WARNING);
  const ModelHandle model = load(bytes_);
  run(open(model), 2);
  EXPECT_TRUE(seen_.empty());
  expect_error(coracle_set_logger(static_cast<coracle_log_level>(4), nullptr, nullptr), CORACLE_INVALID_ARGUMENT,
               "level is 4, expected 0 to 3");
  expect_error(coracle_set_logger(static_cast<coracle_log_level>(-1), nullptr, nullptr), CORACLE_INVALID_ARGUMENT,
               "level is -1");
}

TEST_F(Logger, OfCpp) {
  std::vector<std::string> messages;
  coracle::set_logger(coracle::LogLevel::kInfo, [&](coracle::LogLevel level, std::string_view message) {
    EXPECT_EQ(level, coracle::LogLevel::kInfo);
    messages.emplace_back(message);
  });
  const ModelHandle model = load(bytes_);
  EXPECT_EQ(messages.size(), 1U);
  coracle::set_logger(coracle::LogLevel::kOff, nullptr);
  const ModelHandle again = load(bytes_);
  EXPECT_EQ(messages.size(), 1U);
  EXPECT_TRUE(seen_.empty());
}

}  // namespace
}  // namespace coracle::internal::test
