// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "devices/cuda/convolution_plan.h"
#include "devices/cuda/library_choices.h"

namespace coracle::internal::cuda {

class Opened;

/// All that the choice of an engine is made of but the device and cuDNN, as text.
std::string choice_key(const gpu::ImageConvolution& convolution);

/// A plan on the engine that the device keeps for the convolution, for any number of images; on one that is chosen now
/// where it keeps none. In the device's context; `handle` is the device's, and this thread's for the time. Null where
/// no engine takes the convolution.
std::unique_ptr<const ConvolutionPlan> chosen_plan(Opened& device, cudnnHandle_t handle,
                                                   const gpu::ImageConvolution& convolution);

}  // namespace coracle::internal::cuda
