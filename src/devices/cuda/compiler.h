// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Sources to code, by NVRTC (`loaded_compiler`). No device is needed.
namespace coracle::internal::cuda {

/// For an architecture (90 of sm_90), with definitions as OpenGpu::compile has them. Throws Error where the compiler
/// has no code for it.
std::vector<std::string> compiler_options(int architecture, std::string_view definitions);

struct Compiled {
  std::vector<uint8_t> image;  ///< what the driver loads: a cubin, or PTX with its zero at the end
  std::string log;             ///< what the compiler said
};
/// `name` is that of the source in messages. Throws Error, with what the compiler says.
Compiled compiled(std::string_view name, const std::string& source, const std::vector<std::string>& options);

}  // namespace coracle::internal::cuda
