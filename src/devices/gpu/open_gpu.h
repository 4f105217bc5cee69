// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "devices/gpu/image_convolution.h"
#include "devices/gpu/launch.h"
#include "devices/gpu/product.h"
#include "devices/gpu/sources.h"

/// What a kind of device implements to run the kernels of this folder.
namespace coracle::internal::gpu {

class OpenGpu : public OpenDevice {
 public:
  /// The function `name` of a source, compiled with definitions as a compiler takes them ("-DK=3 -DHALF"), of which
  /// none has a blank. What is in use by anybody, or kept on disk, is not compiled again. Throws Error, with what the
  /// compiler says.
  virtual std::shared_ptr<const Function> compile(const Source& source, std::string_view name,
                                                  std::string_view definitions) = 0;
  /// The function of a library of the device's maker, to be launched with an empty grid; null where there is none that
  /// takes the product. Sums do not depend on how many rows and matrices there are.
  virtual std::shared_ptr<const Function> product(const Product& /*product*/) { return nullptr; }
  /// The same for a convolution. Sums do not depend on how many images there are.
  virtual std::shared_ptr<const Function> convolution(const ImageConvolution& /*convolution*/) { return nullptr; }
};

class GpuQueue : public Queue {
 public:
  /// For a run. What goes wrong is kept and told by `wait` and `finish`.
  virtual void launch(const RunContext& run, const Function& function, const Grid& grid,
                      std::span<const Argument> arguments) noexcept = 0;

  /// Memory for a Fault, zeros before kernels write there that an index is out of range (kernels/faults.cl). `finish`
  /// reads it and fails with kIndexFailure and `text_of`.
  virtual DeviceBytes faults() noexcept = 0;
  /// The number by which kernels name the operand ("Ids", static) that the index is from; -1 without memory.
  int number_of(const char* operand) noexcept;

 protected:
  /// Whether there was one, the operand's number, the element, the index, its bounds.
  using Fault = std::array<int64_t, 6>;
  static constexpr char kIndexFailure[] = "an index is out of range";
  std::string text_of(const Fault& fault) const;

 private:
  std::vector<const char*> operands_;
};

}  // namespace coracle::internal::gpu
