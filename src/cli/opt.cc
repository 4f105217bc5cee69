// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/system/kept_files.h"
#include "base/system/native_path.h"
#include "cli/commands.h"
#include "cli/failure.h"
#include "cli/note.h"
#include "cli/text.h"

namespace coracle::cli {
namespace {

/// Flags of Paddle Lite's opt that choose among its kernels and tools, which have no part in what is written here.
constexpr const char* kWithoutEffect[] = {"valid_targets",         "prefer_int8_kernel",
                                          "quant_model",           "quant_type",
                                          "enable_fp16",           "sparse_model",
                                          "sparse_threshold",      "nnadapter_mixed_precision_quantization_config_path",
                                          "display_kernels",       "model_filename",
                                          "record_tailoring_info", "visualization_file_output_path",
                                          "param_filename",        "optimized_nb_model_path"};

struct OptCommand {
  std::string model_dir;
  std::string model_file;
  std::string param_file;
  std::string model_set_dir;
  std::string type = "naive_buffer";
  std::string output;
  bool print_model_ops = false;
  bool print_all_ops = false;
  std::vector<CLI::Option*> without_effect;

  void add_options(CLI::App* command) {
    command->add_option("--model_dir", model_dir, "model to save: a folder, or a file that has all of one");
    command->add_option("--model_file", model_file, "its program file; then --model_dir is not used");
    command->add_option("--param_file", param_file, "its parameter file");
    command->add_option("--model_set_dir", model_set_dir, "folder of models, each of which is saved");
    command->add_option(
        "--optimize_out", output,
        "file to write, without its ending: OUT.nb, or OUT/model for protobuf; a name that ends with .nb or "
        ".coracle is the file's. Of a set, the folder");
    command->add_option("--optimize_out_type", type, "names of the files alone: what is in them is the same")
        ->check(CLI::IsMember({"naive_buffer", "protobuf"}));
    command->add_flag("--print_model_ops", print_model_ops, "say which operators the model has, and write nothing");
    command->add_flag("--print_all_ops,--print_supported_ops,--print_all_ops_in_md_format", print_all_ops,
                      "say where the operators are listed");
    for (const char* name : kWithoutEffect) {
      without_effect.push_back(command->add_option(std::string("--") + name)
                                   ->expected(0, 1)
                                   ->description("taken as opt takes it; no effect"));
    }
  }
  void run() const;
  void print_operators(const std::string& model) const;
  void save(const std::string& model, const std::string& params, const std::string& to) const;
};

/// Prints what a program says of its operators. Ends with the exit code of what cannot be run.
void OptCommand::print_operators(const std::string& model) const {
  internal::JsonDocument d;
  d.Parse(coracle::inspect(model, param_file).c_str());
  fmt::print("OPs in the input model include:\n");
  const internal::JsonValue& operators = d["operators"];
  for (auto o = operators.MemberBegin(); o != operators.MemberEnd(); ++o) {
    fmt::print("  {:6}  {}\n", o->value.GetInt64(), o->name.GetString());
  }
  std::string missing;
  for (const internal::JsonValue& u : d["unsupported"].GetArray()) {
    missing += fmt::format("\n  {}: {}", u["operator"].GetString(), u["reason"].GetString());
  }
  if (!missing.empty()) throw Failure(ExitCode::kUnsupported, "operators that Coracle does not have:" + missing);
  fmt::print("Coracle supports this model.\n");
}

void make_folder(const std::string& folder) {
  if (internal::make_folder(folder)) return;
  throw Failure(ExitCode::kIo, folder + ": cannot be made: " + std::strerror(errno));
}

void OptCommand::save(const std::string& model, const std::string& params, const std::string& to) const {
  const coracle::Model loaded(model, params);
  const bool is_file = to.ends_with(".nb") || to.ends_with(".coracle");
  std::string file = is_file ? to : to + ".nb";
  if (!is_file && type == "protobuf") {
    make_folder(to);
    file = to + "/model";
    coracle::write_file(to + "/params", "");  // programs name one; all is in the other
  }
  loaded.save(file, /*packed=*/false);
  fmt::print("Model is optimized and saved into {}, a saved model of Coracle\n", printable(file));
}

void OptCommand::run() const {
  if (print_all_ops) {
    fmt::print(
        "Coracle has the operators of Paddle 2.6 and 3.3; its manual lists them (docs/operators.md). Of a model, "
        "--print_model_ops says them.\n");
    return;
  }
  for (const CLI::Option* option : without_effect) {
    if (option->count() != 0) note("{} has no effect: a saved model has no kernels\n", option->get_name());
  }
  if (!model_set_dir.empty()) {
    if (output.empty()) throw Failure(ExitCode::kUsage, "--optimize_out is missing: the folder to write to");
    std::vector<std::string> names;
    std::error_code error;
    std::filesystem::directory_iterator models(internal::native_path(model_set_dir), error);
    if (error) throw Failure(ExitCode::kIo, model_set_dir + ": cannot be read: " + error.message());
    for (const auto& entry : models) names.push_back(internal::path_text(entry.path().filename()));
    std::sort(names.begin(), names.end());
    make_folder(output);
    for (const std::string& name : names) save(model_set_dir + "/" + name, "", output + "/" + name);
    return;
  }
  const std::string& model = model_file.empty() ? model_dir : model_file;
  if (model.empty())
    throw Failure(ExitCode::kUsage, "no model: --model_dir, or --model_file and --param_file, names it");
  if (print_model_ops) return print_operators(model);
  if (output.empty())
    throw Failure(ExitCode::kUsage, "--optimize_out is missing: the file to write, without its ending");
  save(model, model_file.empty() ? "" : param_file, output);
}

}  // namespace

void add_opt(CLI::App& app) {
  add_command<OptCommand>(
      app, "opt", "Saves a model as Paddle Lite's opt is told to",
      "Takes the flags of Paddle Lite's program opt, and is also the program coracle-opt. It writes a saved model of "
      "Coracle, as 'coracle optimize --no-packed' does: Coracle's MobileConfig reads it, under any name, and Paddle "
      "Lite does not. Files that Paddle Lite's own opt wrote (.nb) are models that every command takes, this one too.\n"
      "Flags may begin with one dash. Those for kernels, chips and smaller weights have no effect; 'coracle quantize' "
      "makes models in fewer bits.\n"
      "\nExamples:\n"
      "  coracle-opt --model_dir=mobilenet_v1 --optimize_out=mobilenet_v1_opt\n"
      "  coracle-opt --model_file=a.pdmodel --param_file=a.pdiparams --optimize_out_type=naive_buffer "
      "--optimize_out=a\n"
      "  coracle-opt --model_dir=mobilenet_v1 --print_model_ops=true");
}

}  // namespace coracle::cli
