// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "devices/cuda/cudnn.h"

/// What the stand-in for cuDNN computes.
namespace coracle::internal::fake_cuda {

/// Four sizes, channels second, without gaps.
struct ImageTensor {
  int64_t id = 0;
  int type = cuda::CUDNN_DATA_FLOAT;
  std::array<int64_t, 4> sizes{};
  int64_t alignment = 0;

  int64_t count() const { return sizes[0] * sizes[1] * sizes[2] * sizes[3]; }
  size_t bytes() const { return static_cast<size_t>(count() * (type == cuda::CUDNN_DATA_HALF ? 2 : 4)); }
};

/// y = relu(sum + added + bias)
struct ConvolutionProblem {
  ImageTensor y, x, filter;
  std::optional<ImageTensor> added, bias;
  bool relu = false;
  std::array<int64_t, 2> strides{}, dilations{}, before{}, after{};

  int64_t groups() const { return x.sizes[1] / filter.sizes[1]; }
  std::vector<ImageTensor> tensors() const;
  /// Ends the process where sizes do not fit together.
  void check() const;
};

/// How sums are added.
struct ConvolutionEngine {
  /// In the order of the terms, and in blocks of the tile's size, which is one for few images and one for many.
  static constexpr int64_t kPlain = 0;
  static constexpr int64_t kTiled = 11;
  /// As kTiled, of factors that are rounded before.
  static constexpr int64_t kMatrixUnits = 38;
  /// In blocks whose size is drawn each time.
  static constexpr int64_t kUnordered = 40;
  /// From the last term to the first, as one that transforms images rounds otherwise.
  static constexpr int64_t kTransforming = 42;
  /// In as many parts as are enough to keep the device busy.
  static constexpr int64_t kSplit = 29;
  /// In blocks, with memory of its own.
  static constexpr int64_t kWorkspace = 1;
  /// Images that kTiled takes.
  static constexpr int64_t kMostImages = 64;

  int64_t index = kPlain;
  int knob = -1;  ///< its type; -1: it has none
  int64_t value = 0;

  std::vector<int> notes() const;
  /// In bytes.
  int64_t workspace(const ConvolutionProblem& problem) const {
    return index == kWorkspace ? 1024 + 256 * problem.y.sizes[0] : 0;
  }
  bool takes(const ConvolutionProblem& problem) const;
};

/// What a heuristic names, the fastest first.
std::vector<ConvolutionEngine> engines_for(const ConvolutionProblem& problem, int mode);

struct ConvolutionCall {
  ConvolutionProblem problem;
  ConvolutionEngine engine;
  std::vector<uint64_t> addresses;  ///< of the problem's tensors, in their order
  uint64_t workspace = 0;
};

/// Ends the process where addresses are not where they have to be.
void check_places(const ConvolutionCall& call);
/// Whether there is still memory at its addresses.
bool can_run(const ConvolutionCall& call);
/// Computes it; an error of the driver.
int run(const ConvolutionCall& call);

}  // namespace coracle::internal::fake_cuda
