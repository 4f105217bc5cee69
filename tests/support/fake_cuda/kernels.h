// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CL/cl.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

/// Kernels of CUDA's dialect, run through OpenCL: what they are written in (kernels/prelude.cl) is both.
namespace coracle::internal::fake_cuda {

/// The first device of OpenCL that is a CPU. Opened once for each process.
struct HostDevice {
  cl_device_id id = nullptr;  ///< null: there is none
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;

  static const HostDevice& get();
};

/// What the stand-in for NVRTC makes of a program and the one for the driver loads.
struct Image {
  int architecture = 0;  ///< 80 of sm_80
  bool is_ptx = false;   ///< a driver translates it for later ones
  std::string options;   ///< OpenCL's
  std::string source;

  std::string packed() const;
  /// False: nothing that `packed` made. Images tell their own length.
  static bool unpack(const void* image, Image& to);
};

/// A program; null and what the compiler says where it does not compile.
cl_program build(const Image& image, std::string& log);

/// A kernel and how its arguments are passed.
class Kernel {
 public:
  /// Null where the program has none of that name.
  static std::unique_ptr<Kernel> make(cl_program program, const char* name);
  ~Kernel() { clReleaseKernel(kernel_); }
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  struct Parameter {
    bool is_memory = false;
    size_t bytes = 0;
  };
  std::span<const Parameter> parameters() const { return parameters_; }
  cl_kernel handle() const { return kernel_; }
  size_t shared_bytes() const { return shared_bytes_; }

 private:
  explicit Kernel(cl_kernel kernel) : kernel_(kernel) {}

  cl_kernel kernel_;
  std::vector<Parameter> parameters_;
  size_t shared_bytes_ = 0;
};

}  // namespace coracle::internal::fake_cuda
