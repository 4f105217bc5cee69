// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "quantize/number_text.h"
#include "quantize/report.h"

namespace coracle::internal::quantize {
namespace {

constexpr const char* kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<style>
body { font: 14px/1.5 sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em; color: #222; background: #fff }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: .15em .8em .15em 0; border-bottom: 1px solid #ddd; vertical-align: middle }
td.number { text-align: right; font-variant-numeric: tabular-nums }
.operand { fill: #2a6fb0 } .weights { fill: #e0912f } .range { stroke: #c22 } .base { fill: #8886 }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #1b1b1b } th, td { border-color: #444 } }
</style>
)";

constexpr double kMostDecibels = 70;
constexpr double kWidth = 260;

std::string escaped(const std::string& text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      case '\n': out += "&#10;"; break;
      default: out += c;
    }
  }
  return out;
}

/// The operand's ratio above the weights'.
std::string bars(const LayerReport& l) {
  const auto width = [](double ratio) {
    return fixed(kWidth * std::clamp(ratio, 0.0, kMostDecibels) / kMostDecibels, 1);
  };
  return text("<svg width=\"", fixed(kWidth, 0), "\" height=\"16\" role=\"img\" aria-label=\"",
              decibels(l.operand_ratio), ", ", decibels(l.weights_ratio), "\"><rect class=\"operand\" y=\"1\" width=\"",
              width(l.operand_ratio), "\" height=\"6\"/><rect class=\"weights\" y=\"9\" width=\"",
              width(l.weights_ratio), "\" height=\"6\"/></svg>");
}

/// How often absolute values of the operand are how large, logarithmic, up to the largest; a line at the range.
std::string histogram(const LayerReport& l) {
  constexpr size_t kParts = 80;
  constexpr double kHeight = 28;
  if (l.counts == nullptr || l.counts->largest() == 0) return "all values are 0";
  const std::vector<uint64_t> sums = l.counts->histogram(kParts);
  const double most = std::log1p(static_cast<double>(*std::max_element(sums.begin(), sums.end())));
  const std::string height = fixed(kHeight, 0);
  std::string path = "M0 " + height;
  for (size_t i = 0; i < kParts; ++i) {
    path += "V" + fixed(kHeight - kHeight * std::log1p(static_cast<double>(sums[i])) / most, 1) + "h2";
  }
  const std::string at = fixed(std::min(l.range / l.counts->largest(), 1.0) * 2 * kParts, 1);
  return text("<svg width=\"", 2 * kParts + 1, "\" height=\"", height,
              "\" role=\"img\" aria-label=\"absolute values up to ", general(l.counts->largest(), 4), ", range ",
              general(l.range, 4), "\"><path class=\"operand\" d=\"", path, "V", height,
              "z\"/><line class=\"range\" x1=\"", at, "\" x2=\"", at, "\" y1=\"0\" y2=\"", height, "\"/></svg>");
}

/// Bytes of both models as bars of one scale.
std::string sizes(const Report& r) {
  const double per_byte = kWidth / static_cast<double>(std::max({r.original_bytes, r.quantized_bytes, size_t{1}}));
  const auto bar = [&](const char* name, size_t bytes, const char* kind) {
    const auto real = static_cast<double>(bytes);
    return text("<tr><td>", name, "<td><svg width=\"", fixed(kWidth, 0), "\" height=\"10\"><rect class=\"", kind,
                "\" width=\"", fixed(real * per_byte, 1), "\" height=\"10\"/></svg><td class=\"number\">",
                fixed(real / 1048576.0, 2), " MiB\n");
  };
  return "<h2>Size</h2>\n<table>" + bar("before", r.original_bytes, "base") +
         bar("after", r.quantized_bytes, "operand") + "</table>\n";
}

std::string row(const LayerReport& l) {
  std::string out = "<tr><td>" + escaped(l.name) + "<td>" + l.type;
  if (!l.kept.empty()) return out + "<td colspan=\"5\">float32: " + escaped(l.kept) + "\n";
  out += "<td>" + bars(l);
  const std::string number = "<td class=\"number\">";
  if (l.method.empty()) return out + "<td>" + number + decibels(l.weights_ratio) + "<td><td>\n";
  return out + number + decibels(l.operand_ratio) + number + decibels(l.weights_ratio) + "<td>" + general(l.range, 4) +
         " (" + l.method + ")<td>" + histogram(l) + "\n";
}

/// What each layer computes in, and what it takes in each precision.
std::string precision_rows(const Report& r) {
  const std::vector<LayerPrecision> candidates = r.automatic->candidates();
  std::string out =
      "<h2>Precisions</h2>\n<p>" + escaped(choice_of(r)) + ".</p>\n<table><tr><th>result<th>operator<th>precision";
  for (const LayerPrecision p : candidates) out += text("<th>", text_of(p), " ms");
  out += "<th>error in int8<th>why\n";
  for (const LayerReport& l : r.layers) {
    out += "<tr><td>" + escaped(l.name) + "<td>" + l.type + "<td>" + l.precision;
    for (const LayerPrecision p : candidates) out += "<td class=\"number\">" + milliseconds(l, p);
    out += "<td class=\"number\">" + error_of(l) + "<td>" + escaped(l.reason) + "\n";
  }
  return out + "</table>\n";
}

std::string scaled_operands(const ScalingOutcome& s) {
  std::string out = "<h2>Scaling</h2>\n<p>" + text_of(s) + ".</p>\n";
  if (s.scalings.empty()) return out;
  out += "<table><tr><th>operand<th>layers<th>factors in<th>factors<th>predicted gain\n";
  for (const Scaling& one : s.scalings) {
    const auto [least, most] = std::minmax_element(one.factors.begin(), one.factors.end());
    out += text("<tr><td>", escaped(one.operand.variable), "<td>", one.layers.size(), "<td>",
                one.by.empty() ? std::string("a product") : one.by, "<td>", general(*least, 3), " to ",
                general(*most, 3), "<td>", decibels(one.gain), "\n");
  }
  return out + "</table>\n";
}

}  // namespace

