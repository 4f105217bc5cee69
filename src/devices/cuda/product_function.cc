// SPDX-License-Identifier: Apache-2.0
#include "devices/cuda/product_function.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/error.h"
#include "devices/cuda/opened.h"

namespace coracle::internal::cuda {
namespace {

using Activation = gpu::Product::Activation;

int type_of(const gpu::Product& product) {
  if (product.type == DType::kInt8) return CUDA_R_8I;
  return product.type == DType::kFloat16 ? CUDA_R_16F : CUDA_R_32F;
}
int result_type_of(const gpu::Product& product) { return product.type == DType::kInt8 ? CUDA_R_32I : type_of(product); }
/// Of alpha and beta.
int scale_type_of(const gpu::Product& product) { return product.type == DType::kInt8 ? CUDA_R_32I : CUDA_R_32F; }

int compute_type_of(const gpu::Product& product) {
  if (product.type == DType::kInt8) return CUBLAS_COMPUTE_32I;
  if (product.type != DType::kFloat32) return CUBLAS_COMPUTE_32F;
  switch (product.precision) {
    case Precision::kTf32:
    case Precision::kFp16: return CUBLAS_COMPUTE_32F_FAST_TF32;
    case Precision::kBf16: return CUBLAS_COMPUTE_32F_FAST_16BF;
    default: return CUBLAS_COMPUTE_32F;
  }
}

int epilogue_of(const gpu::Product& product) {
  const bool bias = product.has_bias;
  switch (product.activation) {
    case Activation::kNone: break;
    case Activation::kRelu: return bias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
    case Activation::kGeluTanh: return bias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
  }
  return bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
}

std::string sizes_text(const gpu::Matrices& p) {
  return text("product of ", p.rows, " x ", p.depth, " by ", p.depth, " x ", p.columns);
}

/// Sets an attribute of anything that has some.
template <class Handle, class T>
bool set(cublasStatus_t (*function)(Handle, int, const void*, size_t), Handle handle, int attribute, T value) {
  return function(handle, attribute, &value, sizeof(value)) == CUBLAS_STATUS_SUCCESS;
}

}  // namespace

/// A matrix of `rows` x `columns` in the equations of cuBLASLt; no leading dimension where it cannot be one.
ProductFunction::Stored ProductFunction::Stored::of(int64_t rows, int64_t row_step, int64_t columns,
                                                    int64_t column_step) {
  Stored plain{rows, columns, columns == 1 ? rows : column_step, false};
  if ((rows == 1 || row_step == 1) && plain.leading >= rows) return plain;
  Stored turned{columns, rows, rows == 1 ? columns : row_step, true};
  if ((columns == 1 || column_step == 1) && turned.leading >= columns) return turned;
  return {};
}

ProductFunction::ProductFunction(std::shared_ptr<Opened> device, cublasLtHandle_t handle, const gpu::Product& product)
    : device_(std::move(device)),
      api_(*loaded_products().api),
      handle_(handle),
      product_(product),
      element_(static_cast<int64_t>(size_of(product.type))),
      y_element_(product.type == DType::kInt8 ? int64_t{sizeof(int32_t)} : element_),
      name_(sizes_text(product.matrices)) {}

std::shared_ptr<const ProductFunction> ProductFunction::make(std::shared_ptr<Opened> device, cublasLtHandle_t handle,
                                                             const gpu::Product& product) {
  std::shared_ptr<ProductFunction> made(new ProductFunction(std::move(device), handle, product));
  // Rows are the columns of cuBLASLt, which goes through matrices column by column: it is given y transposed, which is
  // b transposed times a transposed.
  const gpu::Matrices& p = product.matrices;
  made->b_ = Stored::of(p.columns, p.b_column, p.depth, p.b_depth);
  made->a_ = Stored::of(p.depth, p.a_depth, p.rows, p.a_row);
  if (made->a_.leading == 0 || made->b_.leading == 0) return nullptr;
  made->split_batch();
  return made->describe() && made->choose() ? made : nullptr;
}

/// The axes along which all three go on in one step are one; the longest is left to cuBLASLt.
void ProductFunction::split_batch() {
  const gpu::Matrices& p = product_.matrices;
  std::vector<Axis> axes;
  int64_t step = p.rows * p.columns;
  for (auto axis = p.batch.rbegin(); axis != p.batch.rend(); ++axis) {
    if (axis->size == 1) continue;
    const bool goes_on = !axes.empty() && axes.back().a * axes.back().size == axis->a_step &&
                         axes.back().b * axes.back().size == axis->b_step;
    if (goes_on) {
      axes.back().size *= axis->size;
    } else {
      axes.push_back({axis->size, step, axis->a_step, axis->b_step});
    }
    step *= axis->size;
  }
  const auto longest =
      std::max_element(axes.begin(), axes.end(), [](const Axis& l, const Axis& r) { return l.size < r.size; });
  if (longest == axes.end()) return;
  batch_ = *longest;
  axes.erase(longest);
  for (const Axis& axis : axes) {
    const size_t count = begins_.size();
    for (int64_t i = 1; i < axis.size; ++i) {
      for (size_t j = 0; j < count; ++j) {
        const Axis before = begins_[j];
        begins_.push_back({1, before.y + i * axis.y, before.a + i * axis.a, before.b + i * axis.b});
      }
    }
  }
}

bool ProductFunction::describe() {
  const auto attribute = [&](int name, auto value) {
    return set(api_.cublasLtMatmulDescSetAttribute, description_.handle, name, value);
  };
  const auto operation = [](const Stored& m) { return int32_t{m.transposed ? CUBLAS_OP_T : CUBLAS_OP_N}; };
  description_.destroy = api_.cublasLtMatmulDescDestroy;
  return api_.cublasLtMatmulDescCreate(&description_.handle, compute_type_of(product_), scale_type_of(product_)) ==
             CUBLAS_STATUS_SUCCESS &&
         attribute(CUBLASLT_MATMUL_DESC_TRANSA, operation(b_)) &&
         attribute(CUBLASLT_MATMUL_DESC_TRANSB, operation(a_)) &&
         attribute(CUBLASLT_MATMUL_DESC_EPILOGUE, static_cast<uint32_t>(epilogue_of(product_))) &&
         // Algorithms are chosen by how the address is aligned.
         (!product_.has_bias ||
          attribute(CUBLASLT_MATMUL_DESC_BIAS_POINTER, reinterpret_cast<const void*>(uintptr_t{kAlignment})));
}

bool ProductFunction::add_layout(Layout& layout, int type, const Stored& stored, int64_t count, int64_t step) const {
  layout.destroy = api_.cublasLtMatrixLayoutDestroy;
  const auto rows = static_cast<uint64_t>(stored.rows);
  const auto columns = static_cast<uint64_t>(stored.columns);
  if (api_.cublasLtMatrixLayoutCreate(&layout.handle, type, rows, columns, stored.leading) != CUBLAS_STATUS_SUCCESS) {
    return false;
  }
  const auto attribute = [&](int name, auto value) {
    return set(api_.cublasLtMatrixLayoutSetAttribute, layout.handle, name, value);
  };
  return count == 1 || (attribute(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, static_cast<int32_t>(count)) &&
                        attribute(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, step));
}

bool ProductFunction::add_layouts(Layouts& layouts, int64_t rows, const Axis& batch) const {
  Stored a = a_;
  (a.transposed ? a.rows : a.columns) = rows;
  const Stored y{product_.matrices.columns, rows, product_.matrices.columns, false};
  const int type = type_of(product_);
  return add_layout(layouts.y, result_type_of(product_), y, batch.size, batch.y) &&
         add_layout(layouts.a, type, a, batch.size, batch.a) && add_layout(layouts.b, type, b_, batch.size, batch.b);
}

ProductFunction::Factors ProductFunction::factors(float beta) const {
  if (product_.type == DType::kInt8) return {std::bit_cast<uint32_t>(int32_t{1}), std::bit_cast<uint32_t>(int32_t{0})};
  return {std::bit_cast<uint32_t>(product_.alpha), std::bit_cast<uint32_t>(beta)};
}

CUresult ProductFunction::enqueue(CUstream stream, const gpu::Grid& /*grid*/,
                                  std::span<const gpu::Argument> arguments) const noexcept {
  if (loaded_driver().api == nullptr) return CUDA_ERROR_DEINITIALIZED;  // in a forked child
  std::array<char*, 5> given{};
  if (arguments.size() > given.size()) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const int64_t begin = *static_cast<const int64_t*>(arguments[i].value());
    given[i] = static_cast<char*>(*arguments[i].allocation()) + begin * (i == 0 ? y_element_ : element_);
  }
  char* const y = given[0];
  char* const added = product_.has_added ? given[3] : y;
  const Factors factors = this->factors(product_.has_added ? 1.0F : 0.0F);
  std::unique_lock<std::mutex> lock(bias_mutex_, std::defer_lock);
  if (product_.has_bias) {
    lock.lock();
    const void* bias = given[product_.has_added ? 4 : 3];
    if (!set(api_.cublasLtMatmulDescSetAttribute, description_.handle, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias)) {
      return code_of_products(CUBLAS_STATUS_INVALID_VALUE);
    }
  }
  for (const Axis& begin : begins_) {
    const cublasStatus_t status = api_.cublasLtMatmul(
        handle_, description_.handle, &factors.alpha, given[2] + begin.b * element_, layouts_.b.handle,
        given[1] + begin.a * element_, layouts_.a.handle, &factors.beta, added + begin.y * y_element_,
        layouts_.y.handle, y + begin.y * y_element_, layouts_.y.handle, &algorithm_, nullptr, 0, stream);
    if (status != CUBLAS_STATUS_SUCCESS) return code_of_products(status);
  }
  return CUDA_SUCCESS;
}

}  // namespace coracle::internal::cuda
