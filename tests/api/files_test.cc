// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <rapidjson/document.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <functional>

#include "api/loaded.h"
#include "support/archive_writer.h"
#include "support/program_writer.h"
#include "support/temporary_folder.h"

// Files on disk that change while a model lives: what they may do to it, and what coracle_model_check says of them.
namespace coracle::internal {
namespace {

using test::expect_error;
using test::ModelHandle;

ModelHandle load_files(const std::string& path, const char* weights) {
  coracle_model_options options;
  coracle_model_options_init(&options, sizeof(options));
  options.weights = weights;
  coracle_model* model = nullptr;
  EXPECT_EQ(coracle_model_load(path.c_str(), nullptr, &options, &model), CORACLE_OK) << coracle_last_error();
  return ModelHandle(model);
}

/// Bytes of weights that stay in a mapped file.
int64_t mapped_bytes(const ModelHandle& model) {
  rapidjson::Document d;
  d.Parse(coracle_model_description(model.get()));
  return d["mapped_bytes"].GetInt64();
}

/// The second output of the product model for 1 2, by a session of its own.
std::vector<float> answer(const ModelHandle& model) {
  const test::SessionHandle session = test::open(model);
  const int64_t dims[] = {1, 2};
  const float x[] = {1, 2};
  EXPECT_EQ(coracle_session_set_input(session.get(), 0, CORACLE_FLOAT32, 2, dims, x), CORACLE_OK);
  EXPECT_EQ(coracle_session_run(session.get()), CORACLE_OK) << coracle_last_error();
  std::vector<float> y(2);
  EXPECT_EQ(coracle_session_copy_output(session.get(), 1, y.data(), 8), CORACLE_OK) << coracle_last_error();
  return y;
}

const std::vector<float> kRight{7, 10};

class ChangedFiles : public testing::Test {
 protected:
  /// Writes into a file without making another of it.
  static void overwrite(const std::string& path, const std::string& content, int flags = 0) {
    const int fd = ::open(path.c_str(), O_WRONLY | flags);
    ASSERT_GE(fd, 0);
    ASSERT_EQ(::write(fd, content.data(), content.size()), static_cast<ssize_t>(content.size()));
    ::close(fd);
    // What the clock of the file system may not tell from the time before.
    const timespec later[] = {{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, {.tv_sec = ++later_, .tv_nsec = 5}};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), later, 0), 0);
  }
  void expect_changed(const ModelHandle& model, const std::string& path, const std::string& how) const {
    expect_error(coracle_model_check(model.get()), CORACLE_IO, "the model's file '" + path + "' " + how);
  }

  static inline time_t later_ = 2000000000;
  const test::TemporaryFolder folder_;
  const test::ModelBytes bytes_ = test::product_model();
  const std::string program_ = folder_.write("m/inference.pdmodel", bytes_.program);
  const std::string params_ = folder_.write("m/inference.pdiparams", bytes_.params);
};

TEST_F(ChangedFiles, HarmNoModelThatCopied) {
  const std::function<void()> changes[] = {
      [&] { ASSERT_EQ(::truncate(params_.c_str(), 0), 0); },
      [&] { ASSERT_EQ(::truncate(program_.c_str(), 3), 0); },
      [&] { overwrite(params_, std::string(bytes_.params.size(), '\x55')); },
      [&] { overwrite(program_, std::string(bytes_.program.size(), '\x55')); },
      [&] { ASSERT_EQ(::unlink(params_.c_str()), 0); },
      [&] { folder_.write("m/inference.pdiparams", "another"); },
  };
  for (const char* weights : {static_cast<const char*>(nullptr), "automatic", "copied"}) {
    for (const auto& change : changes) {
      folder_.write("m/inference.pdmodel", bytes_.program);
      folder_.write("m/inference.pdiparams", bytes_.params);
      const ModelHandle model = load_files(folder_.path("m"), weights);
      const test::SessionHandle session = test::open(model);
      change();
      EXPECT_EQ(answer(model), kRight);  // planned and packed for the first time behind the change
      EXPECT_EQ(answer(model), kRight);
      EXPECT_EQ(mapped_bytes(model), 0);
    }
  }
}

TEST_F(ChangedFiles, AreNoticed) {
  for (const char* weights : {"copied", "mapped"}) {
    folder_.write("m/inference.pdiparams", bytes_.params);
    const ModelHandle model = load_files(folder_.path("m"), weights);
    const std::string size = std::to_string(bytes_.params.size()) + " bytes";
    EXPECT_EQ(coracle_model_check(model.get()), CORACLE_OK) << coracle_last_error();

    overwrite(params_, bytes_.params);  // the same bytes at another time
    expect_changed(model, params_, "was written to: expected " + size + ", modified 20");
    expect_changed(model, params_, "was written to");  // and stays so
    EXPECT_NE(std::string(coracle_last_error()).find("; found " + size + ", modified 2033-05-18"), std::string::npos)
        << coracle_last_error();
    const ModelHandle again = load_files(folder_.path("m"), weights);
    EXPECT_EQ(coracle_model_check(again.get()), CORACLE_OK);

    overwrite(params_, "more", O_APPEND);
    expect_changed(again, params_, "has grown: expected " + size);
    ASSERT_EQ(::truncate(params_.c_str(), static_cast<off_t>(bytes_.params.size() - 1)), 0);
    expect_changed(again, params_, "was cut short: expected " + size);
    ASSERT_EQ(::unlink(params_.c_str()), 0);
    expect_changed(again, params_, "is gone: expected " + size);
  }
}

