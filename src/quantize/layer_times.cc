// SPDX-License-Identifier: Apache-2.0
#include "quantize/layer_times.h"

#include <cmath>
#include <utility>

#include "base/json.h"
#include "base/printable.h"
#include "quantize/error.h"

namespace coracle::internal::quantize {
namespace {

constexpr int kTimedRuns = 4;  ///< of each set, each time a model is loaded
constexpr int kRounds = 2;     ///< of all models: what slows the machine down for a while hits none of them alone
constexpr int kTurns = 3;      ///< of the whole models in the end

/// A time of a table, or nothing where it has none. Throws Error where it is no time.
std::optional<double> time_of_layer(const JsonValue& times, LayerPrecision p, const std::string& where) {
  if (!times.HasMember(text_of(p))) return std::nullopt;
  const JsonValue& time = times[text_of(p)];
  require(time.IsNumber() && time.GetDouble() >= 0, ErrorCode::kInvalidArgument, where, ": its time in ", text_of(p),
          " is not a number of milliseconds");
  return time.GetDouble();
}

}  // namespace

StepCounts TimedRuns::run(const ModelBytes& bytes) {
  const coracle::Model model = runs_.load(bytes);
  const SessionHandle session = runs_.session_of(model);
  coracle::check(coracle_session_set_profiling(session.get(), 1));
  StepCounts all;
  for (size_t s = 0; s < sets_.size(); ++s) {
    const InputSet set = sets_.read(s, inputs_);
    runs_.run(session.get(), set);
    for (int i = 0; i < kTimedRuns; ++i) {
      runs_.run(session.get(), set);
      const char* profile = nullptr;
      coracle::check(coracle_session_profile(session.get(), &profile));
      StepCounts counts;
      times_.note_run(profile, counts);
      if (i != 0) continue;
      for (const auto& [step, count] : counts) all[step] += count;
    }
  }
  return all;
}

double TimedRuns::time_of(const StepCounts& steps, const StepCounts& others) const {
  return times_.time_beyond(steps, others) / static_cast<double>(sets_.size());
}

PrecisionTable measured_times(const Trial& trial, TimedRuns& runs, const std::function<void(size_t, size_t)>& tell) {
  std::vector<StepCounts> without(trial.count());
  StepCounts of_all;
  const size_t total = kRounds * (trial.count() + 1);
  size_t done = 0;
  for (int round = 0; round < kRounds; ++round) {
    of_all = runs.run(trial.model(trial.all()));
    tell(++done, total);
    for (size_t i = 0; i < trial.count(); ++i) {
      std::vector<size_t> others = trial.all();
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      without[i] = runs.run(trial.model(others));
      tell(++done, total);
    }
  }
  PrecisionTable table(trial.count());
  for (size_t i = 0; i < trial.count(); ++i) {
    table[i].in(LayerPrecision::kInt8) = {runs.time_of(of_all, without[i]), 0};
    table[i].in(LayerPrecision::kFloat32) = {runs.time_of(without[i], of_all), 0};
  }
  return table;
}

PrecisionTable times_in(const std::string& file, std::string_view json, const std::vector<std::string>& layers) {
  JsonDocument d;
  d.Parse(json.data(), json.size());
  const auto has_list = [](const JsonValue& v) {
    return v.IsObject() && v.HasMember("layers") && v["layers"].IsArray();
  };
  require(!d.HasParseError() && has_list(d), ErrorCode::kInvalidArgument, printable(file),
          ": it is not a table of times; expected JSON with a list \"layers\", as a report of type auto has it");
  std::map<std::string_view, const JsonValue*> of_layers;
  for (const JsonValue& layer : d["layers"].GetArray()) {
    if (!layer.IsObject() || !layer.HasMember("name") || !layer["name"].IsString()) continue;
    if (!layer.HasMember("times_ms") || !layer["times_ms"].IsObject()) continue;
    of_layers[{layer["name"].GetString(), layer["name"].GetStringLength()}] = &layer["times_ms"];
  }
  PrecisionTable table;
  for (const std::string& name : layers) {
    const std::string where = text(printable(file), ": layer '", printable(name), "'");
    const auto found = of_layers.find(name);
    require(found != of_layers.end(), ErrorCode::kInvalidArgument, where,
            " has no \"times_ms\" there; measure the same model with type auto");
    LayerCosts& costs = table.emplace_back();
    for (const LayerPrecision p : kLayerPrecisions) {
      if (const std::optional<double> time = time_of_layer(*found->second, p, where)) costs.in(p) = {*time, 0};
    }
    for (const LayerPrecision p : {LayerPrecision::kInt8, LayerPrecision::kFloat32}) {
      require(costs.in(p).has_value(), ErrorCode::kInvalidArgument, where, " has no time in ", text_of(p));
    }
  }
  return table;
}

ModelTimes measured_in_turns(const ModelBytes& in_float32, const ModelBytes& in_int8, const ModelBytes& chosen,
                             TimedRuns& runs) {
  StepCounts steps[3];
  const ModelBytes* const models[] = {&in_float32, &in_int8, &chosen};
  for (int turn = 0; turn < kTurns; ++turn) {
    for (size_t m = 0; m < std::size(models); ++m) steps[m] = runs.run(*models[m]);
  }
  return {runs.time_of(steps[0]), runs.time_of(steps[1]), runs.time_of(steps[2])};
}

}  // namespace coracle::internal::quantize
