// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "blocks/choice.h"

namespace coracle::internal {

/// An engine that is a library by which kernels of a device compute: who names it gets that device, and no nodes are
/// cut out for it.
struct DeviceEngine {
  std::string_view name;     ///< "cudnn", as people write it and as the device knows the library
  std::string_view device;   ///< a kind of device
  std::string_view library;  ///< for people

  /// Why it cannot be used on a device of that kind ("cuda:1"), and what to do; empty if it can.
  std::string missing(std::string_view on) const;
  /// "cuDNN 9.1.0, by the device cuda"
  std::string version() const;
};

/// That of a name without its device; null where it is none.
const DeviceEngine* find_device_engine(std::string_view name);

/// The device that a model uses (ModelOptions::device) with such engines among those chosen. Throws Error where one of
/// them is missing, or runs elsewhere than the device that the user has chosen; an optional one then stands among them
/// with the reason.
std::string device_for_engines(std::string device, EngineChoice& choice);

}  // namespace coracle::internal
