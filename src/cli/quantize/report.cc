// SPDX-License-Identifier: Apache-2.0
#include "cli/quantize/report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cli/json.h"
#include "cli/text.h"

namespace coracle::cli {

using namespace quantize;  // NOLINT(google-build-using-namespace): the words of the library
namespace {

double mebibytes(size_t bytes) { return static_cast<double>(bytes) / 1048576.0; }

/// JSON has no infinities.
void number(JsonWriter& w, const char* name, double value) {
  w.Key(name);
  std::isfinite(value) ? w.Double(value) : w.Null();
}
void number(JsonWriter& w, const char* name, size_t value) {
  w.Key(name);
  w.Uint64(value);
}
void put_text(JsonWriter& w, const char* name, const std::string& value) {
  w.Key(name);
  w.String(value.c_str(), static_cast<unsigned>(value.size()));
}

}  // namespace

std::string decibels(double ratio) {
  return std::isinf(ratio) && ratio > 0 ? "exact" : fmt::format("{:.1f} dB", ratio);
}

size_t Report::changed_layers() const {
  return static_cast<size_t>(
      std::count_if(layers.begin(), layers.end(), [](const LayerReport& l) { return l.kept.empty(); }));
}

std::string text_of(const ScalingOutcome& s) {
  if (!s.tried) return {};
  if (s.scalings.empty()) return "scaling: no operand is predicted to be nearer with it";
  const auto inserted =
      std::count_if(s.scalings.begin(), s.scalings.end(), [](const Scaling& one) { return one.by.empty(); });
  return fmt::format("scaling: {} operand{} {}{}, signal to noise {} without, {} with it", s.scalings.size(),
                     s.scalings.size() == 1 ? "" : "s", s.used ? "scaled" : "left alone",
                     inserted == 0 ? "" : fmt::format(" ({} by a product)", inserted), decibels(s.before),
                     decibels(s.after));
}

std::string residuals_of(const Report& r) {
  if (r.residuals == 0) return {};
  return fmt::format("residuals: {} sum{} {}", r.residuals, r.residuals == 1 ? "" : "s",
                     r.rounds_residuals ? "of int8" : "in float32");
}

size_t Report::layers_of_dtype() const {
  return static_cast<size_t>(std::count_if(
      layers.begin(), layers.end(), [&](const LayerReport& l) { return l.kept.empty() && l.stored == dtype(); }));
}

std::string text_of(const Report& r) {
  std::string out = "layer                            operator           operand      weights      range\n";
  for (const LayerReport& l : r.layers) {
    const std::string head = fmt::format("{:<32} {:<18} ", printable(l.name), l.type);
    if (!l.kept.empty()) {
      out += fmt::format("{}float32: {}\n", head, l.kept);
    } else if (l.method.empty()) {
      out += fmt::format("{}{:<12} {:<12} {}\n", head, "float32", decibels(l.weights_ratio), l.stored);
    } else {
      out += fmt::format("{}{:<12} {:<12} {:.4g} ({})\n", head, decibels(l.operand_ratio), decibels(l.weights_ratio),
                         l.range, l.method);
    }
  }
  if (!r.method.empty()) {
    out += fmt::format("ranges by {} of {} set{} of inputs, answers compared for {}{}\n", r.method, r.seen,
                       r.seen == 1 ? "" : "s", r.held_back, r.seen + r.held_back > r.sets ? ", the same" : " others");
  } else {
    out += r.sets == 0 ? "answers were not compared: no --data or --input\n"
                       : fmt::format("answers compared for {} set{} of inputs\n", r.sets, r.sets == 1 ? "" : "s");
  }
  if (r.scaling.tried) out += text_of(r.scaling) + "\n";
  if (r.residuals != 0) out += residuals_of(r) + "\n";
  for (const OutputAccuracy& o : r.outputs) {
    out += fmt::format("{}: signal to noise {}, largest difference {:.3g}, {} of {} decisions changed{}\n",
                       printable(o.name), decibels(o.noise_ratio()), o.max_absolute, o.changed, o.decisions,
                       o.other_shapes == 0 ? "" : fmt::format(", {} answers of another shape", o.other_shapes));
  }
  const size_t others = r.changed_layers() - r.layers_of_dtype();
  out += fmt::format("{}: {} of {} layers with {}{}, {:.2f} MiB of {:.2f}\n", r.output, r.layers_of_dtype(),
                     r.layers.size(), r.dtype(), others == 0 ? "" : fmt::format(", {} with int8", others),
                     mebibytes(r.quantized_bytes), mebibytes(r.original_bytes));
  return out;
}

namespace {

void scaling(JsonWriter& w, const ScalingOutcome& s) {
  w.Key("scaling");
  w.StartObject();
  w.Key("used");
  w.Bool(s.used);
  if (!s.scalings.empty()) {
    number(w, "signal_to_noise_db_before", s.before);
    number(w, "signal_to_noise_db_after", s.after);
  }
  w.Key("operands");
  w.StartArray();
  for (const Scaling& one : s.scalings) {
    w.StartObject();
    put_text(w, "name", one.operand.variable);
    put_text(w, "by", one.by.empty() ? "product" : one.by);
    number(w, "layers", one.layers.size());
    const auto [least, most] = std::minmax_element(one.factors.begin(), one.factors.end());
    number(w, "least_factor", static_cast<double>(*least));
    number(w, "largest_factor", static_cast<double>(*most));
    number(w, "predicted_gain_db", one.gain);
    w.EndObject();
  }
  w.EndArray();
  w.EndObject();
}

}  // namespace

std::string json_of(const Report& r) {
  JsonBuffer buffer;
  JsonWriter w(buffer);
  w.StartObject();
  put_text(w, "output", r.output);
  if (!r.method.empty()) put_text(w, "method", r.method);
  put_text(w, "weights", r.dtype());
  w.Key("operands_are_quantized");
  w.Bool(r.precision == Precision::kIntegers);
  number(w, "sets", r.sets);
  number(w, "calibration_sets", r.seen);
  number(w, "compared_sets", r.held_back);
  number(w, "original_bytes", r.original_bytes);
  number(w, "quantized_bytes", r.quantized_bytes);
  if (r.scaling.tried) scaling(w, r.scaling);
  number(w, "residuals", r.residuals);
  w.Key("residuals_are_quantized");
  w.Bool(r.rounds_residuals && r.residuals != 0);
  w.Key("outputs");
  w.StartArray();
  for (const OutputAccuracy& o : r.outputs) {
    w.StartObject();
    put_text(w, "name", o.name);
    number(w, "signal_to_noise_db", o.noise_ratio());
    number(w, "largest_difference", o.max_absolute);
    number(w, "decisions", o.decisions);
    number(w, "changed_decisions", o.changed);
    number(w, "answers_of_another_shape", o.other_shapes);
    w.EndObject();
  }
  w.EndArray();
  w.Key("layers");
  w.StartArray();
  for (const LayerReport& l : r.layers) {
    w.StartObject();
    put_text(w, "name", l.name);
    put_text(w, "operator", l.type);
    put_text(w, "weights", l.weights);
    w.Key("quantized");
    w.Bool(l.kept.empty());
    if (!l.kept.empty()) put_text(w, "reason", l.kept);
    if (l.range > 0) {
      put_text(w, "method", l.method);
      number(w, "operand_range", l.range);
      number(w, "operand_signal_to_noise_db", l.operand_ratio);
    }
    if (l.kept.empty()) put_text(w, "stored", l.stored);
    if (l.tried) number(w, "weights_signal_to_noise_db", l.weights_ratio);
    w.EndObject();
  }
  w.EndArray();
  w.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace coracle::cli
