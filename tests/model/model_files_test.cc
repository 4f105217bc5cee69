// SPDX-License-Identifier: Apache-2.0
#include "model/model_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "support/temporary_folder.h"

namespace coracle::internal {
namespace {

constexpr const char* kPirText = R"({"base_code":{"magic":"pir"}})";

class ModelFilesTest : public testing::Test {
 protected:
  ModelFiles find(const std::string& model, const std::string& params = {}) const {
    return find_model_files(ModelSource::on_disk(folder_.path(model), params.empty() ? "" : folder_.path(params)));
  }
  std::string relative(const std::string& path) const {
    return path.empty() ? path : path.substr(folder_.path().size() + 1);
  }
  std::string error_of(const std::string& model, const std::string& params = {},
                       ErrorCode code = ErrorCode::kIo) const {
    try {
      find(model, params);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), code);
      return e.text();
    }
    return "no error";
  }

  test::TemporaryFolder folder_;
};

TEST_F(ModelFilesTest, CombinedFiles) {
  folder_.write("m/inference.pdmodel", "p");
  folder_.write("m/inference.pdiparams", "w");
  for (const char* given : {"m", "m/", "m/inference.pdmodel", "m/inference.pdiparams"}) {
    const ModelFiles files = find(given);
    EXPECT_FALSE(files.is_pir);
    EXPECT_TRUE(files.program.name.ends_with("inference.pdmodel")) << given;
    EXPECT_TRUE(files.combined.ends_with("inference.pdiparams")) << given;
  }
}

TEST_F(ModelFilesTest, OldNames) {
  folder_.write("m/__model__", "p");
  EXPECT_EQ(find("m").combined, "");
  EXPECT_EQ(relative(find("m").folder), "m");
  folder_.write("m/__params__", "w");
  for (const char* given : {"m", "m/__model__", "m/__params__"}) {
    EXPECT_EQ(relative(find(given).program.name), "m/__model__") << given;
    EXPECT_EQ(relative(find(given).combined), "m/__params__") << given;
  }
}

TEST_F(ModelFilesTest, Pir) {
  folder_.write("m/inference.json", kPirText);
  folder_.write("m/inference.pdiparams", "w");
  folder_.write("m/config.json", "{}");
  for (const char* given : {"m", "m/inference.json", "m/inference.pdiparams"}) {
    EXPECT_TRUE(find(given).is_pir) << given;
    EXPECT_EQ(relative(find(given).program.name), "m/inference.json") << given;
    EXPECT_EQ(relative(find(given).combined), "m/inference.pdiparams") << given;
  }
  folder_.write("n/__model__.json", kPirText);
  EXPECT_TRUE(find("n").is_pir);
  EXPECT_EQ(relative(find("n").folder), "n");
}

TEST_F(ModelFilesTest, SeveralModelsInAFolder) {
  folder_.write("m/a.pdmodel", "p");
  folder_.write("m/b.pdmodel", "p");
  const std::string error = error_of("m", "", ErrorCode::kInvalidArgument);
  EXPECT_NE(error.find("a.pdmodel, b.pdmodel"), std::string::npos) << error;
  folder_.write("m/inference.pdmodel", "p");
  EXPECT_EQ(relative(find("m").program.name), "m/inference.pdmodel");
}

TEST_F(ModelFilesTest, WhatIsTakenOfSeveral) {
  // Each that is added goes before those that were there, but for the last two.
  std::vector<std::string> names;
  for (const char* name : {"model.pdmodel", "model.json", "inference.pdmodel", "inference.json", "__model__",
                           "__model__.json", "other.pdmodel", "other.json"}) {
    folder_.write(std::string("m/") + name, kPirText);
    names.emplace_back(name);
    const ModelFiles files = find("m");
    const std::string taken = names.size() > 6 ? "__model__.json" : name;
    EXPECT_EQ(relative(files.program.name), "m/" + taken);
    std::vector<std::string> others = names;
    others.erase(std::find(others.begin(), others.end(), taken));
    std::sort(others.begin(), others.end());
    EXPECT_EQ(files.passed_over, others);
  }
  EXPECT_TRUE(find("m/other.json").passed_over.empty());
}

