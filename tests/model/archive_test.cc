// SPDX-License-Identifier: Apache-2.0
#include "model/archive.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "base/error.h"
#include "loading/model.h"
#include "run/session.h"
#include "support/archive_writer.h"
#include "support/memory_file.h"
#include "support/small_models.h"
#include "support/temporary_folder.h"

namespace coracle::internal {
namespace {

using test::ArchivedFiles;
using Forms = std::vector<std::pair<std::string, std::string>>;  // names and bytes

/// The archive of the files in every form that is read.
Forms forms_of(const ArchivedFiles& files) {
  const std::string tar = test::tar_archive(files);
  return {{"m.tar", tar},
          {"m.tar.gz", test::gzipped(tar)},
          {"m.tgz", test::gzipped(tar.substr(0, 700)) + test::gzipped(tar.substr(700)) + std::string(100, '\0')},
          {"stored.zip", test::zip_archive(files, false)},
          {"m.zip", test::zip_archive(files, true)},
          {"large.zip", test::zip_archive(files, true, true)}};
}

/// As models are published: in a folder, with what else lies there.
ArchivedFiles published(const test::ModelBytes& model, const std::string& folder = "net/") {
  const std::string suffix = model.program.starts_with("{") ? ".json" : ".pdmodel";
  ArchivedFiles files{{"./" + folder + "._inference" + suffix, "of macOS"},
                      {folder + "inference.yml", "Global:\n"},
                      {folder + "inference" + suffix, model.program}};
  if (!model.params.empty()) files.emplace_back(folder + "inference.pdiparams", model.params);
  return files;
}

std::vector<Tensor> answers(const ModelSource& source, const test::ModelBytes& model,
                            Weights weights = Weights::kAutomatic) {
  ModelOptions options;
  options.load.weights = weights;
  Session session(Model::load(source, options), {.threads = 1});
  for (size_t i = 0; i < model.inputs.size(); ++i) session.set_input(i, model.inputs[i]);
  session.run();
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < session.model().info().outputs.size(); ++i) outputs.push_back(session.output(i).clone());
  return outputs;
}

void expect_same_results(const std::vector<Tensor>& got, const std::vector<Tensor>& expected, const std::string& what) {
  ASSERT_EQ(got.size(), expected.size()) << what;
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].bytes(), expected[i].bytes()) << what;
    EXPECT_EQ(std::memcmp(got[i].raw(), expected[i].raw(), got[i].bytes()), 0) << what;
  }
}

std::string archive_error(const std::string& path, ErrorCode code) {
  try {
    Model::load(ModelSource::on_disk(path), {});
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.text();
    return error.text();
  }
  return "no error";
}

void expect_parts(const std::string& error, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) EXPECT_NE(error.find(part), std::string::npos) << part << " in " << error;
}

TEST(Archive, AnswersAreThoseOfTheFiles) {
  const test::TemporaryFolder folder;
  std::vector<test::ModelBytes> models{test::product_model()};
  models.push_back(test::small_pir_models().front());
  for (const test::ModelBytes& model : models) {
    const std::vector<Tensor> expected =
        answers(ModelSource::in_memory(test::memory_file(model.program), test::memory_file(model.params)), model);
    for (const char* inner : {"", "net/", "a/b/"}) {
      for (const auto& [name, bytes] : forms_of(published(model, inner))) {
        const std::string path = folder.write(name, bytes);
        expect_same_results(answers(ModelSource::on_disk(path), model), expected, name);
        expect_same_results(answers(ModelSource::on_disk(path), model, Weights::kMapped), expected, name);
        expect_same_results(answers(ModelSource::on_disk(path + "/" + inner), model), expected, name);
        expect_same_results(answers(ModelSource::on_disk(path, "inference.pdiparams"), model), expected, name);
        expect_same_results(answers(ModelSource::in_memory(test::memory_file(bytes), test::memory_file("")), model),
                            expected, name);
        const std::string stem = path + "/" + inner + "inference";
        const std::string program = stem + (model.program.starts_with("{") ? ".json" : ".pdmodel");
        expect_same_results(answers(ModelSource::on_disk(program, stem + ".pdiparams"), model), expected, name);
      }
    }
  }
}

