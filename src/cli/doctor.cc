// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor.h"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>

#include "base/json.h"
#include "base/system/environment.h"
#include "base/system/machine.h"
#include "cli/commands.h"
#include "cli/failure.h"

namespace coracle::cli {
namespace {

const char* name_of(Health h) {
  switch (h) {
    case Health::kOk: return "ok";
    case Health::kNote: return "note";
    case Health::kSlow: return "slow";
    case Health::kWrong: return "wrong";
  }
  return "";
}

Finding build() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return {Health::kSlow, "build", "with a sanitizer",
          "a Release build (cmake --preset release) takes a tenth of the time"};
#elif !defined(NDEBUG)
  return {Health::kSlow, "build", "not optimised", "use a Release build: cmake --preset release"};
#else
  return {Health::kOk, "build", "optimised", ""};
#endif
}

Finding libraries() {
  std::string found = fmt::format("libcoracle {}", coracle_version());
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const size_t path = line.find('/');
    if (path == std::string::npos || line.find("/libcoracle.so", path) == std::string::npos) continue;
    found += " in " + line.substr(path);
    break;
  }
  if (const std::string library = internal::c_library(); !library.empty()) found += ", " + library;
  if (const std::string preloaded = internal::environment_variable("LD_PRELOAD").value_or(""); !preloaded.empty()) {
    return {Health::kNote, "libraries", found,
            fmt::format("LD_PRELOAD puts {} before them: unset it to compare", preloaded)};
  }
  return {Health::kOk, "libraries", found, ""};
}

Finding limits() {
  const internal::ProcessLimits limits = internal::process_limits();
  if (limits.address_space) {
    return {Health::kNote, "limits",
            fmt::format("the address space ends at {}", bytes_text(static_cast<int64_t>(*limits.address_space))),
            "'ulimit -v unlimited' lifts it; large models fail to load with it"};
  }
  if (limits.open_files && *limits.open_files < 64) {
    return {Health::kNote, "limits", fmt::format("{} open files", *limits.open_files),
            "'ulimit -n 1024' lifts it; models with a file for each parameter may not load"};
  }
  return {Health::kOk, "limits", "none that matter", ""};
}

Finding environment() {
  for (const char* name : {"OMP_NUM_THREADS", "MKL_NUM_THREADS"}) {
    if (const std::optional<std::string> value = internal::environment_variable(name)) {
      return {Health::kNote, "environment", fmt::format("{} is {}", name, *value),
              "it has no effect here: --threads (or the option `threads` of sessions) says how many"};
    }
  }
  return {Health::kOk, "environment", "nothing that matters", ""};
}

Finding files(const std::string& path, const internal::JsonValue& description) {
  const int64_t weights = description["parameters"]["bytes"].GetInt64();
  const int64_t mapped = description["mapped_bytes"].GetInt64();
  std::string found = fmt::format("{}, {} of weights, {} of them mapped", description["file"].GetString(),
                                  bytes_text(weights), bytes_text(mapped));
  if (internal::is_on_network(path)) {
    return {Health::kSlow, "files", found + ", on a network or FUSE file system",
            "loading waits for it: copy the model to a local disk"};
  }
  if (mapped == 0 && weights > 0) {
    return {Health::kNote, "files", found,
            "each process has a copy, as somebody may write to the files: 'chmod a-w' them, or --weights mapped, "
            "shares one"};
  }
  return {Health::kOk, "files", found, ""};
}

/// "3 matmul, 1 topk"
std::string counted(const std::map<std::string, int>& counts) {
  std::string out;
  for (const auto& [name, count] : counts) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, name);
  return out;
}

Finding kernels(const coracle::Model& model, const InputOptions& inputs) {
  const auto without_inputs = [](const char* why) {
    return Finding{Health::kNote, "kernels", why, "with inputs, which kernels they run with is told"};
  };
  coracle::Session session(model);
  try {
    set_inputs(model, inputs, session);
  } catch (const Failure& e) {
    return without_inputs(e.what());
  } catch (const client::Error& e) {
    return without_inputs(e.what());
  }
  internal::JsonDocument steps;
  steps.Parse(session.explain().c_str());
  std::map<std::string, int> references;
  for (const internal::JsonValue& step : steps.GetArray()) {
    if (std::string(step["kernel"].GetString()) == "reference") ++references[step["op"].GetString()];
  }
  if (!references.empty()) {
    return {Health::kSlow, "kernels", fmt::format("plain code runs {}", counted(references)),
            "'coracle explain' says why no kernel takes them, 'coracle profile' how much time that is"};
  }
  return {Health::kOk, "kernels", fmt::format("all {} steps that are known before a run have one", steps.Size()), ""};
}