TEST_F(ChangedFiles, TheProgramIsOneOfThem) {
  const ModelHandle model = load_files(folder_.path("m"), nullptr);
  ASSERT_EQ(::truncate(program_.c_str(), 7), 0);
  expect_changed(model, program_, "was cut short");
  EXPECT_EQ(answer(model), kRight);
}

TEST_F(ChangedFiles, ReplacedByRenamingAreNoticedAndHarmNothing) {
  for (const char* weights : {"copied", "mapped"}) {
    const ModelHandle model = load_files(folder_.path("m"), weights);
    // The same bytes and time in another file.
    struct stat info {};
    ASSERT_EQ(::stat(params_.c_str(), &info), 0);
    const std::string other = folder_.write("m/new", bytes_.params);
    const timespec times[] = {info.st_atim, info.st_mtim};
    ASSERT_EQ(::utimensat(AT_FDCWD, other.c_str(), times, 0), 0);
    ASSERT_EQ(std::rename(other.c_str(), params_.c_str()), 0);
    expect_changed(model, params_, "was replaced by another file");
    EXPECT_EQ(answer(model), kRight);
  }
}

TEST_F(ChangedFiles, OnePerParameterAreAllChecked) {
  const std::string w = folder_.write("s/w", bytes_.params);
  folder_.write("s/__model__", bytes_.program);
  for (const char* weights : {"copied", "mapped"}) {
    const ModelHandle model = load_files(folder_.path("s"), weights);
    EXPECT_EQ(answer(model), kRight);
    EXPECT_EQ(coracle_model_check(model.get()), CORACLE_OK) << coracle_last_error();
    overwrite(w, bytes_.params);
    expect_changed(model, w, "was written to");
  }
}

TEST_F(ChangedFiles, AreFoundFromAnotherWorkingFolder) {
  const std::string before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  const ModelHandle model = load_files("m", nullptr);
  std::filesystem::current_path(before);
  EXPECT_EQ(coracle_model_check(model.get()), CORACLE_OK) << coracle_last_error();
}

TEST_F(ChangedFiles, OfBytesOfTheCallerThereAreNone) {
  const ModelHandle from_memory = test::load(bytes_);
  expect_error(coracle_model_check(from_memory.get()), CORACLE_INVALID_ARGUMENT, "was not loaded from files on disk");
  const auto read = [](void* user, const char* name, const void** data, size_t* size) {
    const auto& bytes = *static_cast<const test::ModelBytes*>(user);
    const std::string* content = std::string(name) == "m.pdmodel" ? &bytes.program : &bytes.params;
    *data = content->data();
    *size = content->size();
    return 0;
  };
  coracle_model* model = nullptr;
  ASSERT_EQ(
      coracle_model_load_callback("m.pdmodel", nullptr, read, const_cast<test::ModelBytes*>(&bytes_), nullptr, &model),
      CORACLE_OK)
      << coracle_last_error();
  const ModelHandle by_callback(model);
  expect_error(coracle_model_check(model), CORACLE_INVALID_ARGUMENT, "'m.pdmodel' was not loaded from files on disk");
  expect_error(coracle_model_check(nullptr), CORACLE_INVALID_ARGUMENT, "'model' is null");
}

TEST_F(ChangedFiles, NoOtherWayOfLoadingWeights) {
  coracle_model_options options;
  coracle_model_options_init(&options, sizeof(options));
  EXPECT_EQ(options.weights, nullptr);
  coracle_model* model = nullptr;
  for (const char* wrong : {"", "Mapped", "map", "copied,mapped", "auto"}) {
    options.weights = wrong;
    const std::string message =
        "weights cannot be '" + std::string(wrong) + "', only one of: automatic, copied, mapped";
    expect_error(coracle_model_load(folder_.path("m").c_str(), nullptr, &options, &model), CORACLE_INVALID_ARGUMENT,
                 message);
    expect_error(coracle_model_load_memory(bytes_.program.data(), bytes_.program.size(), bytes_.params.data(),
                                           bytes_.params.size(), &options, &model),
                 CORACLE_INVALID_ARGUMENT, message);
  }
  // A program that was compiled before there was the option.
  options.struct_size = offsetof(coracle_model_options, weights);
  ASSERT_EQ(coracle_model_load(folder_.path("m").c_str(), nullptr, &options, &model), CORACLE_OK);
  coracle_model_free(model);
}

/// y = x w, with w float32 [1024, 1024], whose elements are aligned in its file.
class LargeWeights : public testing::Test {
 protected:
  static constexpr size_t kBytes = size_t{4} << 20U;

