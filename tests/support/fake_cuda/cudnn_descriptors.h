// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "support/fake_cuda/convolutions.h"
#include "support/fake_cuda/stop.h"

namespace coracle::internal::fake_cuda {

/// What the stand-in for cuDNN is told, and may be asked, of one thing: attributes by their names. None is used before
/// it is finalized, or changed afterwards.
class CudnnDescriptor {
 public:
  explicit CudnnDescriptor(int type);
  ~CudnnDescriptor();
  CudnnDescriptor(const CudnnDescriptor&) = delete;
  CudnnDescriptor& operator=(const CudnnDescriptor&) = delete;

  /// That pointer's; ends the process where there is none.
  static CudnnDescriptor& of(const void* pointer);
  /// Of a type, and finalized; ends the process where it is not.
  static const CudnnDescriptor& whole(const void* pointer, int type);

  int type() const { return type_; }
  cuda::cudnnStatus_t set(int name, int value_type, int64_t count, const void* values);
  cuda::cudnnStatus_t get(int name, int value_type, int64_t wanted, int64_t* count, void* values) const;
  cuda::cudnnStatus_t finalize();

  bool has(int name) const { return attributes_.contains(name); }
  template <class T>
  std::vector<T> values(int name) const {
    const auto it = attributes_.find(name);
    if (it == attributes_.end()) return {};
    std::vector<T> all(it->second.size() / sizeof(T));
    std::memcpy(all.data(), it->second.data(), it->second.size());
    return all;
  }
  template <class T>
  T value(int name) const {
    const std::vector<T> all = values<T>(name);
    if (all.size() != 1) stop("an attribute of cuDNN has not one value");
    return all[0];
  }
  const CudnnDescriptor& child(int name, int type) const { return whole(value<void*>(name), type); }
  /// What a heuristic names: a configuration, whose engine and knob are asked for afterwards.
  void describe(const ConvolutionEngine& engine);

  ConvolutionEngine engine;                           ///< of engines, configurations, knobs and plans
  std::shared_ptr<const ConvolutionProblem> problem;  ///< of graphs and what is made of them; null: it takes none

 private:
  template <class T>
  void put(int name, T value) {
    attributes_[name] = std::string(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  cuda::cudnnStatus_t understand();

  int type_;
  bool finalized_ = false;
  std::map<int, std::string> attributes_;  ///< the values' bytes
};

/// The convolution that a graph of operations is; nothing where no engine has such a pattern. Ends the process where
/// the operations do not follow each other.
std::shared_ptr<const ConvolutionProblem> problem_of(const CudnnDescriptor& graph);

}  // namespace coracle::internal::fake_cuda
