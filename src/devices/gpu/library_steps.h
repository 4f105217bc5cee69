// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "devices/gpu/epilogue.h"
#include "devices/gpu/product.h"

namespace coracle::internal::gpu {

/// What a library can do to the elements of its result: activation(alpha * sum + added + bias).
struct LibraryAbilities {
  bool scale = false;
  bool bias = false;
  bool gelu = false;
};

/// The steps of an epilogue that a library does, up to the first that it cannot do.
struct LibrarySteps {
  float alpha = 1;
  bool has_added = false;
  bool has_bias = false;
  Product::Activation activation = Product::Activation::kNone;
  std::vector<Parameter> tensors;  ///< `added`, then the bias, as far as there are such
  size_t count = 0;                ///< of steps
  int operands = 0;                ///< of tensors that the steps take

  /// Tensors stand from operand `first` on; no epilogue (null) has no steps.
  static LibrarySteps of(const Epilogue* epilogue, int first, const LibraryAbilities& abilities);
};

/// The result of a library, in which channels are rows, or else columns.
struct LibraryResult {
  DType type = DType::kFloat32;
  int64_t count = 0;  ///< of elements
  int64_t rows = 0;
  int64_t columns = 0;
  bool channels_in_rows = false;
  Parameter tensor = Parameter::result();
};

/// Adds a kernel that does the other steps in place (kernels/finish.cl), where there are any.
void add_other_steps(LaunchPlan& plan, OpenDevice& device, const LibraryResult& result, const Epilogue* epilogue,
                     int first, const LibrarySteps& done);

}  // namespace coracle::internal::gpu
