// SPDX-License-Identifier: Apache-2.0
#include "cli/compare/side.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <exception>
#include <map>

#include "base/json.h"
#include "cli/failure.h"
#include "cli/interrupt.h"
#include "cli/text.h"

namespace coracle::cli {
namespace {

/// The inputs of a run shown to an observer.
struct Observation {
  const std::set<std::string>* wanted;
  const Side::See& see;
  std::map<std::string, size_t> counts;
  std::exception_ptr failure;

  void show(const coracle_node_value& v) {
    if (v.is_result == 0 || v.is_constant != 0 || *v.name == '\0') return;
    const std::string key = fmt::format("{}#{}", v.name, counts[v.name]++);
    const SeenValue value{key, v.name, v.node, v.op};
    if (wanted == nullptr) return see(value, nullptr);
    if (wanted->count(key) == 0) return;
    const client::Tensor array = client::tensor_of(coracle::View(v.tensor, {}));
    see(value, &array);
  }

  static int call(void* user, const coracle_node_value* value) {
    auto& self = *static_cast<Observation*>(user);
    try {
      self.show(*value);
      return 0;
    } catch (...) {  // may not cross the C interface
      self.failure = std::current_exception();
      return 1;
    }
  }
};

bool truth(const std::string& option, const std::string& key, const std::string& value) {
  if (value == "on" || value == "off") return value == "on";
  throw Failure(ExitCode::kUsage, fmt::format("{} {}={}: expected on or off", option, key, value));
}

}  // namespace

void set_side_option(const std::string& option, const std::string& entry, ModelArguments& model,
                     coracle::SessionOptions& session) {
  CLI::App command;
  command.set_help_flag();
  add_model_options(&command, model);
  add_threads(&command, session.threads);
  const size_t equals = std::min(entry.find('='), entry.size());
  const std::string key = entry.substr(0, equals);
  const std::string value = entry.substr(std::min(equals + 1, entry.size()));
  std::string keys = "passes";
  for (CLI::Option* known : command.get_options()) {
    if (known->get_lnames().empty()) continue;
    keys += ", " + known->get_lnames()[0];
    if (key != known->get_lnames()[0] || equals == entry.size()) continue;
    if (known->get_items_expected_max() == 0) truth(option, key, value);
    const auto refuse = [&](const std::string& reason) {
      throw Failure(ExitCode::kUsage, fmt::format("{} {}={}: {}", option, key, value, reason));
    };
    const bool is_integer = !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
    if (known->get_type_name().starts_with("INT") && !is_integer) refuse("expected an integer");
    try {
      known->add_result(value);
      known->run_callback();
    } catch (const CLI::ParseError& e) {  // "--threads: Value 5000 not in range 0 to 1024"
      const std::string message = e.what();
      refuse(message.substr(std::min(message.find(": ") + 2, message.size())));
    }
    return;
  }
  if (key != "passes" || equals == entry.size()) {
    throw Failure(ExitCode::kUsage,
                  fmt::format("{} {}: expected KEY=VALUE with one of the keys {}", option, entry, keys));
  }
  model.options.disable_passes = truth(option, key, value) ? "" : "all";
}

ModelSide::ModelSide(std::string label, ModelArguments arguments, coracle::SessionOptions session)
    : label_(std::move(label)),
      arguments_(std::move(arguments)),
      session_options_(std::move(session)),
      model_(load(arguments_)) {}

std::unique_ptr<ModelSide> ModelSide::with(const coracle::ModelOptions& options) const {
  ModelArguments arguments = arguments_;
  arguments.options = options;
  return std::make_unique<ModelSide>(label_, arguments, session_options_);
}

coracle::Session ModelSide::session(const std::vector<NamedInput>& inputs) const {
  coracle::Session session(model_, session_options_);
  const std::vector<coracle::TensorInfo> infos = model_.inputs();
  const auto named = [&](const std::string& name) {
    return std::find_if(inputs.begin(), inputs.end(), [&](const NamedInput& i) { return i.name == name; });
  };
  const bool by_name = std::all_of(infos.begin(), infos.end(),
                                   [&](const coracle::TensorInfo& i) { return named(i.name) != inputs.end(); });
  if (!by_name && infos.size() != inputs.size()) {
    std::string given;
    for (const NamedInput& i : inputs) given.append(given.empty() ? "" : ", ").append(i.name);
    throw Failure(ExitCode::kUsage, fmt::format("{}: its inputs are {}, those of the other model {}; they cannot be "
                                                "given the same values",
                                                arguments_.model, names_of(infos), given));
  }
  for (size_t i = 0; i < infos.size(); ++i) {
    try {
      set_input(session, i, by_name ? named(infos[i].name)->input : inputs[i].input);
    } catch (const coracle::Exception& e) {
      throw Failure(exit_code(e.status()), arguments_.model + ": " + e.what());
    }
  }
  return session;
}

std::vector<Output> ModelSide::run(const std::vector<NamedInput>& inputs, size_t /*set*/) {
  coracle::Session s = session(inputs);
  Interruption::run(s);
  std::vector<Output> outputs;
  for (const coracle::TensorInfo& info : model_.outputs()) {
    outputs.push_back({info.name, client::tensor_of(s.output(outputs.size()))});
  }
  return outputs;
}

void ModelSide::observe(const std::vector<NamedInput>& inputs, const std::set<std::string>* wanted, const See& see) {
  coracle::Session s = session(inputs);
  Observation observation{wanted, see, {}, nullptr};
  coracle::check(coracle_session_set_observer(s.handle(), Observation::call, &observation));
  try {
    Interruption::run(s);
  } catch (...) {
    if (observation.failure != nullptr) std::rethrow_exception(observation.failure);
    throw;
  }
}

std::string ModelSide::kernel_of(const std::string& node, const std::vector<NamedInput>& inputs) const {
  internal::JsonDocument d;
  d.Parse(session(inputs).explain().c_str());
  for (const internal::JsonValue& step : d.GetArray()) {
    if (node == step["node"].GetString()) return step["kernel"].GetString();
  }
  return {};
}

}  // namespace coracle::cli
