// SPDX-License-Identifier: Apache-2.0
#include "quantize/report.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/json.h"
#include "base/printable.h"
#include "quantize/number_text.h"

namespace coracle::internal::quantize {
namespace {

double mebibytes(size_t bytes) { return static_cast<double>(bytes) / 1048576.0; }

}  // namespace

std::string decibels(double ratio) { return std::isinf(ratio) && ratio > 0 ? "exact" : fixed(ratio, 1) + " dB"; }

size_t Report::changed_layers() const {
  return static_cast<size_t>(
      std::count_if(layers.begin(), layers.end(), [](const LayerReport& l) { return l.kept.empty(); }));
}

std::string text_of(const ScalingOutcome& s) {
  if (!s.tried) return {};
  if (s.scalings.empty()) return "scaling: no operand is predicted to be nearer with it";
  const auto inserted =
      std::count_if(s.scalings.begin(), s.scalings.end(), [](const Scaling& one) { return one.by.empty(); });
  return text("scaling: ", s.scalings.size(), s.scalings.size() == 1 ? " operand " : " operands ",
              s.used ? "scaled" : "left alone", inserted == 0 ? "" : text(" (", inserted, " by a product)"),
              ", signal to noise ", decibels(s.before), " without, ", decibels(s.after), " with it");
}

std::string residuals_of(const Report& r) {
  if (r.residuals == 0) return {};
  return text("residuals: ", r.residuals, r.residuals == 1 ? " sum " : " sums ",
              r.rounds_residuals ? "of int8" : "in float32");
}

size_t Report::layers_of_dtype() const {
  return static_cast<size_t>(std::count_if(
      layers.begin(), layers.end(), [&](const LayerReport& l) { return l.kept.empty() && l.stored == dtype(); }));
}

std::string milliseconds(const LayerReport& l, LayerPrecision precision) {
  if (!l.costs || !l.costs->in(precision)) return "-";
  return fixed(l.costs->in(precision)->time, 3);
}

std::string error_of(const LayerReport& l) {
  return l.costs ? general(l.costs->in(LayerPrecision::kInt8)->error, 3) : "-";
}

std::string choice_of(const Report& r) {
  if (!r.automatic) return {};
  const AutoOutcome& a = *r.automatic;
  std::string out = "layers";
  const char* before = " in ";
  for (const LayerPrecision p : a.candidates()) {
    // Those that cannot have fewer bits are in float32, too.
    const size_t others = p == LayerPrecision::kFloat32 ? r.layers.size() - a.precisions.size() : 0;
    out += text(std::exchange(before, ", "), text_of(p), ": ", a.count(p) + others);
  }
  out += text("; error (", a.metric, ") ", general(a.error, 3));
  if (a.bound) out += " of at most " + general(*a.bound, 3);
  if (a.times) {
    out += text("; ", fixed(a.times->chosen, 2), " ms, float32 ", fixed(a.times->in_float32, 2), " ms, int8 ",
                fixed(a.times->in_int8, 2), " ms");
  } else {
    out += "; times of " + printable(a.times_file);
  }
  return out;
}

namespace {

/// A table of what layers take in each precision.
std::string precisions_of(const Report& r) {
  constexpr size_t kName = 32;
  constexpr size_t kOperator = 18;
  constexpr size_t kNumber = 11;
  const std::vector<LayerPrecision> candidates = r.automatic->candidates();
  std::string out = "layer                            operator           precision   ";
  for (const LayerPrecision p : candidates) out += padded(text(text_of(p), " ms"), kNumber) + " ";
  out += "error       why\n";
  for (const LayerReport& l : r.layers) {
    out +=
        padded(printable(l.name), kName) + " " + padded(l.type, kOperator) + " " + padded(l.precision, kNumber) + " ";
    for (const LayerPrecision p : candidates) out += padded(milliseconds(l, p), kNumber) + " ";
    out += padded(error_of(l), kNumber) + " " + l.reason + "\n";
  }
  return out;
}

/// A table of how near operands and weights are.
std::string ratios_of(const Report& r) {
  constexpr size_t kName = 32;
  constexpr size_t kOperator = 18;
  constexpr size_t kRatio = 12;
  std::string out = "layer                            operator           operand      weights      range\n";
  for (const LayerReport& l : r.layers) {
    out += padded(printable(l.name), kName) + " " + padded(l.type, kOperator) + " ";
    if (!l.kept.empty()) {
      out += "float32: " + l.kept + "\n";
      continue;
    }
    const bool alone = l.method.empty();
    out += padded(alone ? "float32" : decibels(l.operand_ratio), kRatio) + " " +
           padded(decibels(l.weights_ratio), kRatio) + " " +
           (alone ? l.stored : general(l.range, 4) + " (" + l.method + ")") + "\n";
  }
  return out;
}

}  // namespace

std::string text_of(const Report& r) {
  std::string out = r.automatic ? precisions_of(r) : ratios_of(r);
  if (!r.method.empty()) {
    const bool same = r.seen + r.held_back > r.sets;
    out += text("ranges by ", r.method, " of ", r.seen, r.seen == 1 ? " set" : " sets",
                " of inputs, answers compared for ", r.held_back,
                r.automatic ? " in all"
                : same      ? ", the same"
                            : " others",
                "\n");
  } else if (r.sets == 0) {
    out += "answers were not compared: no --data or --input\n";
  } else {
    out += text("answers compared for ", r.sets, r.sets == 1 ? " set" : " sets", " of inputs\n");
  }
  if (r.scaling.tried) out += text_of(r.scaling) + "\n";
  if (r.residuals != 0) out += residuals_of(r) + "\n";
  for (const OutputAccuracy& o : r.outputs) {
    out += text(printable(o.name), ": signal to noise ", decibels(o.noise_ratio()), ", largest difference ",
                general(o.max_absolute, 3), ", ", o.changed, " of ", o.decisions, " decisions changed",
                o.other_shapes == 0 ? "" : text(", ", o.other_shapes, " answers of another shape"), "\n");
  }
  if (r.automatic) out += choice_of(r) + "\n";
  const size_t others = r.changed_layers() - r.layers_of_dtype();
  out += text(r.output, ": ", r.layers_of_dtype(), " of ", r.layers.size(), " layers with ", r.dtype(),
              others == 0 ? "" : text(", ", others, " with int8"), ", ", fixed(mebibytes(r.quantized_bytes), 2),
              " MiB of ", fixed(mebibytes(r.original_bytes), 2), "\n");
  return out;
}

namespace {

void scaling(JsonWriter& w, const ScalingOutcome& s) {
  w.Key("scaling");
  w.StartObject();
  w.field("used", s.used);
  if (!s.scalings.empty()) {
    w.field("signal_to_noise_db_before", s.before);
    w.field("signal_to_noise_db_after", s.after);
  }
  w.objects("operands", s.scalings, [&](const Scaling& one) {
    w.field("name", one.operand.variable);
    w.field("by", one.by.empty() ? "product" : one.by);
    w.field("layers", one.layers.size());
    const auto [least, most] = std::minmax_element(one.factors.begin(), one.factors.end());
    w.field("least_factor", static_cast<double>(*least));
    w.field("largest_factor", static_cast<double>(*most));
    w.field("predicted_gain_db", one.gain);
  });
  w.EndObject();
}

void automatic(JsonWriter& w, const AutoOutcome& a) {
  w.Key("automatic");
  w.StartObject();
  w.field("error_metric", a.metric);
  if (a.bound) w.field("max_error", *a.bound);
  w.field("error", a.error);
  if (a.times) {
    w.Key("times_ms");
    w.StartObject();
    w.field("float32", a.times->in_float32);
    w.field("int8", a.times->in_int8);
    w.field("chosen", a.times->chosen);
    w.EndObject();
  } else {
    w.field("times", printable(a.times_file));
  }
  w.EndObject();
}

/// A number for each precision that a layer can have.
void by_precision(JsonWriter& w, const char* name, const LayerCosts& costs, double PrecisionCost::*number) {
  w.Key(name);
  w.StartObject();
  for (const LayerPrecision p : kLayerPrecisions) {
    if (costs.in(p)) w.field(text_of(p), (*costs.in(p)).*number);
  }
  w.EndObject();
}

}  // namespace

std::string json_of(const Report& r) {
  JsonBuffer buffer;
  JsonWriter w(buffer);
  w.StartObject();
  w.field("output", r.output);
  if (!r.method.empty()) w.field("method", r.method);
  w.field("weights", r.dtype());
  w.field("operands_are_quantized", r.precision == Precision::kIntegers);
  w.field("sets", r.sets);
  w.field("calibration_sets", r.seen);
  w.field("compared_sets", r.held_back);
  w.field("original_bytes", r.original_bytes);
  w.field("quantized_bytes", r.quantized_bytes);
  if (r.automatic) automatic(w, *r.automatic);
  if (r.scaling.tried) scaling(w, r.scaling);
  w.field("residuals", r.residuals);
  w.field("residuals_are_quantized", r.rounds_residuals && r.residuals != 0);
  w.objects("outputs", r.outputs, [&](const OutputAccuracy& o) {
    w.field("name", o.name);
    w.field("signal_to_noise_db", o.noise_ratio());
    w.field("largest_difference", o.max_absolute);
    w.field("rms_error", o.rms_error);
    w.field("max_error", o.max_error);
    w.field("decisions", o.decisions);
    w.field("changed_decisions", o.changed);
    w.field("answers_of_another_shape", o.other_shapes);
  });
  w.objects("layers", r.layers, [&](const LayerReport& l) {
    w.field("name", l.name);
    w.field("operator", l.type);
    w.field("weights", l.weights);
    w.field("quantized", l.kept.empty());
    if (!l.precision.empty()) w.field("precision", l.precision);
    if (const std::string& why = l.precision.empty() ? l.kept : l.reason; !why.empty()) w.field("reason", why);
    if (l.costs) {
      by_precision(w, "times_ms", *l.costs, &PrecisionCost::time);
      by_precision(w, "errors", *l.costs, &PrecisionCost::error);
    }
    if (l.range > 0) {
      w.field("method", l.method);
      w.field("operand_range", l.range);
      w.field("operand_signal_to_noise_db", l.operand_ratio);
    }
    if (l.kept.empty()) w.field("stored", l.stored);
    if (l.tried) w.field("weights_signal_to_noise_db", l.weights_ratio);
  });
  w.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace coracle::internal::quantize