TEST(Archive, OneFilePerParameter) {
  const test::TemporaryFolder folder;
  const test::ModelBytes model = test::product_model();
  const ArchivedFiles files{{"m/__model__", model.program}, {"m/w", model.params}};
  for (const auto& [name, bytes] : forms_of(files)) {
    const std::shared_ptr<const Model> loaded = Model::load(ModelSource::on_disk(folder.write(name, bytes)), {});
    loaded->check_files();
    folder.write(name, bytes + "x");
    EXPECT_THROW(loaded->check_files(), Error);
  }
}

TEST(Archive, WhatIsNotPackedIsMapped) {
  const test::TemporaryFolder folder;
  for (const auto& [name, bytes] : forms_of(published(test::product_model()))) {
    const std::string path = folder.write(name, bytes);
    const LoadedModel model = load_model(ModelSource::on_disk(path), {.weights = Weights::kMapped});
    // Of four records in a tar archive one is aligned by chance, this one among them or not.
    EXPECT_EQ(model.files.size(), 2U);
    const ModelFiles found = find_model_files(ModelSource::on_disk(path));
    const std::optional<File> file = found.files->open_weights(found.combined, Weights::kMapped);
    ASSERT_TRUE(file.has_value());
    EXPECT_EQ(file->in_place() != nullptr && file->in_place()->mapped, name == "m.tar" || name == "stored.zip") << name;
  }
}

TEST(Archive, LongNames) {
  const test::TemporaryFolder folder;
  const test::ModelBytes model = test::product_model();
  const std::string inner = std::string(120, 'n') + "/";
  for (const test::LongNames form : {test::LongNames::kPax, test::LongNames::kGnu}) {
    const std::string path = folder.write("m.tar", test::tar_archive(published(model, inner), form));
    EXPECT_TRUE(inspect_model(ModelSource::on_disk(path)).file.ends_with(inner + "inference.pdmodel"));
  }
}

TEST(Archive, TheLastOfANameHolds) {
  const test::TemporaryFolder folder;
  ArchivedFiles files = published(test::product_model());
  files.insert(files.begin(), {"net/inference.pdmodel", "an older one"});
  for (const auto& [name, bytes] : forms_of(files)) {
    EXPECT_NO_THROW(load_model(ModelSource::on_disk(folder.write(name, bytes)))) << name;
  }
}

TEST(Archive, NamesThatLeadOutAreLeftOut) {
  const test::TemporaryFolder folder;
  const test::ModelBytes model = test::product_model();
  for (const std::string inner : {"../", "/net/", "a/../../", "__MACOSX/net/", "a//b/"}) {
    for (const auto& [name, bytes] : forms_of(published(model, inner))) {
      expect_parts(archive_error(folder.write(name, bytes), ErrorCode::kIo), {"no model in the archive", name});
    }
  }
}

TEST(Archive, SeveralModelsAreListed) {
  const test::TemporaryFolder folder;
  const test::ModelBytes model = test::product_model();
  ArchivedFiles files = published(model, "det/");
  for (const auto& file : published(model, "rec/")) files.push_back(file);
  for (const auto& [name, bytes] : forms_of(files)) {
    const std::string path = folder.write(name, bytes);
    expect_parts(archive_error(path, ErrorCode::kInvalidArgument),
                 {"several models", path + "/det'", path + "/rec'", "name one"});
    EXPECT_NO_THROW(load_model(ModelSource::on_disk(path + "/rec")));
    expect_parts(archive_error(path + "/cls", ErrorCode::kIo), {"no such model", path + "/cls"});
  }
}

