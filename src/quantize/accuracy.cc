// SPDX-License-Identifier: Apache-2.0
#include "quantize/accuracy.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/half.h"
#include "quantize/state_bytes.h"

namespace coracle::internal::quantize {
namespace {

/// The index of the largest of `count` elements that lie `stride` apart; of one alone, whether it is at least one half.
size_t decision(const double* values, size_t count, size_t stride) {
  if (count == 1) return *values >= 0.5 ? 1 : 0;
  size_t best = 0;
  for (size_t i = 1; i < count; ++i) {
    if (values[i * stride] > values[best * stride]) best = i;
  }
  return best;
}

template <class T>
void append(const Answer& a, std::vector<double>& to) {
  for (size_t at = 0; at + sizeof(T) <= a.bytes.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, &a.bytes[at], sizeof(T));
    to.push_back(static_cast<double>(value));
  }
}

size_t element_count(std::span<const int64_t> dims) {
  size_t count = 1;
  for (const int64_t d : dims) count *= static_cast<size_t>(d);
  return count;
}

bool has_reals(coracle_dtype dtype) {
  return dtype == CORACLE_FLOAT16 || dtype == CORACLE_BFLOAT16 || dtype == CORACLE_FLOAT32 || dtype == CORACLE_FLOAT64;
}

std::vector<double> reals_of(const Answer& a) {
  std::vector<double> values;
  if (a.dtype == CORACLE_FLOAT16) append<Float16>(a, values);
  if (a.dtype == CORACLE_BFLOAT16) append<Bfloat16>(a, values);
  if (a.dtype == CORACLE_FLOAT32) append<float>(a, values);
  if (a.dtype == CORACLE_FLOAT64) append<double>(a, values);
  return values;
}

/// How much `part` is of `whole`; infinite where that is nothing, or either is no number.
double share_of(double part, double whole) {
  if (part == 0) return 0;
  const double share = part / whole;
  return std::isnan(share) ? std::numeric_limits<double>::infinity() : share;
}

}  // namespace

ErrorMetric error_metric(const std::string& text) { return text == "max" ? ErrorMetric::kMax : ErrorMetric::kRms; }

void OutputAccuracy::add(const Answer& original, const Answer& quantized) {
  if (!std::ranges::equal(original.dims, quantized.dims) || original.dtype != quantized.dtype) {
    ++other_shapes;
    ++decisions;
    ++changed;
    rms_error = max_error = std::numeric_limits<double>::infinity();
    return;
  }
  const size_t count = element_count(original.dims);
  if (!has_reals(original.dtype)) {
    const size_t bytes = count == 0 ? 0 : original.bytes.size() / count;
    size_t others = 0;
    for (size_t i = 0; i < count; ++i) {
      others += std::memcmp(&original.bytes[i * bytes], &quantized.bytes[i * bytes], bytes) != 0 ? 1 : 0;
    }
    decisions += count;
    changed += others;
    rms_error = std::max(rms_error, share_of(static_cast<double>(others), static_cast<double>(count)));
    max_error = std::max(max_error, share_of(static_cast<double>(others), static_cast<double>(count)));
    return;
  }
  const std::vector<double> a = reals_of(original);
  const std::vector<double> b = reals_of(quantized);
  double square = 0;  // of this answer
  double square_of_errors = 0;
  double largest = 0;
  double largest_error = 0;
  for (size_t i = 0; i < count; ++i) {
    if (std::isinf(a[i]) && a[i] == b[i]) continue;  // the same, and no signal that noise compares with
    const double error = b[i] - a[i];
    square += a[i] * a[i];
    square_of_errors += error * error;
    largest = std::max(largest, std::fabs(a[i]));
    largest_error = std::max(largest_error, std::fabs(error));
  }
  if (std::isnan(square_of_errors)) largest_error = square_of_errors;
  signal += square;
  noise += square_of_errors;
  max_absolute = std::max(max_absolute, largest_error);
  rms_error = std::max(rms_error, share_of(std::sqrt(square_of_errors), std::sqrt(square)));
  max_error = std::max(max_error, share_of(largest_error, largest));
  if (count == 0) return;
  const size_t rank = original.dims.size();
  const size_t axis = rank == 4 ? 1 : rank - 1;
  const size_t classes = rank == 0 ? 1 : static_cast<size_t>(original.dims[axis]);
  size_t inner = 1;
  for (size_t i = axis + 1; i < rank; ++i) inner *= static_cast<size_t>(original.dims[i]);
  for (size_t i = 0; i < count / classes; ++i) {
    const size_t at = i / inner * classes * inner + i % inner;
    changed += decision(&a[at], classes, inner) != decision(&b[at], classes, inner) ? 1 : 0;
  }
  decisions += count / classes;
}

double OutputAccuracy::noise_ratio() const {
  if (noise == 0) return std::numeric_limits<double>::infinity();
  const double ratio = 10 * std::log10(signal / noise);
  return std::isnan(ratio) ? -std::numeric_limits<double>::infinity() : ratio;  // an answer that is no number
}

double worst_ratio(const std::vector<OutputAccuracy>& outputs) {
  double worst = std::numeric_limits<double>::infinity();
  for (const OutputAccuracy& o : outputs) worst = std::min(worst, o.noise_ratio());
  return worst;
}

double worst_error(const std::vector<OutputAccuracy>& outputs, ErrorMetric metric) {
  double worst = 0;
  for (const OutputAccuracy& o : outputs) worst = std::max(worst, o.error(metric));
  return worst;
}

double OutputAccuracy::drop() const {
  return decisions == 0 ? 0 : 100 * static_cast<double>(changed) / static_cast<double>(decisions);
}

std::string bytes_of(const std::vector<OutputAccuracy>& outputs) {
  StateWriter w;
  for (const OutputAccuracy& o : outputs) {
    w.text(o.name);
    for (double v : {o.signal, o.noise, o.max_absolute, o.rms_error, o.max_error}) w.number(v);
    for (size_t n : {o.decisions, o.changed, o.other_shapes}) w.number<uint64_t>(n);
  }
  return w.take();
}

std::vector<OutputAccuracy> read_accuracy(const std::string& bytes) {
  std::vector<OutputAccuracy> outputs;
  for (StateReader r(bytes); !r.empty();) {
    OutputAccuracy& o = outputs.emplace_back();
    o.name = r.text();
    for (double* v : {&o.signal, &o.noise, &o.max_absolute, &o.rms_error, &o.max_error}) *v = r.number<double>();
    for (size_t* n : {&o.decisions, &o.changed, &o.other_shapes}) *n = r.number<uint64_t>();
  }
  return outputs;
}

}  // namespace coracle::internal::quantize
