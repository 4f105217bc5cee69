// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>

#include "devices/opencl/sources.h"
#include "plan/kernel.h"

/// What the files of kernels/ use: functions of OpenCL C, compiled while planning (`prepare`) and launched by `run`.
namespace coracle::opencl {

/// A kernel function, compiled for one device with given definitions. Immutable, for any number of threads.
class Function;

/// Compiles the function `name` of kernels/`source`.cl ("conv2d") with definitions as a compiler takes them ("-DK=3
/// -DHALF"). What is in use by anybody, or kept on disk, is not compiled again. Throws Error, with what the compiler
/// says.
std::shared_ptr<const Function> compile(OpenDevice& device, std::string_view source, std::string_view name,
                                        std::string_view definitions = {});

/// The same for a source of any text, which `source` names in messages.
std::shared_ptr<const Function> compile(OpenDevice& device, const Source& source, std::string_view name,
                                        std::string_view definitions = {});

/// How many work items, and in which groups. Kernels return at once where an id is beyond what they have to do: each
/// `global` is rounded up to a multiple of its `local`. With local[0] == 0 the groups are chosen here, the same for
/// every global size of one number of dimensions.
struct Grid {
  size_t global[3] = {1, 1, 1};
  size_t local[3] = {0, 1, 1};
};

/// What a kernel function is called with.
class Argument {
 public:
  /// Two arguments of the function: `GLOBAL T* p, offset_t p_begin`, the begin counted in elements of the tensor's
  /// type.
  // NOLINTNEXTLINE(google-explicit-constructor): lists of arguments are to be read as calls
  Argument(const TensorView& tensor);
  /// The same for other memory of the device, a multiple of `element` bytes into its block. No block at all: null.
  Argument(DeviceBytes bytes, size_t element);
  // NOLINTNEXTLINE(google-explicit-constructor)
  Argument(int32_t value);
  // NOLINTNEXTLINE(google-explicit-constructor)
  Argument(int64_t value);
  // NOLINTNEXTLINE(google-explicit-constructor)
  Argument(float value);

 private:
  friend class ArgumentWriter;
  enum class Kind : uint8_t { kMemory, kInt, kLong, kFloat };

  Kind kind_ = Kind::kInt;
  void* allocation_ = nullptr;
  union {
    uint64_t begin_ = 0;  // in elements
    int32_t int_;
    int64_t long_;
    float float_;
  };
};

/// Gives the work to the call's queue. What goes wrong is kept by the queue and told by its `wait` and `finish`.
void launch(KernelCall& call, const Function& function, const Grid& grid, std::span<const Argument> arguments) noexcept;
inline void launch(KernelCall& call, const Function& function, const Grid& grid,
                   std::initializer_list<Argument> arguments) noexcept {
  launch(call, function, grid, std::span<const Argument>(arguments.begin(), arguments.size()));
}

}  // namespace coracle::opencl
