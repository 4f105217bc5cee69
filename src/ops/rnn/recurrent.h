// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/fact.h"

namespace coracle::internal {

/// Activations that recurrent operators name.
enum class GateActivation : uint8_t { kIdentity, kSigmoid, kTanh, kRelu };

inline std::span<const std::string_view> names_of(GateActivation) {
  static constexpr std::string_view kNames[] = {"identity", "sigmoid", "tanh", "relu"};
  return kNames;
}

inline double gate_sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

inline double activated(GateActivation f, double x) {
  switch (f) {
    case GateActivation::kIdentity: return x;
    case GateActivation::kSigmoid: return gate_sigmoid(x);
    case GateActivation::kTanh: return std::tanh(x);
    case GateActivation::kRelu: return x > 0 ? x : 0;
  }
  return x;
}

/// to[j] += sum over k of x[k] * w[j * n + k], for j < rows.
template <class T>
void add_matrix_vector(const T* w, const double* x, int64_t rows, int64_t n, double* to) {
  for (int64_t j = 0; j < rows; ++j) {
    double sum = 0;
    for (int64_t k = 0; k < n; ++k) sum += x[k] * static_cast<double>(w[j * n + k]);
    to[j] += sum;
  }
}

/// to[j] += sum over k of x[k] * w[k * stride + j], for j < columns and k < n.
template <class T>
void add_vector_matrix(const double* x, const T* w, int64_t n, int64_t columns, int64_t stride, double* to) {
  for (int64_t k = 0; k < n; ++k) {
    for (int64_t j = 0; j < columns; ++j) to[j] += x[k] * static_cast<double>(w[k * stride + j]);
  }
}

/// Offsets of the sequences in the rows of x, from the finest level: {0, ..., rows}; all rows are one sequence where
/// there is none. Throws Error where they do not fit the rows.
std::vector<int64_t> sequence_offsets(const Lod& lod, int64_t rows);

/// The number of sequences, Shape::kUnknown where only a run tells it.
int64_t sequence_count(const Fact& x);

}  // namespace coracle::internal
