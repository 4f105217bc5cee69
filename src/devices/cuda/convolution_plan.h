// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "devices/cuda/cudnn.h"
#include "devices/gpu/image_convolution.h"

namespace coracle::internal::cuda {

/// Descriptors of cuDNN that are given back together, the last one first. What follows a failure fails too, so that
/// one look at the end is enough.
class Descriptors {
 public:
  explicit Descriptors(const ConvolutionsApi& api) : api_(api) {}
  ~Descriptors();
  Descriptors(const Descriptors&) = delete;
  Descriptors& operator=(const Descriptors&) = delete;

  bool ok() const { return status_ == CUDNN_STATUS_SUCCESS; }
  /// That of the first failure.
  cudnnStatus_t status() const { return status_; }
  /// Null after a failure.
  cudnnBackendDescriptor_t add(int type);
  template <class T>
  void set(cudnnBackendDescriptor_t descriptor, int name, int type, std::span<const T> values) {
    if (ok()) {
      status_ =
          api_.cudnnBackendSetAttribute(descriptor, name, type, static_cast<int64_t>(values.size()), values.data());
    }
  }
  template <class T>
  void set(cudnnBackendDescriptor_t descriptor, int name, int type, const T& value) {
    set(descriptor, name, type, std::span<const T>(&value, 1));
  }
  void finalize(cudnnBackendDescriptor_t descriptor) {
    if (ok()) status_ = api_.cudnnBackendFinalize(descriptor);
  }
  /// How many values there are now; cuDNN fills descriptors that there are. 0 after a failure.
  template <class T>
  size_t get(cudnnBackendDescriptor_t descriptor, int name, int type, std::span<T> values) {
    const auto room = static_cast<int64_t>(values.size());
    int64_t count = 0;
    if (ok()) status_ = api_.cudnnBackendGetAttribute(descriptor, name, type, room, &count, values.data());
    return ok() ? static_cast<size_t>(count < room ? count : room) : 0;
  }

 private:
  const ConvolutionsApi& api_;
  cudnnStatus_t status_ = CUDNN_STATUS_SUCCESS;
  std::vector<cudnnBackendDescriptor_t> all_;
};

/// How cuDNN computes a convolution. The engine is chosen as for kBatchOfChoice images whatever there are, among those
/// that give the same bits in each run and add up in float32, each sum as a whole: a result is then the same beside any
/// others. Immutable.
class ConvolutionPlan {
 public:
  static constexpr int64_t kBatchOfChoice = 4;
  /// Of an engine for so many images, where it may have a workspace, in bytes.
  static constexpr int64_t kMostWorkspace = int64_t{16} << 20U;
  /// Of the tensors' addresses, in bytes.
  static constexpr int64_t kAlignment = 16;

  /// A handle of a device, or the properties of one that is not here.
  struct Target {
    cudnnHandle_t handle = nullptr;
    cudnnBackendDescriptor_t properties = nullptr;
  };
  struct Engine {
    struct Knob {
      int type = 0;
      int64_t value = 0;
      bool operator==(const Knob&) const = default;
    };
    int64_t index = 0;
    std::vector<Knob> knobs;
    bool operator==(const Engine&) const = default;
  };

  /// Engines that may be used, in the order in which cuDNN's heuristics name them, the fastest first.
  struct Candidates {
    std::vector<Engine> engines;
    bool are_sure = true;  ///< nothing failed that may go well another time
  };
  static Candidates candidates(const ConvolutionsApi& api, const Target& target,
                               const gpu::ImageConvolution& convolution, size_t most);
  /// Null where that engine does not take the convolution.
  static std::unique_ptr<const ConvolutionPlan> make(const ConvolutionsApi& api, const Target& target,
                                                     const gpu::ImageConvolution& convolution, Engine engine);
  /// On the first of the candidates; null where no engine takes the convolution.
  static std::unique_ptr<const ConvolutionPlan> make(const ConvolutionsApi& api, const Target& target,
                                                     const gpu::ImageConvolution& convolution);
  const Engine& engine() const { return engine_; }
  size_t workspace() const { return workspace_; }
  /// Gives a stream the convolution of y, x, the filter, `added` and the bias; null where there is no such.
  cudnnStatus_t run(cudnnHandle_t handle, CUstream stream, std::span<void* const, 5> tensors,
                    void* workspace) const noexcept;

 private:
  ConvolutionPlan(const ConvolutionsApi& api, Engine engine)
      : api_(api), engine_(std::move(engine)), descriptors_(api) {}

  const ConvolutionsApi& api_;
  const Engine engine_;
  Descriptors descriptors_;
  cudnnBackendDescriptor_t plan_ = nullptr;
  size_t workspace_ = 0;
};

}  // namespace coracle::internal::cuda
