// SPDX-License-Identifier: Apache-2.0
#include "serve/run_history.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "serve/failure.h"
#include "serve/state_directory.h"

namespace coracle::serve {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

TEST(RunHistory, PredictsWhatItHasSeen) {
  RunHistory history;
  EXPECT_FALSE(history.predict("a", 1).has_value());
  history.add("a", 2, milliseconds(4));
  EXPECT_EQ(history.predict("a", 2), milliseconds(4));
  EXPECT_EQ(history.predict("a", 1), milliseconds(4)) << "no more than a larger one";
  EXPECT_EQ(history.predict("a", 6), milliseconds(12)) << "no more than its part of a smaller one";
  EXPECT_FALSE(history.predict("b", 2).has_value());
  history.add("a", 6, milliseconds(6));
  EXPECT_EQ(history.predict("a", 6), milliseconds(6));
  EXPECT_EQ(history.predict("a", 3), milliseconds(6));
}

TEST(RunHistory, FollowsWhatChanges) {
  RunHistory history;
  history.add("a", 1, milliseconds(100));  // the first one planned
  for (int i = 0; i < 100; ++i) history.add("a", 1, milliseconds(2));
  EXPECT_LT(*history.predict("a", 1), milliseconds(3));
  for (int i = 0; i < 100; ++i) history.add("a", 1, milliseconds(i % 10 == 0 ? 12 : 2));
  EXPECT_GT(*history.predict("a", 1), milliseconds(5)) << "some take longer";
}

TEST(RunHistory, IsBounded) {
  RunHistory history;
  for (int i = 0; i < 3000; ++i) {
    history.add(std::to_string(i), 1, milliseconds(1));
    history.add("kept", i + 1, milliseconds(1));
  }
  EXPECT_FALSE(history.predict("0", 1).has_value());
  EXPECT_TRUE(history.predict("2999", 1).has_value());
  EXPECT_TRUE(history.predict("kept", 1).has_value());
  EXPECT_LT(history.json().size(), 200'000U);
}

TEST(RunHistory, IsTheSameAfterItWasKept) {
  RunHistory history;
  history.add("1,3;\"", 2, microseconds(1234));
  history.add("1,3;\"", 2, microseconds(1111));
  history.prove("1,3;\"");
  history.add("other", 1, microseconds(5));
  history.refuse("rows differ");
  RunHistory again;
  again.restore(history.json());
  EXPECT_EQ(again.json(), history.json());
  EXPECT_TRUE(again.is_proven("1,3;\""));
  EXPECT_FALSE(again.is_proven("other"));
  EXPECT_EQ(again.predict("1,3;\"", 7), history.predict("1,3;\"", 7));
  EXPECT_EQ(again.refused(), "rows differ");
  for (const char* damaged :
       {"", "[]", "{}", "{\"shapes\": 1}", "{\"shapes\": [{\"shape\": \"a\"}]}", "{\"shapes\": [], \"refused\": 1}",
        "{\"shapes\": [{\"shape\": \"a\", \"proven\": true, \"costs\": [{\"rows\": 0, \"mean_us\": 1, "
        "\"deviation_us\": 1}]}]}",
        "{\"shapes\": [{\"shape\": \"a\", \"proven\": true, \"costs\": [{\"rows\": 1, \"mean_us\": -1, "
        "\"deviation_us\": 1}]}]}",
        "{\"shapes\": [{\"shape\": \"a\", \"proven\": true, \"costs\": [{\"rows\": 1, \"mean_us\": 1e300, "
        "\"deviation_us\": 1}]}]}",
        "{\"shapes\": [{\"shape\": \"a\", \"proven\": true, \"costs\": []}, {\"shape\": \"a\", \"proven\": true, "
        "\"costs\": []}]}"}) {
    EXPECT_THROW(again.restore(damaged), Failure) << damaged;
    EXPECT_EQ(again.json(), history.json());
  }
}

TEST(RunHistory, PredictsNoMoreThanATimeCanBe) {
  RunHistory history;
  history.restore(
      R"({"shapes":[{"shape":"a\u0000b","proven":true,"costs":[{"rows":1,"mean_us":1e12,"deviation_us":0}]}]})");
  const std::string shape("a\0b", 3);
  EXPECT_TRUE(history.is_proven(shape)) << "names are read whole";
  EXPECT_GT(*history.predict(shape, INT64_MAX), std::chrono::hours(24 * 365));
}

class StateDirectoryTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove_all(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string content() const {
    std::ifstream file(folder_ / "m.1.state", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  void write(const std::string& text) const { std::ofstream(folder_ / "m.1.state", std::ios::binary) << text; }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("coracle_state_" + std::to_string(::getpid()));
  std::string lines_;
  const StateDirectory::Log log_ = [this](const std::string& line) { lines_ += line + '\n'; };
};

TEST_F(StateDirectoryTest, KeepsByKey) {
  const StateDirectory state(folder_ / "a" / "b");
  EXPECT_FALSE(state.load("m.1", "key", log_).has_value());
  EXPECT_EQ(lines_, "");
  state.save("m.1", "key", "text", log_);
  state.save("n.1", "key", "", log_);
  state.save(std::string(255, 'n'), "key", "long", log_);
  state.save(std::string(254, 'n'), "key", "shorter", log_);
  EXPECT_EQ(state.load("m.1", "key", log_), "text");
  EXPECT_EQ(state.load("n.1", "key", log_), "");
  EXPECT_EQ(state.load(std::string(255, 'n'), "key", log_), "long");
  EXPECT_EQ(lines_, "");
  EXPECT_FALSE(state.load("m.1", "keytext", log_).has_value());
  EXPECT_FALSE(state.load("m.1", "ke", log_).has_value());
  EXPECT_NE(lines_.find("is of other files of the model"), std::string::npos);
  EXPECT_FALSE(StateDirectory().keeps());
  StateDirectory().save("m.1", "key", "text", log_);
}

TEST_F(StateDirectoryTest, ADamagedFileIsNotUsed) {
  const StateDirectory state(folder_);
  state.save("m.1", "key", "some text", log_);
  const std::string whole = content();
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    write(damaged);
    EXPECT_FALSE(state.load("m.1", "key", log_).has_value()) << i;
    write(whole.substr(0, i));
    EXPECT_FALSE(state.load("m.1", "key", log_).has_value()) << i;
  }
  EXPECT_NE(lines_.find("is damaged"), std::string::npos);
  write(whole + 'x');
  EXPECT_FALSE(state.load("m.1", "key", log_).has_value());
  write(whole);
  EXPECT_TRUE(state.load("m.1", "key", log_).has_value());
}

TEST_F(StateDirectoryTest, TheKeyOfAModelHoldsItsFiles) {
  std::filesystem::create_directories(folder_);
  const std::filesystem::path file = folder_ / "m.1.state";
  write("one");
  const std::string key = key_of_model(folder_, {});
  EXPECT_EQ(key_of_model(folder_, {}), key);
  EXPECT_NE(key_of_model(folder_, {{"precision", "bfloat16"}}), key);
  const auto time = std::filesystem::last_write_time(file);
  const std::string of_file = key_of_model(file, {});
  std::this_thread::sleep_for(milliseconds(20));  // the system's clock of files has ticks
  write("two");
  std::filesystem::last_write_time(file, time);
  EXPECT_NE(key_of_model(folder_, {}), key) << "the size and the time are the same, the content is not";
  EXPECT_NE(key_of_model(file, {}), of_file);
  ::setenv("CORACLE_TEST_VARIABLE", "1", 1);
  const std::string other = key_of_model(folder_, {});
  ::unsetenv("CORACLE_TEST_VARIABLE");
  EXPECT_NE(key_of_model(folder_, {}), other);
}

}  // namespace
}  // namespace coracle::serve
