// SPDX-License-Identifier: Apache-2.0
// Which of cuBLASLt's algorithms computes a product.
#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "base/error.h"
#include "base/precision.h"
#include "devices/cuda/measuring.h"
#include "devices/cuda/opened.h"
#include "devices/cuda/product_function.h"

namespace coracle::internal::cuda {
namespace {

constexpr size_t kMostAlgorithmsTimed = 12;  // algorithms
constexpr int64_t kNoAlgorithm = -1;         // in place of an algorithm's bits: none takes the product

using Bits = std::array<int64_t, sizeof(cublasLtMatmulAlgo_t) / sizeof(int64_t)>;

/// As cuBLASLt lets them be kept for the same version of it.
LibraryChoices::Numbers algorithm_numbers(const cublasLtMatmulAlgo_t& algorithm) {
  const auto bits = std::bit_cast<Bits>(algorithm);
  return {bits.begin(), bits.end()};
}

std::optional<cublasLtMatmulAlgo_t> algorithm_of(const LibraryChoices::Numbers& numbers) {
  Bits bits{};
  if (numbers.size() != bits.size()) return std::nullopt;
  std::copy(numbers.begin(), numbers.end(), bits.begin());
  return std::bit_cast<cublasLtMatmulAlgo_t>(bits);
}

}  // namespace

/// What columns and matrices begin at.
ProductFunction::Alignments ProductFunction::alignments() const {
  const auto aligned = [&](int64_t element, int64_t leading, int64_t Axis::*step) {
    int64_t alignment = std::gcd(kAlignment, leading * element);
    alignment = std::gcd(alignment, batch_.*step * element);
    for (const Axis& begin : begins_) alignment = std::gcd(alignment, begin.*step * element);
    return static_cast<uint32_t>(alignment);
  };
  return {aligned(element_, a_.leading, &Axis::a), aligned(element_, b_.leading, &Axis::b),
          aligned(y_element_, product_.matrices.columns, &Axis::y)};
}

std::string ProductFunction::choice_key(const Alignments& aligned, int64_t rows) const {
  const auto stored = [](const Stored& m, bool has_rows) {
    return text(" ", has_rows ? m.rows : 0, " ", m.columns, " ", m.leading, m.transposed ? " transposed" : "");
  };
  // Of a the rows of the product are columns, or rows where it is transposed: those of the choice stand for them.
  Stored a = a_;
  (a.transposed ? a.rows : a.columns) = rows;
  const gpu::Product& p = product_;
  return text("cuBLASLt ", loaded_products().version, ", algorithm of a product\nrows ", rows, ", columns ",
              p.matrices.columns, ", aligned ", aligned.a, " ", aligned.b, " ", aligned.y, " of ", kAlignment, "\n",
              p.type, " ", name_of(p.precision), "\na", stored(a, true), "\nb", stored(b_, true), "\n",
              p.has_bias ? "bias " : "", "activation ", static_cast<int>(p.activation));
}

/// For as many rows as algorithms are chosen for; none where nothing could be timed.
std::optional<size_t> ProductFunction::fastest(std::span<const cublasLtMatmulHeuristicResult_t> found,
                                               const Layouts& layouts, int64_t rows) const {
  const auto bytes = [&](const Stored& m) {
    return static_cast<size_t>((m.columns - 1) * m.leading + m.rows) * static_cast<size_t>(element_);
  };
  Stored a = a_;
  (a.transposed ? a.rows : a.columns) = rows;
  const int64_t columns = product_.matrices.columns;
  Measuring measuring(*device_);
  void* const of_a = measuring.memory(bytes(a));
  void* const of_b = measuring.memory(bytes(b_));
  void* const y = measuring.memory(static_cast<size_t>(rows * columns * y_element_));
  const auto set_bias = [&](const void* bias) {
    return !product_.has_bias ||
           api_.cublasLtMatmulDescSetAttribute(description_.handle, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias,
                                               sizeof(bias)) == CUBLAS_STATUS_SUCCESS;
  };
  set_bias(measuring.memory(product_.has_bias ? static_cast<size_t>(columns * element_) : 0));
  const Factors factors = this->factors(0);
  const auto best = measuring.fastest(found.size(), [&](size_t way, CUstream stream) {
    return api_.cublasLtMatmul(handle_, description_.handle, &factors.alpha, of_b, layouts.b.handle, of_a,
                               layouts.a.handle, &factors.beta, y, layouts.y.handle, y, layouts.y.handle,
                               &found[way].algo, nullptr, 0, stream) == CUBLAS_STATUS_SUCCESS;
  });
  return set_bias(reinterpret_cast<const void*>(uintptr_t{kAlignment})) ? best : std::nullopt;
}

LibraryChoices::Made ProductFunction::make_choice(const Alignments& aligned, const Layouts& layouts,
                                                  int64_t rows) const {
  Description<cublasLtMatmulPreference_t> preference;
  preference.destroy = api_.cublasLtMatmulPreferenceDestroy;
  if (api_.cublasLtMatmulPreferenceCreate(&preference.handle) != CUBLAS_STATUS_SUCCESS) return {};
  const auto attribute = [&](int name, auto value) {
    return api_.cublasLtMatmulPreferenceSetAttribute(preference.handle, name, &value, sizeof(value)) ==
           CUBLAS_STATUS_SUCCESS;
  };
  const bool set_all =
      attribute(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, uint64_t{0}) &&
      attribute(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, uint32_t{CUBLASLT_REDUCTION_SCHEME_NONE}) &&
      attribute(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, aligned.b) &&
      attribute(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, aligned.a) &&
      attribute(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, aligned.y) &&
      attribute(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, aligned.y);
  if (!set_all) return {};
  const bool measures = device_->choices().are_measured();
  std::array<cublasLtMatmulHeuristicResult_t, kMostAlgorithmsTimed> results{};
  int count = 0;
  const cublasStatus_t status = api_.cublasLtMatmulAlgoGetHeuristic(
      handle_, description_.handle, layouts.b.handle, layouts.a.handle, layouts.y.handle, layouts.y.handle,
      preference.handle, measures ? static_cast<int>(results.size()) : 1, results.data(), &count);
  if (status != CUBLAS_STATUS_SUCCESS) return {{kNoAlgorithm}, status == CUBLAS_STATUS_NOT_SUPPORTED};
  const auto end = std::remove_if(results.begin(), results.begin() + std::max(count, 0),
                                  [](const auto& result) { return result.state != CUBLAS_STATUS_SUCCESS; });
  const std::span found(results.begin(), end);
  if (found.empty()) return {{kNoAlgorithm}, true};
  if (!measures || found.size() == 1) return {algorithm_numbers(found[0].algo), true};
  const std::optional<size_t> best = fastest(found, layouts, rows);
  return {algorithm_numbers(found[best.value_or(0)].algo), best.has_value()};
}

bool ProductFunction::choose() {
  // Where rows are what lies together, their number says how they are aligned, and is no batch's.
  const int64_t rows = a_.transposed ? product_.matrices.rows : kRowsOfChoice;
  const Alignments aligned = alignments();
  const std::optional<cublasLtMatmulAlgo_t> algorithm =
      algorithm_of(device_->choices().get(choice_key(aligned, rows), [&]() -> LibraryChoices::Made {
        Layouts layouts;
        if (!add_layouts(layouts, rows, {})) return {};
        return make_choice(aligned, layouts, rows);
      }));
  if (!algorithm.has_value()) return false;
  algorithm_ = *algorithm;
  if (!add_layouts(layouts_, product_.matrices.rows, batch_)) return false;
  cublasLtMatmulHeuristicResult_t checked{};
  return api_.cublasLtMatmulAlgoCheck(handle_, description_.handle, layouts_.b.handle, layouts_.a.handle,
                                      layouts_.y.handle, layouts_.y.handle, &algorithm_,
                                      &checked) == CUBLAS_STATUS_SUCCESS &&
         checked.workspaceSize == 0;
}

}  // namespace coracle::internal::cuda