std::string page_of(const Report& r) {
  std::string out = kHead;
  const std::string name = escaped(r.output);
  out += "<title>" + name + "</title></head><body>\n<h1>" + name + "</h1>\n";
  out += text("<p>", r.changed_layers(), " of ", r.layers.size(), " layers with ", r.dtype(), ". ");
  if (!r.method.empty()) out += "Ranges by " + r.method + " of " + std::to_string(r.seen) + " sets of inputs. ";
  out += text("Answers compared for ", r.held_back, " of ", r.sets, " sets.</p>\n") + sizes(r);
  if (r.automatic) out += precision_rows(r);
  if (r.scaling.tried) out += scaled_operands(r.scaling);
  if (r.residuals != 0) out += "<p>" + residuals_of(r) + ".</p>\n";
  out += "<h2>Answers</h2>\n<table><tr><th>output<th>signal to noise<th>largest difference<th>decisions changed\n";
  for (const OutputAccuracy& o : r.outputs) {
    out += text("<tr><td>", escaped(o.name), "<td>", decibels(o.noise_ratio()), "<td>", general(o.max_absolute, 3),
                "<td>", o.changed, " of ", o.decisions, " (", general(o.drop(), 3), " %)\n");
  }
  out +=
      "</table>\n<h2>Layers</h2>\n<p>Signal to noise of the rounded <svg width=\"10\" height=\"10\"><rect "
      "class=\"operand\" width=\"10\" height=\"10\"/></svg> operand and <svg width=\"10\" height=\"10\"><rect "
      "class=\"weights\" width=\"10\" height=\"10\"/></svg> weights; short bars lose most. The last column counts "
      "absolute "
      "values of the operand, on a logarithmic scale; right of the line they are clipped.</p>\n"
      "<table><tr><th>result<th>operator<th><th>operand<th>weights<th>range<th>values\n";
  for (const LayerReport& l : r.layers) out += row(l);
  return out + "</table>\n</body></html>\n";
}

}  // namespace coracle::internal::quantize