TEST_F(ModelFilesTest, NamesWithoutSuffix) {
  folder_.write("m/model", "p");
  folder_.write("m/params", "w");
  for (const char* given : {"m", "m/model", "m/params"}) {
    EXPECT_EQ(relative(find(given).program.name), "m/model") << given;
    EXPECT_EQ(relative(find(given).combined), "m/params") << given;
  }
  folder_.write("m/net.pdmodel", "p");
  EXPECT_EQ(relative(find("m").program.name), "m/net.pdmodel");
}

TEST_F(ModelFilesTest, ABrokenProgramIsTaken) {
  folder_.write("m/config.json", "{}");
  EXPECT_NE(error_of("m").find("no model in the folder"), std::string::npos);
  folder_.write("m/net.json", R"({"base)");
  EXPECT_NE(error_of("m").find("no model in the folder"), std::string::npos);
  folder_.write("m/net.pdiparams", "w");
  EXPECT_EQ(relative(find("m").program.name), "m/net.json");
  folder_.write("n/inference.json", "not JSON");
  EXPECT_EQ(relative(find("n").program.name), "n/inference.json");
  EXPECT_TRUE(find("n").is_pir);
}

TEST_F(ModelFilesTest, ForeignModelsOfAFolderAreNamed) {
  folder_.write("m/readme", "text");
  folder_.write("m/net.onnx", "\x08\x08\x12\x07pytorch");
  const std::string error = error_of("m");
  EXPECT_NE(error.find("no model in the folder"), std::string::npos) << error;
  EXPECT_NE(error.find("it holds 'net.onnx', which is an ONNX model"), std::string::npos) << error;
}

TEST_F(ModelFilesTest, GivenParametersWin) {
  folder_.write("m/a.pdmodel", "p");
  folder_.write("m/a.pdiparams", "w");
  folder_.write("w/other", "w");
  EXPECT_EQ(relative(find("m/a.pdmodel", "w/other").combined), "w/other");
  EXPECT_EQ(relative(find("m", "w/other").combined), "w/other");
  const ModelFiles separate = find("m/a.pdmodel", "w");
  EXPECT_EQ(separate.combined, "");
  EXPECT_EQ(relative(separate.folder), "w");
}

TEST_F(ModelFilesTest, ErrorsSayWhatWasLookedFor) {
  folder_.write("m/readme", "x");
  EXPECT_NE(error_of("m").find("__model__"), std::string::npos);
  EXPECT_NE(error_of("nothing").find("nothing"), std::string::npos);
  folder_.write("m/a.pdiparams", "w");
  EXPECT_NE(error_of("m/a.pdiparams").find("a.pdmodel"), std::string::npos);
  folder_.write("m/a.pdmodel", "p");
  EXPECT_NE(error_of("m/a.pdmodel", "m/none").find("none"), std::string::npos);
}

TEST_F(ModelFilesTest, SpecialFilesAreRefused) {
  EXPECT_THROW(find_model_files(ModelSource::on_disk("/dev/zero")), Error);
}

TEST(ModelSourceTest, MemoryAndCallback) {
  const std::string program = "program";
  const std::string params = "params";
  const auto view = [](const std::string& s) {
    return FileBytes{.name = "", .owner = nullptr, .bytes = {reinterpret_cast<const uint8_t*>(s.data()), s.size()}};
  };
  const ModelFiles memory = find_model_files(ModelSource::in_memory(view(program), view(params)));
  EXPECT_EQ(memory.program.bytes.size(), program.size());
  EXPECT_EQ(memory.open_combined()->size(), params.size());

  std::map<std::string, std::string> archive{{"x/m.pdmodel", program}, {"x/m.pdiparams", params}};
  const ReadFile read = [&](const std::string& name) -> std::optional<FileBytes> {
    const auto it = archive.find(name);
    if (it == archive.end()) return std::nullopt;
    FileBytes file = view(it->second);
    file.name = name;
    return file;
  };
  EXPECT_EQ(find_model_files(ModelSource::by_callback(read, "x/m.pdmodel")).combined, "x/m.pdiparams");
}

}  // namespace
}  // namespace coracle::internal
