// SPDX-License-Identifier: Apache-2.0
#include "loading/model_cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>

#include "base/log.h"
#include "run/saved_files.h"
#include "support/small_models.h"
#include "support/temporary_folder.h"

namespace coracle::internal {
namespace {

using test::content;
using test::results;

/// Models in files and folders where they are kept. Each test is a process of its own.
class KeptModel : public testing::Test {
 protected:
  KeptModel() {
    files_.write("model.pdmodel", bytes_.program);
    files_.write("model.pdiparams", bytes_.params);
    keep_in(files_.path("cache"));
    set_logger(LogLevel::kWarning, [this](LogLevel, const char* message) { warnings_.emplace_back(message); });
  }
  ~KeptModel() override {
    set_logger(LogLevel::kOff, nullptr);
    ::unsetenv("CORACLE_CACHE");
    ::unsetenv("CORACLE_CACHE_BYTES");
  }

  void keep_in(const std::string& folder) {
    folder_ = folder;
    ::setenv("CORACLE_CACHE", folder.c_str(), 1);
  }
  std::string program() const { return files_.path("model.pdmodel"); }
  std::shared_ptr<const Model> loaded(const ModelOptions& options = {}) const {
    return Model::load(ModelSource::on_disk(program()), options);
  }
  /// Results of one load, run and end.
  std::vector<Tensor> used(const ModelOptions& options = {}) const { return results(loaded(options), bytes_.inputs); }
  std::vector<Tensor> used_without_cache() {
    ::unsetenv("CORACLE_CACHE");
    std::vector<Tensor> without = used();
    keep_in(folder_);
    return without;
  }
  std::vector<std::string> kept() const {
    std::vector<std::string> paths;
    if (!std::filesystem::is_directory(folder_)) return paths;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) paths.push_back(entry.path().string());
    std::sort(paths.begin(), paths.end());
    return paths;
  }
  std::string kept_path() const { return kept().at(0); }
  bool found() const { return loaded()->info().saved.has_value(); }

  static void expect_same(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(a[i].bytes(), b[i].bytes());
      EXPECT_EQ(std::memcmp(a[i].raw(), b[i].raw(), a[i].bytes()), 0) << i;
    }
  }

  const test::TemporaryFolder files_;
  const test::ModelBytes bytes_ = test::small_program_models().front();
  std::string folder_;
  std::vector<std::string> warnings_;
};

TEST_F(KeptModel, IsFoundWithPackedWeightsAndGivesTheSameBits) {
  const std::vector<Tensor> plain = used_without_cache();
  EXPECT_TRUE(kept().empty());
  expect_same(used(), plain);
  ASSERT_EQ(kept().size(), 1U);
  const std::string first = content(kept()[0]);
  const auto model = loaded();
  ASSERT_TRUE(model->info().saved.has_value());
  EXPECT_EQ(model->info().file, program());
  EXPECT_FALSE(model->program()->packed().all().empty());
  model->check_files();
  expect_same(results(model, bytes_.inputs), plain);
  EXPECT_EQ(model->program()->packed().bytes(), 0U) << "something was packed again";
  EXPECT_TRUE(warnings_.empty()) << warnings_.front();
  // The same made again, in another folder, has the same bytes.
  keep_in(files_.path("other"));
  used();
  ASSERT_EQ(kept().size(), 1U);
  EXPECT_EQ(content(kept()[0]), first);
}

TEST_F(KeptModel, HasWhatLaterRunsPackAdded) {
  { loaded(); }
  ASSERT_EQ(kept().size(), 1U);
  const size_t without = content(kept()[0]).size();
  used();
  EXPECT_GT(content(kept()[0]).size(), without);
  const auto written = std::filesystem::last_write_time(kept()[0]);
  used();
  EXPECT_GE(std::filesystem::last_write_time(kept()[0]), written);
  EXPECT_EQ(kept().size(), 1U);
}

