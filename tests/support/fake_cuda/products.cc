// SPDX-License-Identifier: Apache-2.0
#include "support/fake_cuda/products.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "base/half.h"
#include "support/fake_cuda/driver_state.h"
#include "support/fake_cuda/stop.h"

namespace coracle::internal::fake_cuda {
namespace {

constexpr uint64_t kAlgorithmMark = 0xc0bab1a5;
constexpr uint64_t kVector = 16;  // bytes that the faster algorithms read at a time
constexpr uint64_t kWorkspace = 1U << 20U;

struct Sizes {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
};

/// Whether the matrices fit together; ends the process where they do not, as no caller means that.
Sizes sizes_of(const Problem& problem) {
  const auto& [a, b, c, d] = problem.matrices;
  const bool turned_a = problem.product.operation_a == cuda::CUBLAS_OP_T;
  const bool turned_b = problem.product.operation_b == cuda::CUBLAS_OP_T;
  const Sizes sizes{turned_a ? a.columns : a.rows, turned_b ? b.rows : b.columns, turned_a ? a.rows : a.columns};
  const bool fit = (turned_b ? b.columns : b.rows) == sizes.k && d.rows == sizes.m && d.columns == sizes.n &&
                   c.rows == d.rows && c.columns == d.columns;
  if (!fit) stop("the matrices of a product do not fit together");
  const bool integers = problem.product.is_of_integers();
  if ((d.type == cuda::CUDA_R_32I) != integers) stop("a product's type does not fit its result's");
  for (size_t i = 0; i < 4; ++i) {
    const MatrixLayout& matrix = problem.matrices[i];
    const int expected = integers && i < 2 ? int{cuda::CUDA_R_8I} : d.type;
    if (matrix.type != expected || matrix.count != d.count) stop("the matrices of a product differ in type or number");
  }
  if (problem.product.has_bias() && problem.product.bias == nullptr) stop("a product's bias has no address");
  return sizes;
}

/// What address, columns and matrices are all multiples of, in bytes.
uint64_t alignment_of(const MatrixLayout& matrix) {
  const auto bytes = [&](int64_t elements) { return static_cast<uint64_t>(elements * matrix.element_bytes()); };
  uint64_t alignment = kVector;
  while (bytes(matrix.leading) % alignment != 0 || (matrix.count > 1 && bytes(matrix.step) % alignment != 0)) {
    alignment /= 2;
  }
  return alignment;
}

/// What NVIDIA's documentation asks for of products of int8: the first operand transposed, the second not, and all that
/// follows each other in whole words of four.
bool takes_integers(const Problem& problem, const Sizes& sizes) {
  const auto whole = [](const MatrixLayout& matrix) { return matrix.leading % 4 == 0 && matrix.step % 4 == 0; };
  return problem.product.operation_a == cuda::CUBLAS_OP_T && problem.product.operation_b == cuda::CUBLAS_OP_N &&
         problem.product.epilogue == uint32_t{cuda::CUBLASLT_EPILOGUE_DEFAULT} && sizes.m % 4 == 0 &&
         sizes.k % 4 == 0 && std::all_of(std::begin(problem.matrices), std::end(problem.matrices), whole);
}

/// Elements at an address of the device, as numbers.
class Elements {
 public:
  Elements(uint64_t address, const MatrixLayout& matrix) : half_(matrix.type == cuda::CUDA_R_16F) {
    const DeviceMemory::Spot spot = Driver::get().memory->find(address, matrix.extent());
    if (spot.block != nullptr) at_ = spot.block->host.get() + spot.offset;
  }
  bool there() const { return at_ != nullptr; }
  float operator[](int64_t i) const {
    if (!half_) return reinterpret_cast<const float*>(at_)[i];
    return Float16::to_float(reinterpret_cast<const uint16_t*>(at_)[i]);
  }
  void put(int64_t i, float value) {
    if (half_) {
      reinterpret_cast<uint16_t*>(at_)[i] = Float16::from_float(value);
    } else {
      reinterpret_cast<float*>(at_)[i] = value;
    }
  }

