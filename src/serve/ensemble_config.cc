// SPDX-License-Identifier: Apache-2.0
#include "serve/ensemble_config.h"

#include <utility>

namespace coracle::serve {
namespace {

/// Adds an entry of input_map or output_map.
void read_mapping(const ConfigReader& reader, const TextField& field, std::map<std::string, std::string>& map) {
  std::string key;
  std::string value;
  reader.message(field, [&](const ConfigReader& r, const TextField& part) {
    if (part.name == "key") {
      key = r.text(part);
    } else if (part.name == "value") {
      value = r.text(part);
    } else {
      r.unknown(part);
    }
  });
  if (key.empty() || value.empty())
    reader.fail(field, "needs a key, a tensor of the model, and a value, a tensor of the ensemble");
  if (!map.emplace(key, value).second) reader.fail(field, "has the key '" + key + "' twice");
}

EnsembleStep read_step(const ConfigReader& reader, const TextField& field) {
  EnsembleStep step;
  reader.message(field, [&](const ConfigReader& r, const TextField& part) {
    if (part.name == "model_name") {
      step.model = r.text(part);
    } else if (part.name == "model_version") {
      const int64_t version = r.integer(part, -1);
      if (version == 0) r.fail(part, "is 0, expected -1, for the greatest, or a version from 1 on");
      if (version > 0) step.version = std::to_string(version);
    } else if (part.name == "input_map") {
      read_mapping(r, part, step.inputs);
    } else if (part.name == "output_map") {
      read_mapping(r, part, step.outputs);
    } else if (part.name != "model_namespace") {
      r.unknown(part);
    }
  });
  if (step.model.empty()) reader.fail(field, "has no model_name");
  if (step.inputs.empty()) reader.fail(field, "(model '" + step.model + "') has no input_map");
  if (step.outputs.empty()) reader.fail(field, "(model '" + step.model + "') has no output_map");
  return step;
}

}  // namespace

std::vector<EnsembleStep> read_ensemble(const ConfigReader& reader, const TextField& field) {
  std::vector<EnsembleStep> steps;
  reader.message(field, [&](const ConfigReader& r, const TextField& part) {
    if (part.name != "step") r.unknown(part);
    steps.push_back(read_step(r, part));
  });
  if (steps.empty()) reader.fail(field, "has no step");
  return steps;
}

void write_ensemble(internal::JsonWriter& json, const std::vector<EnsembleStep>& steps) {
  const auto map = [&](const char* name, const std::map<std::string, std::string>& tensors) {
    json.Key(name);
    json.StartObject();
    for (const auto& [key, value] : tensors) json.field(key.c_str(), value);
    json.EndObject();
  };
  json.Key("ensemble_scheduling");
  json.StartObject();
  json.objects("step", steps, [&](const EnsembleStep& step) {
    json.field("model_name", step.model);
    json.field("model_version", step.version.empty() ? int64_t{-1} : std::stoll(step.version));
    map("input_map", step.inputs);
    map("output_map", step.outputs);
  });
  json.EndObject();
}

}  // namespace coracle::serve