TEST_F(KeptModel, OfOtherBytesTimesOptionsAndVersionsIsNotTaken) {
  used();
  ASSERT_TRUE(found());
  ModelOptions options;
  options.passes.disabled = {"fuse_convolution"};
  EXPECT_FALSE(loaded(options)->info().saved.has_value());
  ASSERT_EQ(kept().size(), 2U);
  const auto key = [&](std::string_view version, const ModelOptions& o) {
    return ModelCache::place_of(kNoRun, ModelSource::on_disk(program()), o, version, 0)->key();
  };
  EXPECT_NE(key("1", {}), key("2", {}));
  EXPECT_EQ(key("1", {}), key("1", {}));
  ModelOptions precise;
  precise.kernels.precision = Precision::kStrict;
  EXPECT_NE(key("1", {}), key("1", precise));
  // A byte of the parameters, with size and time as they were.
  const std::string path = files_.path("model.pdiparams");
  const auto time = std::filesystem::last_write_time(path);
  std::string changed = bytes_.params;
  changed.back() = static_cast<char>(changed.back() ^ 1);
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.write(changed.data(), static_cast<std::streamsize>(changed.size()));
  file.close();
  std::filesystem::last_write_time(path, time);
  EXPECT_FALSE(found());
  expect_same(used(), used_without_cache());
}

