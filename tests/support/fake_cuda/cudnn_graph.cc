// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "support/fake_cuda/cudnn_descriptors.h"

namespace coracle::internal::fake_cuda {
namespace {

using namespace cuda;  // NOLINT(google-build-using-namespace): names of cuDNN

ImageTensor described_tensor(const CudnnDescriptor& d) {
  ImageTensor t;
  t.id = d.value<int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID);
  t.type = d.value<int>(CUDNN_ATTR_TENSOR_DATA_TYPE);
  t.alignment = d.value<int64_t>(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT);
  const auto sizes = d.values<int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS);
  const auto steps = d.values<int64_t>(CUDNN_ATTR_TENSOR_STRIDES);
  int64_t step = 1;
  for (size_t i = 4; i-- > 0;) {
    t.sizes[i] = sizes[i];
    if (sizes[i] < 1 || steps[i] != step) stop("a tensor has gaps, or nothing in it");
    step *= sizes[i];
  }
  return t;
}

std::array<int64_t, 2> pair_of(const CudnnDescriptor& windows, int name) {
  const auto values = windows.values<int64_t>(name);
  return {values[0], values[1]};
}

/// A tensor that an operation reads or writes.
const CudnnDescriptor& tensor_at(const CudnnDescriptor& operation, int name) {
  return operation.child(name, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
}

bool is_virtual(const CudnnDescriptor& tensor) {
  return tensor.has(CUDNN_ATTR_TENSOR_IS_VIRTUAL) && tensor.value<char>(CUDNN_ATTR_TENSOR_IS_VIRTUAL) != 0;
}

void require_float(const CudnnDescriptor& step, int name) {
  if (step.value<int>(name) != CUDNN_DATA_FLOAT) stop("cuDNN is to compute in another type than float32");
}

}  // namespace

std::shared_ptr<const ConvolutionProblem> problem_of(const CudnnDescriptor& graph) {
  const auto operations = graph.values<void*>(CUDNN_ATTR_OPERATIONGRAPH_OPS);
  const CudnnDescriptor& first =
      CudnnDescriptor::whole(operations[0], CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
  if (first.value<float>(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA) != 1 ||
      first.value<float>(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA) != 0) {
    stop("a convolution is scaled");
  }
  const CudnnDescriptor& windows =
      first.child(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  require_float(windows, CUDNN_ATTR_CONVOLUTION_COMP_TYPE);
  if (windows.value<int>(CUDNN_ATTR_CONVOLUTION_CONV_MODE) != CUDNN_CROSS_CORRELATION) stop("a filter is turned");
  if (windows.value<int64_t>(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS) != 2) stop("a convolution is not of two dimensions");

  auto problem = std::make_shared<ConvolutionProblem>();
  problem->strides = pair_of(windows, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES);
  problem->dilations = pair_of(windows, CUDNN_ATTR_CONVOLUTION_DILATIONS);
  problem->before = pair_of(windows, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS);
  problem->after = pair_of(windows, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS);
  problem->x = described_tensor(tensor_at(first, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X));
  problem->filter = described_tensor(tensor_at(first, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W));

  std::vector<ImageTensor> added;
  // Each operation goes on with the result of the one before, which has no memory.
  const CudnnDescriptor* value = &tensor_at(first, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y);
  for (size_t i = 1; i < operations.size(); ++i) {
    if (!is_virtual(*value)) stop("a tensor between two operations has memory");
    const CudnnDescriptor& operation =
        CudnnDescriptor::whole(operations[i], CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    if (&tensor_at(operation, CUDNN_ATTR_OPERATION_POINTWISE_XDESC) != value) stop("an operation reads another tensor");
    value = &tensor_at(operation, CUDNN_ATTR_OPERATION_POINTWISE_YDESC);
    const CudnnDescriptor& step =
        operation.child(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    require_float(step, CUDNN_ATTR_POINTWISE_MATH_PREC);
    if (problem->relu) return nullptr;
    if (step.value<int>(CUDNN_ATTR_POINTWISE_MODE) == CUDNN_POINTWISE_RELU_FWD) {
      problem->relu = true;
      continue;
    }
    added.push_back(described_tensor(tensor_at(operation, CUDNN_ATTR_OPERATION_POINTWISE_BDESC)));
  }
  problem->y = described_tensor(*value);
  if (is_virtual(*value)) stop("the result of a graph has no memory");
  // As NVIDIA's: other steps go along with a bias alone, which is the last that is added.
  if (operations.size() > 1) {
    if (added.empty() || added.size() > 2 || added.back().count() != problem->y.sizes[1]) return nullptr;
    problem->bias = added.back();
    if (added.size() == 2) problem->added = added.front();
  }
  problem->check();
  return problem;
}

}  // namespace coracle::internal::fake_cuda
