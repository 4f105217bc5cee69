// SPDX-License-Identifier: Apache-2.0
// NVIDIA's own cuBLASLt, where it is found, takes the attributes as they are given here: no device is needed.
#include "devices/cuda/cublaslt.h"

#include <gtest/gtest.h>

#include "devices/cuda/api.h"

namespace coracle::internal::test {
namespace {

using namespace cuda;  // NOLINT(google-build-using-namespace): its names

class CudaBlas : public ::testing::Test {
 protected:
  void SetUp() override {
    if (loaded_products().api == nullptr) GTEST_SKIP() << loaded_products().missing;
    api_ = loaded_products().api;
  }
  /// Whether an attribute is taken with its own size, and with no other.
  template <class Handle, class T>
  static bool has(cublasStatus_t (*set)(Handle, int, const void*, size_t), Handle handle, int attribute, T value) {
    const uint64_t more[2] = {};
    return set(handle, attribute, &value, sizeof(value)) == CUBLAS_STATUS_SUCCESS &&
           set(handle, attribute, more, sizeof(value) + 1) != CUBLAS_STATUS_SUCCESS;
  }

  const ProductsApi* api_ = nullptr;
};

TEST_F(CudaBlas, HasTheAttributes) {
  cublasLtMatmulDesc_t product = nullptr;
  ASSERT_EQ(api_->cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F), CUBLAS_STATUS_SUCCESS);
  const auto of_product = [&](int attribute, auto value) {
    return has(api_->cublasLtMatmulDescSetAttribute, product, attribute, value);
  };
  EXPECT_TRUE(of_product(CUBLASLT_MATMUL_DESC_TRANSA, int32_t{CUBLAS_OP_T}));
  EXPECT_TRUE(of_product(CUBLASLT_MATMUL_DESC_TRANSB, int32_t{CUBLAS_OP_T}));
  EXPECT_TRUE(of_product(CUBLASLT_MATMUL_DESC_EPILOGUE, uint32_t{CUBLASLT_EPILOGUE_GELU_BIAS}));
  EXPECT_TRUE(of_product(CUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<const void*>(nullptr)));
  EXPECT_EQ(api_->cublasLtMatmulDescDestroy(product), CUBLAS_STATUS_SUCCESS);
  for (const int compute_type : {CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_COMPUTE_32F_FAST_16BF}) {
    ASSERT_EQ(api_->cublasLtMatmulDescCreate(&product, compute_type, CUDA_R_32F), CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(api_->cublasLtMatmulDescDestroy(product), CUBLAS_STATUS_SUCCESS);
  }
  ASSERT_EQ(api_->cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32I, CUDA_R_32I), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(api_->cublasLtMatmulDescDestroy(product), CUBLAS_STATUS_SUCCESS);

  cublasLtMatrixLayout_t layout = nullptr;
  for (const int type : {CUDA_R_8I, CUDA_R_32I}) {
    ASSERT_EQ(api_->cublasLtMatrixLayoutCreate(&layout, type, 3, 4, 5), CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(api_->cublasLtMatrixLayoutDestroy(layout), CUBLAS_STATUS_SUCCESS);
  }
  ASSERT_EQ(api_->cublasLtMatrixLayoutCreate(&layout, CUDA_R_16F, 3, 4, 5), CUBLAS_STATUS_SUCCESS);
  EXPECT_TRUE(has(api_->cublasLtMatrixLayoutSetAttribute, layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, int32_t{2}));
  EXPECT_TRUE(
      has(api_->cublasLtMatrixLayoutSetAttribute, layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, int64_t{20}));
  EXPECT_EQ(api_->cublasLtMatrixLayoutDestroy(layout), CUBLAS_STATUS_SUCCESS);

  cublasLtMatmulPreference_t preference = nullptr;
  ASSERT_EQ(api_->cublasLtMatmulPreferenceCreate(&preference), CUBLAS_STATUS_SUCCESS);
  const auto of_preference = [&](int attribute, auto value) {
    return has(api_->cublasLtMatmulPreferenceSetAttribute, preference, attribute, value);
  };
  EXPECT_TRUE(of_preference(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, uint64_t{0}));
  EXPECT_TRUE(of_preference(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, uint32_t{CUBLASLT_REDUCTION_SCHEME_NONE}));
  for (const int operand : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                            CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
    EXPECT_TRUE(of_preference(operand, uint32_t{16}));
  }
  EXPECT_EQ(api_->cublasLtMatmulPreferenceDestroy(preference), CUBLAS_STATUS_SUCCESS);
}

TEST_F(CudaBlas, IsNewEnough) { EXPECT_GE(std::stoi(loaded_products().version), 12) << loaded_products().version; }

}  // namespace
}  // namespace coracle::internal::test
