// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "files.h"
#include "plan/device.h"
#include "program.h"

// What is made of the table of options: help, completions, manuals, and what was probably meant.
namespace coracle::internal {
namespace {

std::string printed(const std::vector<std::string>& arguments) {
  const test::Outcome outcome = test::coracle_program(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return outcome.out;
}

void expect_parts(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
}

/// Whether a program of that name is on the machine.
bool there_is(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;  // NOLINT(cert-env33-c)
}

/// What a shell prints for a script.
std::string shell(const std::string& program, const std::string& script) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("script", script);
  FILE* const pipe = ::popen((program + " " + path).c_str(), "r");
  std::string out;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) out.push_back(static_cast<char>(c));
  EXPECT_EQ(::pclose(pipe), 0) << out;
  return out;
}

TEST(Options, HelpShowsDefaultsAndBounds) {
  expect_parts(printed({"run", "--help"}),
               {"--threads INT", "[0 - 1024]", "(default: 0)", "--seed TEXT", "(default: coracle)", "--scale NUMBER",
                "(default: 1/255)", "--precision strict|default|int8|high|tf32|bf16|fp16", "(with --json)"});
  expect_parts(printed({"bench", "--help"}), {"--repeat INT", "(default: 20)", "--device cpu|cuda|opencl[:N]"});
  expect_parts(printed({"quantize", "--help"}), {": auto, minmax, percentile, mse, kl", ": int8, int4"});
  expect_parts(printed({"compare", "--help"}), {": paddle, onnxruntime, openvino"});
  expect_parts(printed({"manual", "run"}), {"cpu|cuda|opencl[:N]"});
  for (const Device* device : all_devices()) {
    EXPECT_NE(std::string("|cpu|cuda|opencl|").find("|" + std::string(device->name) + "|"), std::string::npos)
        << device->name << " is a device of this build that the help of --device does not name";
  }
}

TEST(Options, MisspeltWordsAreToldWhatWasMeant) {
  const auto meant = [](const std::vector<std::string>& arguments, const std::string& word) {
    test::expect_failure(arguments, 2, {"did you mean '" + word + "'?"});
  };
  meant({"rnu"}, "run");
  meant({"benhc", "model"}, "bench");
  meant({"inspec", "model"}, "inspect");
  meant({"run", "model", "--thread", "2"}, "--threads");
  meant({"run", "model", "--ouput-dir=x"}, "--output-dir");
  meant({"bench", "model", "--wramup", "2"}, "--warmup");
  test::expect_failure({"--threads", "1", "run", "model"}, 2,
                       {"the option '--threads' belongs to the command 'run': write 'coracle run --threads"});
  const test::Outcome nothing = test::coracle_program({"run", "model", "--frequency", "3"});
  EXPECT_EQ(nothing.err.find("did you mean"), std::string::npos) << nothing.err;
}

TEST(Options, CompletionOfBash) {
  const std::string script = printed({"completion", "bash"});
  if (!there_is("bash")) GTEST_SKIP() << "there is no bash";
  const auto completed = [&](const std::string& words, int at) {
    return shell("bash", script + "COMP_WORDS=(" + words + "); COMP_CWORD=" + std::to_string(at) +
                             "; _coracle; echo \"${COMPREPLY[@]}\"\n");
  };
  EXPECT_EQ(completed("coracle b", 1), "bench\n");
  EXPECT_EQ(completed("coracle run --prec", 2), "--precision\n");
  EXPECT_EQ(completed("coracle run --precision \"\"", 3), "strict default int8 high tf32 bf16 fp16\n");
  EXPECT_EQ(completed("coracle run --device \"\"", 3), "cpu cuda opencl\n");
  EXPECT_EQ(completed("coracle quantize --weights-only \"\"", 3), "int8 int4\n");
  EXPECT_EQ(completed("coracle completion z", 2), "zsh\n");
}

TEST(Options, CompletionOfOtherShells) {
  const std::string fish = printed({"completion", "fish"});
  expect_parts(fish, {"-a run", "__fish_seen_subcommand_from run' -l threads -r"});
  const std::string zsh = printed({"completion", "zsh"});
  expect_parts(zsh, {"#compdef coracle", "'run:Runs a model once'", "--precision["});
  if (there_is("fish")) {
    EXPECT_EQ(shell("fish --no-config", fish + "complete -C 'coracle completion z'\n").substr(0, 3), "zsh");
  }
  if (there_is("zsh")) {
    EXPECT_EQ(shell("zsh -n", zsh), "");
  }
}

TEST(Options, Manuals) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(printed({"manual", "--output-dir", folder.path("man")}), "");
  for (const char* page : {"coracle", "coracle-run", "coracle-graph"}) {
    EXPECT_TRUE(std::filesystem::exists(folder.path("man/") + page + ".1")) << page;
  }
  expect_parts(printed({"manual", "run"}),
               {".TH CORACLE\\-RUN 1", "\\fB\\-\\-threads\\fR", "(default: 0)", ".SH NOTES"});
  expect_parts(printed({"manual"}), {".SH COMMANDS", "coracle\\-bench", "Exit codes:"});
  test::expect_failure({"manual", "walk"}, 2, {"no command 'walk'"});
}

}  // namespace
}  // namespace coracle::internal
