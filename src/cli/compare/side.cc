// SPDX-License-Identifier: Apache-2.0
#include "cli/compare/side.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
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
    const client::Tensor array = client::tensor_of(api::View(v.tensor, {}));
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

int64_t whole_number(const std::string& option, const std::string& key, const std::string& value) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < 0) {
    throw Failure(ExitCode::kUsage, fmt::format("{} {}={}: expected an integer", option, key, value));
  }
  return number;
}

bool truth(const std::string& option, const std::string& key, const std::string& value) {
  if (value == "on" || value == "off") return value == "on";
  throw Failure(ExitCode::kUsage, fmt::format("{} {}={}: expected on or off", option, key, value));
}

struct Setting {
  const std::string& option;
  const std::string& key;
  const std::string& value;
  ModelArguments& model;
  api::SessionOptions& session;
};

struct Key {
  const char* name;
  void (*set)(const Setting& s);
};

constexpr Key kKeys[] = {
    {"params", [](const Setting& s) { s.model.params = s.value; }},
    {"isa", [](const Setting& s) { s.model.options.cpu_isa = s.value; }},
    {"passes", [](const Setting& s) { s.model.options.disable_passes = truth(s.option, s.key, s.value) ? "" : "all"; }},
    {"disable-passes", [](const Setting& s) { s.model.options.disable_passes = s.value; }},
    {"max-rewrites", [](const Setting& s) { s.model.options.max_rewrites = whole_number(s.option, s.key, s.value); }},
    {"disable-kernels", [](const Setting& s) { s.model.options.disable_kernels = s.value; }},
    {"precision", [](const Setting& s) { s.model.options.precision = s.value; }},
    {"emulate-tiles", [](const Setting& s) { s.model.options.emulate_tiles = truth(s.option, s.key, s.value); }},
    {"weights", [](const Setting& s) { s.model.options.weights = s.value; }},
    {"device", [](const Setting& s) { s.model.options.device = s.value; }},
    {"engines", [](const Setting& s) { s.model.options.engines = s.value; }},
    {"mark", [](const Setting& s) { s.model.options.marks = s.value; }},
    {"shapes", [](const Setting& s) { s.model.options.shapes = s.value; }},
    {"threads",
     [](const Setting& s) {
       const int64_t threads = whole_number(s.option, s.key, s.value);
       if (threads > 1024) throw Failure(ExitCode::kUsage, s.option + " threads=" + s.value + ": at most 1024");
       s.session.threads = static_cast<int>(threads);
     }},
};

}  // namespace

void set_side_option(const std::string& option, const std::string& entry, ModelArguments& model,
                     api::SessionOptions& session) {
  const size_t equals = entry.find('=');
  const std::string key = entry.substr(0, equals);
  std::string keys;
  for (const Key& k : kKeys) {
    keys.append(keys.empty() ? "" : ", ").append(k.name);
    if (key != k.name || equals == std::string::npos) continue;
    const std::string value = entry.substr(equals + 1);
    return k.set({option, key, value, model, session});
  }
  throw Failure(ExitCode::kUsage,
                fmt::format("{} {}: expected KEY=VALUE with one of the keys {}", option, entry, keys));
}

ModelSide::ModelSide(std::string label, ModelArguments arguments, api::SessionOptions session)
    : label_(std::move(label)),
      arguments_(std::move(arguments)),
      session_options_(std::move(session)),
      model_(arguments_.model, arguments_.params, Interruption::interruptible(arguments_.options)) {}

std::unique_ptr<ModelSide> ModelSide::with(const api::ModelOptions& options) const {
  ModelArguments arguments = arguments_;
  arguments.options = options;
  return std::make_unique<ModelSide>(label_, arguments, session_options_);
}

api::Session ModelSide::session(const std::vector<NamedInput>& inputs) const {
  api::Session session(model_, session_options_);
  const std::vector<api::TensorInfo> infos = model_.inputs();
  const auto named = [&](const std::string& name) {
    return std::find_if(inputs.begin(), inputs.end(), [&](const NamedInput& i) { return i.name == name; });
  };
  const bool by_name =
      std::all_of(infos.begin(), infos.end(), [&](const api::TensorInfo& i) { return named(i.name) != inputs.end(); });
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
    } catch (const api::Exception& e) {
      throw Failure(exit_code(e.status()), arguments_.model + ": " + e.what());
    }
  }
  return session;
}

std::vector<Output> ModelSide::run(const std::vector<NamedInput>& inputs, size_t /*set*/) {
  api::Session s = session(inputs);
  Interruption::run(s);
  std::vector<Output> outputs;
  for (const api::TensorInfo& info : model_.outputs()) {
    outputs.push_back({info.name, client::tensor_of(s.output(outputs.size()))});
  }
  return outputs;
}

void ModelSide::observe(const std::vector<NamedInput>& inputs, const std::set<std::string>* wanted, const See& see) {
  api::Session s = session(inputs);
  Observation observation{wanted, see, {}, nullptr};
  api::check(coracle_session_set_observer(s.handle(), Observation::call, &observation));
  try {
    Interruption::run(s);
  } catch (...) {
    if (observation.failure != nullptr) std::rethrow_exception(observation.failure);
    throw;
  }
}

std::string ModelSide::kernel_of(const std::string& node, const std::vector<NamedInput>& inputs) const {
  JsonDocument d;
  d.Parse(session(inputs).explain().c_str());
  for (const JsonValue& step : d.GetArray()) {
    if (node == step["node"].GetString()) return step["kernel"].GetString();
  }
  return {};
}

}  // namespace coracle::cli