void print_text(const std::vector<Finding>& findings) {
  for (const Finding& f : findings) {
    fmt::print("{:<5}  {:<15} {}\n", name_of(f.health), f.what, f.found);
    if (!f.advice.empty()) fmt::print("{:23}-> {}\n", "", f.advice);
  }
  const auto count = [&](Health h) {
    return std::count_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.health == h; });
  };
  fmt::print("{} checks: {} slow, {} wrong\n", findings.size(), count(Health::kSlow), count(Health::kWrong));
}

void print_json(const std::vector<Finding>& findings) {
  internal::JsonBuffer buffer;
  internal::JsonWriter w(buffer);
  w.StartObject();
  w.objects("findings", findings, [&](const Finding& f) {
    w.field("health", name_of(f.health));
    w.field("what", f.what);
    w.field("found", f.found);
    w.field("advice", f.advice);
  });
  w.EndObject();
  fmt::print("{}\n", buffer.GetString());
}

/// Devices beside the CPU. None is no fault: models run without.
Finding devices_beside() {
  const internal::JsonDocument others = other_devices();
  std::string found;
  for (const internal::JsonValue& d : others["devices"].GetArray()) {
    found += fmt::format("{}{} ({})", found.empty() ? "" : ", ", device_name(d), d["name"].GetString());
  }
  std::string advice;
  for (const internal::JsonValue& m : others["missing"].GetArray()) {
    advice += fmt::format("{}{}: {}", advice.empty() ? "" : "; ", m["kind"].GetString(), m["reason"].GetString());
  }
  return {Health::kOk, "devices", found.empty() ? "the CPU alone" : "the CPU, " + found, advice};
}

/// Engines that may run parts of models. None is no fault, either.
Finding engines() {
  const internal::JsonDocument here = engines_here();
  std::string found;
  std::string advice;
  for (const internal::JsonValue& e : here["engines"].GetArray()) {
    const bool missing = e.HasMember("missing");
    std::string& text = missing ? advice : found;
    text += missing
                ? fmt::format("{}{}: {}", text.empty() ? "" : "; ", e["name"].GetString(), e["missing"].GetString())
                : fmt::format("{}{} ({})", text.empty() ? "" : ", ", e["name"].GetString(), e["version"].GetString());
  }
  return {Health::kOk, "engines", found.empty() ? "none" : found + ", with --engines", advice};
}

}  // namespace

std::vector<Finding> examine_process() {
  return {build(), libraries(), limits(), environment(), devices_beside(), engines()};
}

std::vector<Finding> examine_model(const ModelArguments& arguments, const InputOptions& inputs) {
  const coracle::Model model(arguments.model, arguments.params);
  internal::JsonDocument description;
  description.Parse(model.description().c_str());
  coracle::Session session(model);
  const coracle_machine_limits limits = session.machine_limits();
  return {files(arguments.model, description),
          kernels(model, inputs),
          {Health::kOk, "speed",
           fmt::format("{:.0f} GFLOP/s of multiply-adds, {:.1f} GB/s from memory, as measured now",
                       limits.flops_per_second / 1e9, limits.bytes_per_second / 1e9),
           ""}};
}

namespace {

struct DoctorCommand {
  ModelArguments model;
  InputOptions inputs;
  bool json = false;

  void add_options(CLI::App* command) {
    add_model(command, model)->required(false);
    add_inputs(command, inputs);
    command->add_flag("--json", json, "print JSON");
  }
  void run() const;
};

void DoctorCommand::run() const {
  std::vector<Finding> findings = examine(read_machine(), measure_usage());
  const auto add = [&](const std::vector<Finding>& more) { findings.insert(findings.end(), more.begin(), more.end()); };
  add(examine_process());
  std::optional<Failure> failure;
  if (model.model.empty()) {
    if (!inputs.shapes.empty() || !inputs.files.empty()) {
      throw Failure(ExitCode::kUsage, "inputs are of a model: give its path, too");
    }
  } else {
    try {
      add(examine_model(model, inputs));
    } catch (const std::exception&) {
      failure = current_failure();
      add({{Health::kWrong, "model", failure->what(), "docs/troubleshooting.md goes by message"}});
    }
  }
  json ? print_json(findings) : print_text(findings);
  if (failure) throw Failure(failure->code(), "the model cannot be used, see above");
}

}  // namespace

void add_doctor(CLI::App& app) {
  add_command<DoctorCommand>(app, "doctor", "Says what is wrong or slow here, and what to do",
                             "Examples:\n"
                             "  coracle doctor                                        the machine\n"
                             "  coracle doctor model_dir --shape x=1,3,640,640        the model on it, too");
}

}  // namespace coracle::cli