  LargeWeights() {
    test::BlockWriter main;
    test::add_feed(main, "x", test::kFloat32, {-1, 1024}, 0);
    main.variables.push_back(test::variable("w", test::kFloat32, {1024, 1024}, true));
    main.operators.push_back(test::OpWriter("matmul_v2").in("X", {"x"}).in("Y", {"w"}).out("Out", {"y"}));
    test::add_fetch(main, "y", 0);
    folder_.write("m.pdmodel", test::program_file({main}));
    folder_.write("m.pdiparams", test::record<float>(test::kFloat32, {1024, 1024}, std::vector<float>(kBytes / 4, 1)));
  }
  ModelHandle load_files(const char* weights) const {
    return coracle::internal::load_files(folder_.path("m.pdmodel"), weights);
  }

  const test::TemporaryFolder folder_;
};

TEST_F(LargeWeights, AreMappedOnRequestOrWhereNobodyMayWrite) {
  const auto mapped = [&](const char* weights) { return mapped_bytes(load_files(weights)); };
  EXPECT_EQ(mapped(nullptr), 0);
  EXPECT_EQ(mapped("automatic"), 0);
  EXPECT_EQ(mapped("copied"), 0);
  EXPECT_EQ(mapped("mapped"), static_cast<int64_t>(kBytes));
  ASSERT_EQ(::chmod(folder_.path("m.pdiparams").c_str(), 0444), 0);
  EXPECT_EQ(mapped("copied"), 0);
  const int64_t protected_bytes = mapped(nullptr);
  EXPECT_EQ(mapped("automatic"), protected_bytes);
  if (protected_bytes == 0) GTEST_SKIP() << "the folder of temporary files is on no disk of this machine";
  EXPECT_EQ(protected_bytes, static_cast<int64_t>(kBytes));
}

TEST_F(LargeWeights, CopiedAreCountedAndSharedBySessions) {
  const size_t before = coracle_memory_total();
  {
    const ModelHandle mapped = load_files("mapped");
    EXPECT_LT(coracle_memory_total(), before + kBytes / 8);
    const ModelHandle copied = load_files("copied");
    const size_t loaded = coracle_memory_total();
    EXPECT_GE(loaded, before + kBytes);
    EXPECT_LT(loaded, before + kBytes + kBytes / 8);  // neither the file nor the program are kept besides
    const test::SessionHandle session = test::open(copied);
    coracle_session* clone = nullptr;
    ASSERT_EQ(coracle_session_clone(session.get(), &clone), CORACLE_OK);
    const test::SessionHandle second(clone);
    EXPECT_LT(coracle_memory_total(), loaded + kBytes / 8);
  }
  EXPECT_EQ(coracle_memory_total(), before);
}

/// The file beside the model, or "(none)".
std::string beside(const std::string& model, const char* name, size_t most = 100) {
  char* data = nullptr;
  size_t size = 0;
  EXPECT_EQ(coracle_model_file(model.c_str(), name, most, nullptr, nullptr, &data, &size), CORACLE_OK)
      << coracle_last_error();
  const std::string content = data == nullptr ? "(none)" : std::string(data, size);
  coracle_string_free(data);
  return content;
}

TEST(FilesBesideModels, InFoldersAndArchives) {
  const test::TemporaryFolder folder;
  const std::string program = folder.write("m.pdmodel", test::product_model().program);
  folder.write("inference.yml", "a: 1\n");
  const test::ArchivedFiles files{{"net/m.pdmodel", test::product_model().program}, {"net/inference.yml", "a: 2\n"}};
  const std::string tar = folder.write("m.tar", test::tar_archive(files));
  const std::string zip = folder.write("m.zip", test::zip_archive(files, true));
  EXPECT_EQ(beside(folder.path(), "inference.yml"), "a: 1\n");
  EXPECT_EQ(beside(program, "inference.yml"), "a: 1\n");
  for (const std::string& model : {tar, zip, tar + "/net", tar + "/net/m.pdmodel"}) {
    EXPECT_EQ(beside(model, "inference.yml"), "a: 2\n") << model;
    EXPECT_EQ(beside(model, "deploy.yaml"), "(none)") << model;
  }
}

TEST(FilesBesideModels, ErrorsSayWhatIsWrong) {
  const test::TemporaryFolder folder;
  const std::string archive = folder.write("m.tar", test::tar_archive({{"m.pdmodel", "x"}, {"big.yml", "12345"}}));
  char* data = nullptr;
  size_t size = 0;
  expect_error(coracle_model_file(archive.c_str(), "big.yml", 4, nullptr, nullptr, &data, &size), CORACLE_IO,
               "m.tar/big.yml' has 5 bytes, at most 4 are read");
  EXPECT_EQ(data, nullptr);
  expect_error(coracle_model_file(folder.path("none").c_str(), "a.yml", 4, nullptr, nullptr, &data, &size), CORACLE_IO,
               "no such model");
  const std::string two = folder.write("two.tar", test::tar_archive({{"a/a.pdmodel", "x"}, {"b/b.pdmodel", "x"}}));
  expect_error(coracle_model_file(two.c_str(), "a.yml", 4, nullptr, nullptr, &data, &size), CORACLE_INVALID_ARGUMENT,
               "holds several models");
}

}  // namespace
}  // namespace coracle::internal