TEST_F(KeptModel, OfUnchangedFilesIsTakenWithoutReadingThem) {
  const std::vector<Tensor> plain = used_without_cache();
  const auto place = [&] {
    const int64_t later = std::time(nullptr) + 10;
    return *ModelCache::place_of(kNoRun, ModelSource::on_disk(program()), {}, "1", later);
  };
  ModelCache first = place();
  EXPECT_FALSE(first.find().has_value());
  EXPECT_TRUE(first.has_read_files());
  ::unsetenv("CORACLE_CACHE");
  const auto model = loaded();
  results(model, bytes_.inputs);
  keep_in(folder_);
  first.keep(*model);
  ModelCache second = place();
  std::optional<LoadedModel> kept = second.find();
  ASSERT_TRUE(kept.has_value());
  EXPECT_FALSE(second.has_read_files());
  expect_same(results(Model::make(std::move(*kept), {}), bytes_.inputs), plain);
  // Another time alone is no other model, but has to be looked at.
  std::filesystem::last_write_time(program(), std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  ModelCache third = place();
  EXPECT_TRUE(third.find().has_value());
  EXPECT_TRUE(third.has_read_files());
  const std::string before = content(kept_path());
  third.keep(*model);  // with the new time
  EXPECT_NE(content(kept_path()), before);
  ModelCache fourth = place();
  EXPECT_TRUE(fourth.find().has_value());
  EXPECT_FALSE(fourth.has_read_files());
}

TEST_F(KeptModel, ThatIsDamagedIsMadeAgainWithOneWarning) {
  const std::vector<Tensor> plain = used();
  ASSERT_EQ(kept().size(), 1U);
  const std::string path = kept()[0];
  const std::string whole = content(path);
  const std::vector<std::function<void(std::string&)>> damages = {
      [](std::string& bytes) { bytes.clear(); },
      [](std::string& bytes) { bytes[0] = 'x'; },
      [](std::string& bytes) { bytes[15] = '\x7f'; },  // length of the key
      [](std::string& bytes) { bytes[16] = '\x7f'; },  // of the stamps
      [](std::string& bytes) { bytes[40] ^= 1; },      // key
      [](std::string& bytes) { bytes.resize(100); },
      [](std::string& bytes) { bytes.resize(4096); },
      [](std::string& bytes) { bytes.resize(bytes.size() - 1); },
      [](std::string& bytes) { bytes[4096 + 4] ^= 1; },    // head of the saved model
      [](std::string& bytes) { bytes[4096 + 100] ^= 1; },  // its structure
  };
  for (size_t i = 0; i < damages.size(); ++i) {
    SCOPED_TRACE(i);
    std::string bytes = whole;
    damages[i](bytes);
    std::ofstream(path, std::ios::binary | std::ios::trunc).write(bytes.data(), static_cast<int64_t>(bytes.size()));
    EXPECT_FALSE(found());
    expect_same(used(), plain);
    EXPECT_EQ(content(path), whole);
  }
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_NE(warnings_[0].find("CORACLE_CACHE"), std::string::npos) << warnings_[0];
}

TEST_F(KeptModel, OfAnotherUserOrWritableByOthersIsNotTaken) {
  used();
  ASSERT_EQ(kept().size(), 1U);
  ASSERT_EQ(::chmod(kept()[0].c_str(), 0622), 0);
  EXPECT_FALSE(found());
}

TEST_F(KeptModel, RunsWhereNothingCanBeWritten) {
  const std::vector<Tensor> plain = used_without_cache();
  keep_in(files_.write("file", "no folder"));
  expect_same(used(), plain);
  expect_same(used(), plain);
  EXPECT_EQ(warnings_.size(), 1U);
}

TEST_F(KeptModel, TakesNoMoreThanItMay) {
  used();
  ASSERT_EQ(kept().size(), 1U);
  const size_t one = content(kept()[0]).size();
  ::setenv("CORACLE_CACHE_BYTES", std::to_string(one - 1).c_str(), 1);
  ModelOptions options;
  options.passes.disabled = {"identity"};
  used(options);
  EXPECT_EQ(kept().size(), 1U);  // the other one is too large
  ::setenv("CORACLE_CACHE_BYTES", std::to_string(one + one / 2).c_str(), 1);
  const std::string first = kept()[0];
  used(options);
  ASSERT_EQ(kept().size(), 1U);  // the older one has gone
  EXPECT_NE(kept()[0], first);
}

TEST_F(KeptModel, IsKeptAtTheEndOfAProcessThatDoesNotFreeIt) {
  const pid_t child = ::fork();
  if (child == 0) {
    static const auto* const model = new std::shared_ptr<const Model>(loaded());
    results(*model, bytes_.inputs);
    std::exit(kept().empty() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  ASSERT_EQ(kept().size(), 1U);
  const auto model = loaded();
  ASSERT_TRUE(model->info().saved.has_value());
  EXPECT_FALSE(model->program()->packed().all().empty());
}

TEST_F(KeptModel, RemovesWhatProcessesThatEndedLeft) {
  used();
  const std::string path = kept_path();
  const auto left = [&](const std::string& name) {
    std::ofstream(path + name) << "a part";
    return path + name;
  };
  const std::string abandoned = left(".12.0.tmp");
  const std::string growing = left(".13.0.tmp");
  const std::string replaced = left(".12.34.old");
  const std::string of_others = folder_ + "/notes.old";
  std::ofstream(of_others) << "not of the cache";
  const std::string kept_by_hand = left(".old");
  std::filesystem::last_write_time(abandoned, std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
  ModelOptions options;
  options.passes.disabled = {"identity"};
  used(options);
  EXPECT_FALSE(std::filesystem::exists(abandoned));
  EXPECT_TRUE(std::filesystem::exists(growing));
  EXPECT_FALSE(std::filesystem::exists(replaced));
  EXPECT_TRUE(std::filesystem::exists(of_others));
  EXPECT_TRUE(std::filesystem::exists(kept_by_hand));
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST_F(KeptModel, IsWrittenByManyProcessesAtOnce) {
  const std::vector<Tensor> plain = used_without_cache();
  std::vector<pid_t> children;
  for (int i = 0; i < 6; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      bool same = true;
      for (int round = 0; round < 10; ++round) {
        const std::vector<Tensor> made = used();
        for (size_t t = 0; t < made.size(); ++t) {
          same = same && std::memcmp(made[t].raw(), plain[t].raw(), plain[t].bytes()) == 0;
        }
        std::error_code others_write;  // what another one removes or writes meanwhile stays
        if (round % 3 == 2 && i == 0) std::filesystem::remove_all(folder_, others_write);
      }
      ::_exit(same ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_TRUE(warnings_.empty());
}

}  // namespace
}  // namespace coracle::internal
