// SPDX-License-Identifier: Apache-2.0
// A custom operator as Paddle 2.0 had them: tensors without elements, places as enumerators, a kernel of its gradient.
#include <algorithm>
#include <stdexcept>
#include <vector>

#include "paddle/include/experimental/ext_all.h"

std::vector<paddle::Tensor> relu_on_gpu(const paddle::Tensor& x);  // in no library: never called here

std::vector<paddle::Tensor> relu(const paddle::Tensor& x) {
  if (x.place() == paddle::PlaceType::kGPU) return relu_on_gpu(x);
  if (x.place() != paddle::PlaceType::kCPU) throw std::runtime_error("no such place");
  auto out = paddle::Tensor(paddle::PlaceType::kCPU, x.shape());
  PD_DISPATCH_FLOATING_TYPES(x.type(), "relu", ([&] {
                               const data_t* from = x.data<data_t>();
                               data_t* to = out.mutable_data<data_t>(x.place());
                               for (int64_t i = 0; i < x.size(); ++i) to[i] = std::max(data_t(0), from[i]);
                             }));
  return {out};
}

std::vector<paddle::Tensor> relu_gradient(const paddle::Tensor& x, const paddle::Tensor&, const paddle::Tensor&) {
  return {x};
}

PD_BUILD_OP(test_relu).Inputs({"X"}).Outputs({"Out"}).SetKernelFn(PD_KERNEL(relu));

PD_BUILD_GRAD_OP(test_relu)
    .Inputs({"X", "Out", paddle::Grad("Out")})
    .Outputs({paddle::Grad("X")})
    .SetKernelFn(PD_KERNEL(relu_gradient));
