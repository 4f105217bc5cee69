// SPDX-License-Identifier: Apache-2.0
#include "blocks/device_engine.h"

#include <algorithm>

#include "base/error.h"
#include "base/log.h"
#include "base/printable.h"
#include "plan/device.h"
#include "run/open_device.h"

namespace coracle::internal {
namespace {

constexpr DeviceEngine kDeviceEngines[] = {{.name = "cudnn", .device = "cuda", .library = "cuDNN"}};

/// The library as the device has it; an empty version where this build has no such device.
DeviceLibrary library_of(const DeviceEngine& engine) {
  for (const Device* device : all_devices()) {
    if (device->name == engine.device && device->library != nullptr) return device->library(engine.name);
  }
  return {.version = {}, .missing = text("this build has no device ", engine.device)};
}

/// Why the engine is not to be had with that device of the user's; empty where it is.
std::string reason_against(const DeviceEngine& engine, const UsedEngine& used, std::string_view device) {
  if (device.ends_with('?')) device.remove_suffix(1);
  const std::string& number = used.options.device;
  const std::string on = number.empty() ? std::string(engine.device) : text(engine.device, ":", number);
  if (device.empty()) return engine.missing(on);
  if (kind_of(device) != engine.device) {
    return text("it runs on the device ", engine.device, ", and the option device says ", in_quotes(device),
                ": leave one of the two out");
  }
  const std::string_view given = device == engine.device ? "0" : device.substr(engine.device.size() + 1);
  if (!number.empty() && given != number) {
    return text("it is to run on ", on, ", and the option device says ", in_quotes(device),
                ": leave one of the two out");
  }
  return engine.missing(device);
}

}  // namespace

std::string DeviceEngine::missing(std::string_view on) const {
  std::string reason;
  try {
    reason = missing_device(on);
  } catch (const Error& e) {
    reason = e.text();
  }
  return reason.empty() ? library_of(*this).missing : reason;
}

std::string DeviceEngine::version() const {
  return text(library, " ", library_of(*this).version, ", by the device ", device);
}

const DeviceEngine* find_device_engine(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kDeviceEngines), std::end(kDeviceEngines),
                                         [&](const DeviceEngine& e) { return e.name == name; });
  return found == std::end(kDeviceEngines) ? nullptr : found;
}

std::string device_for_engines(std::string device, EngineChoice& choice) {
  for (UsedEngine& used : choice.engines) {
    const DeviceEngine* const engine = used.by_device;
    if (engine == nullptr) continue;
    used.missing = used.automatic ? reason_against(*engine, used, device)
                                  : "it takes no single operators: name it among the engines";
    if (used.missing.empty()) {
      if (!device.empty()) continue;
      device = engine->device;
      if (!used.options.device.empty()) device.append(":").append(used.options.device);
      continue;
    }
    require(used.is_optional || !used.automatic, ErrorCode::kUnsupported, "the engine ", in_quotes(used.name),
            " cannot be used: ", used.missing);
    log(LogLevel::kInfo, "the engine ", in_quotes(used.name), " is not used: ", used.missing);
  }
  return device;
}

}  // namespace coracle::internal
