// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <set>
#include <string>
#include <tuple>

#include "devices/gpu/open_gpu.h"

namespace coracle::internal::test {

/// A device that compiles nothing and keeps what it was asked to compile.
class RecordingGpu final : public gpu::OpenGpu {
 public:
  struct Program {
    std::string source;
    std::string name;
    std::string definitions;
    auto operator<=>(const Program&) const = default;
  };
  const std::set<Program>& programs() const { return programs_; }

  std::shared_ptr<const gpu::Function> compile(const gpu::Source& source, std::string_view name,
                                               std::string_view definitions) override {
    programs_.insert({std::string(source.name), std::string(name), std::string(definitions)});
    return std::make_shared<AnyFunction>();
  }
  /// Libraries compute products and convolutions from now on, or kernels do.
  void set_has_libraries(bool has_libraries) { has_libraries_ = has_libraries; }
  std::shared_ptr<const gpu::Function> product(const gpu::Product&) override { return of_library(); }
  std::shared_ptr<const gpu::Function> convolution(const gpu::ImageConvolution&) override { return of_library(); }
  const DeviceInfo& info() const override { return info_; }
  std::unique_ptr<Queue> make_queue() override { return nullptr; }
  std::shared_ptr<void> allocate(size_t) override { return nullptr; }
  std::shared_ptr<void> allocate_host(size_t) override { return nullptr; }
  bool lost() const noexcept override { return false; }

 private:
  struct AnyFunction final : gpu::Function {
    size_t largest_group() const override { return 1024; }
  };
  std::shared_ptr<const gpu::Function> of_library() const {
    return has_libraries_ ? std::make_shared<AnyFunction>() : nullptr;
  }
  DeviceInfo info_;
  bool has_libraries_ = false;
  std::set<Program> programs_;
};

}  // namespace coracle::internal::test