TEST(Archive, WithoutAModel) {
  const test::TemporaryFolder folder;
  for (const auto& [name, bytes] : forms_of({{"a/net.onnx", "\x08\x08\x12\x07pytorch"}, {"readme", "text"}})) {
    expect_parts(archive_error(folder.write(name, bytes), ErrorCode::kIo),
                 {"no model in the archive", "'a/net.onnx', which is an ONNX model"});
  }
  const std::string torch = test::zip_archive({{"archive/data.pkl", "\x80\x02}q"}, {"archive/data/0", "1234"}}, false);
  expect_parts(archive_error(folder.write("net.pt", torch), ErrorCode::kInvalidModel),
               {"net.pt' is a PyTorch archive"});
  expect_parts(archive_error(folder.write("net.gz", test::gzipped("text")), ErrorCode::kInvalidModel),
               {"net.gz' is compressed by gzip", "unpack it"});
}

/// Loading ends in a model or an Error; says whether it is a model.
bool loads(const std::string& bytes) {
  try {
    Model::load(ModelSource::in_memory(test::memory_file(bytes), test::memory_file("")), {});
    return true;
  } catch (const Error& error) {
    EXPECT_FALSE(error.text().empty());
    return false;
  }
}

TEST(Archive, CutShortAnywhere) {
  for (const auto& [name, bytes] : forms_of(published(test::product_model()))) {
    const size_t whole = bytes.size() - (name == "m.tar" ? 512 : name == "m.tgz" ? 100 : 0);  // what is filled up
    for (size_t size = 1; size < bytes.size(); ++size) {
      if (loads(bytes.substr(0, size)) != (size >= whole)) ADD_FAILURE() << name << " at " << size << " of " << whole;
    }
  }
}

TEST(Archive, DamagedAnywhere) {
  std::mt19937 random(20240517);
  for (const auto& [name, bytes] : forms_of(published(test::product_model()))) {
    for (int i = 0; i < 3000; ++i) {
      std::string damaged = bytes;
      for (uint32_t flips = random() % 4 + 1; flips > 0; --flips) {
        damaged[random() % damaged.size()] = static_cast<char>(random());
      }
      loads(damaged);
    }
  }
}

/// `bytes` with others in place of those at `offset` behind the last `mark`.
std::string changed(std::string bytes, const std::string& mark, size_t offset, const std::string& to) {
  const size_t at = bytes.rfind(mark);
  EXPECT_NE(at, std::string::npos);
  return bytes.replace(at + offset, to.size(), to);
}

TEST(Archive, WhatIsSaidOfAPackedFileIsChecked) {
  const test::TemporaryFolder folder;
  const std::string zip = test::zip_archive(published(test::product_model()), true);
  const std::string entry = "PK\x01\x02";  // the last is that of the parameters
  const auto error = [&](size_t offset, const std::string& to, ErrorCode code = ErrorCode::kInvalidModel) {
    return archive_error(folder.write("m.zip", changed(zip, entry, offset, to)), code);
  };
  using namespace std::string_literals;
  expect_parts(error(8, "\x01"s, ErrorCode::kUnsupported), {"encrypted", "inference.pdiparams"});
  expect_parts(error(10, "\x0e"s, ErrorCode::kUnsupported), {"method 14", "unpack the archive"});
  expect_parts(error(16, "1234"s), {"checksum", "CRC-32"});
  expect_parts(error(24, "\xff\xff\xff\x7f"s), {"claims to unpack", "2147483647"});
  expect_parts(error(24, "\x01\0\0\0"s), {"inference.pdiparams"});
  expect_parts(error(24, "\xff\0\0\0"s), {"expected 255 bytes unpacked"});
  expect_parts(error(42, "\x01\0\0\0"s), {"no local header for the file"});
  expect_parts(error(20, "\xff\xff\0\0"s), {"are left"});
}

}  // namespace
}  // namespace coracle::internal