 private:
  bool half_;
  char* at_ = nullptr;
};

/// An operand with the bits that the matrix units take of it.
float rounded(float x, int compute_type) {
  const uint32_t dropped = compute_type == cuda::CUBLAS_COMPUTE_32F_FAST_TF32   ? 13
                           : compute_type == cuda::CUBLAS_COMPUTE_32F_FAST_16BF ? 16
                                                                                : 0;
  if (dropped == 0 || !std::isfinite(x)) return x;
  auto bits = std::bit_cast<uint32_t>(x);
  bits += (uint32_t{1} << (dropped - 1U)) - 1 + ((bits >> dropped) & 1U);
  return std::bit_cast<float>(bits >> dropped << dropped);
}

float activated(float x, uint32_t epilogue) {
  // NVIDIA's documentation has max(x, 0), whose function gives 0 for NaN.
  if ((epilogue & uint32_t{cuda::CUBLASLT_EPILOGUE_RELU}) != 0) return std::fmax(x, 0.0F);
  if ((epilogue & uint32_t{cuda::CUBLASLT_EPILOGUE_GELU}) == 0) return x;
  return 0.5F * x * (1.0F + std::tanh(0.79788456F * (x + 0.044715F * x * x * x)));
}

/// The memory of a matrix at an address of the device; null where there is none.
template <class T>
T* elements_of(uint64_t address, const MatrixLayout& matrix) {
  const DeviceMemory::Spot spot = Driver::get().memory->find(address, matrix.extent());
  return spot.block == nullptr ? nullptr : reinterpret_cast<T*>(spot.block->host.get() + spot.offset);
}

int run_integers(const ProductCall& call) {
  const auto& [a, b, c, d] = call.problem.matrices;
  const Sizes sizes = sizes_of(call.problem);
  const auto* left = elements_of<const int8_t>(call.addresses[0], a);
  const auto* right = elements_of<const int8_t>(call.addresses[1], b);
  auto* to = elements_of<int32_t>(call.addresses[3], d);
  if (left == nullptr || right == nullptr || to == nullptr) return cuda::CUDA_ERROR_ILLEGAL_ADDRESS;
  for (int64_t matrix = 0; matrix < d.count; ++matrix) {
    for (int64_t n = 0; n < sizes.n; ++n) {
      for (int64_t m = 0; m < sizes.m; ++m) {
        const int8_t* line = left + matrix * a.step + m * a.leading;
        const int8_t* column = right + matrix * b.step + n * b.leading;
        int32_t sum = 0;
        for (int64_t k = 0; k < sizes.k; ++k) sum += line[k] * column[k];
        to[matrix * d.step + n * d.leading + m] = sum;
      }
    }
  }
  return cuda::CUDA_SUCCESS;
}

MatrixLayout bias_layout(const Problem& problem) {
  const MatrixLayout& d = problem.matrices[3];
  return {d.type, d.rows, 1, d.rows};
}

}  // namespace

cuda::cublasLtMatmulAlgo_t Algorithm::packed() const {
  return {{kAlgorithmMark, block, alignment, workspace, in_parts}};
}

Algorithm Algorithm::unpacked(const cuda::cublasLtMatmulAlgo_t& algorithm) {
  if (algorithm.data[0] != kAlgorithmMark) stop("an algorithm that was never chosen");
  return {algorithm.data[1], algorithm.data[2], algorithm.data[3], algorithm.data[4]};
}

std::vector<Algorithm> algorithms_for(const Problem& problem, const Preference& preference) {
  const Sizes sizes = sizes_of(problem);
  if (problem.product.is_of_integers() && !takes_integers(problem, sizes)) return {};
  std::vector<Algorithm> all;
  // Sums in parts keep the device busy where there are few of them.
  if (sizes.k >= 16 && (preference.reductions & uint32_t{cuda::CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE}) != 0 &&
      preference.workspace >= kWorkspace) {
    all.push_back({8, 1, kWorkspace, 1});
  }
  uint64_t alignment = kVector;
  for (size_t i = 0; i < 4; ++i) {
    alignment = std::min({alignment, uint64_t{preference.alignments[i]}, alignment_of(problem.matrices[i])});
  }
  if (problem.product.has_bias()) {
    while (reinterpret_cast<uint64_t>(problem.product.bias) % alignment != 0) alignment /= 2;
  }
  const bool few = sizes.n * problem.matrices[3].count < 64;
  all.push_back({few ? uint64_t{4} : uint64_t{16} + alignment, alignment});
  all.push_back({2, 1});
  all.push_back({3, 1});
  return all;
}

bool takes(const Algorithm& algorithm, const Problem& problem) {
  const Sizes sizes = sizes_of(problem);
  if (problem.product.is_of_integers() && !takes_integers(problem, sizes)) return false;
  return std::all_of(std::begin(problem.matrices), std::end(problem.matrices),
                     [&](const MatrixLayout& matrix) { return alignment_of(matrix) >= algorithm.alignment; });
}

void check_places(const ProductCall& call) {
  const DeviceMemory& memory = *Driver::get().memory;
  const auto& [a, b, c, d] = call.problem.matrices;
  const auto check_one = [&](uint64_t address, const MatrixLayout& matrix) {
    if (!memory.is_device(reinterpret_cast<const void*>(address))) stop("a matrix is at no address of the device");
    if (address % call.algorithm.alignment != 0) stop("a matrix is less aligned than its algorithm needs");
    if (memory.find(address, matrix.extent()).block == nullptr) stop("a matrix goes beyond its block");
  };
  for (size_t i = 0; i < 4; ++i) check_one(call.addresses[i], call.problem.matrices[i]);
  const ProductDescription& product = call.problem.product;
  if (product.has_bias()) check_one(reinterpret_cast<uint64_t>(product.bias), bias_layout(call.problem));
  const auto apart = [&](size_t i) {
    return call.addresses[i] >= call.addresses[3] + d.extent() ||
           call.addresses[3] >= call.addresses[i] + call.problem.matrices[i].extent();
  };
  if (!apart(0) || !apart(1) || (!apart(2) && call.addresses[2] != call.addresses[3])) {
    stop("a product is written over its operands");
  }
}

bool can_run(const ProductCall& call) {
  const DeviceMemory& memory = *Driver::get().memory;
  const auto is_there = [&](uint64_t address) { return memory.find(address, 1).block != nullptr; };
  const ProductDescription& product = call.problem.product;
  return std::all_of(std::begin(call.addresses), std::end(call.addresses), is_there) &&
         (!product.has_bias() || is_there(reinterpret_cast<uint64_t>(product.bias)));
}

int run(const ProductCall& call) {
  const Problem& problem = call.problem;
  Driver::get().streams.pass(Driver::get().takes_ms[-static_cast<int64_t>(call.algorithm.block)]);
  if (problem.product.is_of_integers()) return run_integers(call);
  const auto& [a, b, c, d] = problem.matrices;
  const Sizes sizes = sizes_of(problem);
  const Elements from_a(call.addresses[0], a);
  const Elements from_b(call.addresses[1], b);
  const Elements from_c(call.addresses[2], c);
  Elements to(call.addresses[3], d);
  if (!from_a.there() || !from_b.there() || !from_c.there() || !to.there()) return cuda::CUDA_ERROR_ILLEGAL_ADDRESS;
  std::vector<float> bias(static_cast<size_t>(sizes.m), 0.0F);
  if (problem.product.has_bias()) {
    const Elements from(reinterpret_cast<uint64_t>(problem.product.bias), bias_layout(problem));
    if (!from.there()) return cuda::CUDA_ERROR_ILLEGAL_ADDRESS;
    for (size_t i = 0; i < bias.size(); ++i) bias[i] = from[static_cast<int64_t>(i)];
  }
  const bool turned_a = problem.product.operation_a == cuda::CUBLAS_OP_T;
  const bool turned_b = problem.product.operation_b == cuda::CUBLAS_OP_T;
  const int compute_type = problem.product.compute_type;
  static std::mt19937 random(1);
  std::vector<float> left(static_cast<size_t>(sizes.m * sizes.k));  // row by row
  for (int64_t matrix = 0; matrix < d.count; ++matrix) {
    for (int64_t m = 0; m < sizes.m; ++m) {
      for (int64_t k = 0; k < sizes.k; ++k) {
        left[static_cast<size_t>(m * sizes.k + k)] =
            rounded(from_a[matrix * a.step + (turned_a ? k + m * a.leading : m + k * a.leading)], compute_type);
      }
    }
    std::vector<float> right(static_cast<size_t>(sizes.k));
    for (int64_t n = 0; n < sizes.n; ++n) {
      for (int64_t k = 0; k < sizes.k; ++k) {
        right[static_cast<size_t>(k)] =
            rounded(from_b[matrix * b.step + (turned_b ? n + k * b.leading : k + n * b.leading)], compute_type);
      }
      for (int64_t m = 0; m < sizes.m; ++m) {
        const float* row = left.data() + m * sizes.k;
        const auto block = static_cast<int64_t>(call.algorithm.in_parts != 0 ? 1 + random() % 8 : call.algorithm.block);
        float sum = 0;
        for (int64_t first = 0; first < sizes.k; first += block) {
          float part = 0;
          for (int64_t k = first; k < std::min(first + block, sizes.k); ++k)
            part += row[k] * right[static_cast<size_t>(k)];
          sum += part;
        }
        float value = call.alpha * sum;
        if (call.beta != 0) value += call.beta * from_c[matrix * c.step + n * c.leading + m];
        to.put(matrix * d.step + n * d.leading + m,
               activated(value + bias[static_cast<size_t>(m)], problem.product.epilogue));
      }
    }
  }
  return cuda::CUDA_SUCCESS;
}

}  // namespace coracle::internal::fake_cuda
