// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/program.h"
#include "model/load.h"
#include "support/small_models.h"
#include "support/temporary_folder.h"

/// The program by the name coracle-opt, with the flags of Paddle Lite's opt.
namespace coracle::internal {
namespace {

class OptProgram : public testing::Test {
 protected:
  OptProgram() {
    const test::ModelBytes model = test::product_model();
    folder_.write("set/one/model.pdmodel", model.program);
    if (!model.params.empty()) folder_.write("set/one/model.pdiparams", model.params);
  }

  /// Runs it; what it printed.
  static std::string printed(const std::vector<std::string>& arguments) {
    const test::Outcome outcome = test::coracle_program(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out + outcome.err;
  }
  std::string path(const std::string& name) const { return folder_.path(name); }
  std::string format_of(const std::string& name) const {
    return inspect_model(ModelSource::on_disk(path(name))).format;
  }

  test::TemporaryFolder folder_;
};

TEST_F(OptProgram, WritesSavedModels) {
  const std::string said = printed({"--model_file=" + path("set/one/model.pdmodel"), "--optimize_out_type=naive_buffer",
                                    "-valid_targets=arm", "--optimize_out=" + path("out"), "--quant_model=true",
                                    "--quant_type=QUANT_INT8", "--enable_fp16"});
  EXPECT_EQ(format_of("out.nb"), "Coracle");
  for (const char* flag : {"--valid_targets", "--quant_model", "--quant_type", "--enable_fp16"}) {
    EXPECT_NE(said.find(std::string(flag) + " has no effect"), std::string::npos) << said;
  }
  printed({"--model_dir", path("set/one"), "--optimize_out_type", "protobuf", "--optimize_out", path("folder")});
  EXPECT_EQ(format_of("folder/model"), "Coracle");
  EXPECT_EQ(std::filesystem::file_size(path("folder/params")), 0U);
  printed({"--model_set_dir=" + path("set"), "--record_tailoring_info=true", "--optimize_out=" + path("all")});
  EXPECT_EQ(format_of("all/one.nb"), "Coracle");
}

TEST_F(OptProgram, TakesFilesOfPaddleLite) {
  const std::string file = std::string(CORACLE_LITE_FILES) + "/x86.nb";
  printed({"--model_dir=" + file, "--optimize_out=" + path("again.coracle")});
  EXPECT_EQ(format_of("again.coracle"), "Coracle");
  const std::string said = printed({"--model_dir=" + file, "--print_model_ops=true"});
  EXPECT_NE(said.find("1  depthwise_conv2d"), std::string::npos) << said;
  EXPECT_NE(said.find("Coracle supports this model."), std::string::npos) << said;
}

TEST_F(OptProgram, SaysWhatIsWrong) {
  test::expect_failure({"--optimize_out=x"}, 2, {"no model", "--model_dir"});
  test::expect_failure({"--model_dir=" + path("set/one")}, 2, {"--optimize_out is missing"});
  test::expect_failure({"--model_dir=" + path("none"), "--optimize_out=" + path("x")}, 5, {"none"});
  test::expect_failure({"--optimize_out_type=text", "--model_dir=m", "--optimize_out=x"}, 2, {"naive_buffer"});
}

}  // namespace
}  // namespace coracle::internal
