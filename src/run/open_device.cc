// SPDX-License-Identifier: Apache-2.0
#include "run/open_device.h"

#include <algorithm>
#include <charconv>

#include "base/printable.h"

namespace coracle::internal {
namespace {

/// "there are cpu, opencl:0 (NVIDIA H100), opencl:1 (...)"
std::string what_is_there() {
  std::string there = "there are: cpu";
  for (const Device* device : all_devices()) {
    if (device->is_host()) continue;
    const Probe probe = device->probe();
    for (size_t i = 0; i < probe.devices.size(); ++i) {
      there.append(text(", ", device->name, ":", i, " (", printable(probe.devices[i].name), ")"));
    }
    if (probe.devices.empty()) there.append(text("; no ", device->name, ": ", probe.missing));
  }
  return there;
}

}  // namespace

std::vector<UsedDevice> open_devices(std::string_view name) {
  if (name.empty() || name == "cpu") return {};
  const size_t colon = std::min(name.find(':'), name.size());
  const std::string_view kind = name.substr(0, colon);
  const std::string_view number = name.substr(std::min(colon + 1, name.size()));
  int index = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), index);
  const bool is_number = colon == name.size() || (error == std::errc() && end == number.data() + number.size());
  const std::span<const Device* const> devices = all_devices();
  const auto device =
      std::find_if(devices.begin(), devices.end(), [&](const Device* d) { return !d->is_host() && d->name == kind; });
  if (device == devices.end() || !is_number || index < 0) {
    fail(ErrorCode::kInvalidArgument, "there is no device ", in_quotes(name), ": ", what_is_there());
  }
  const Probe probe = (*device)->probe();
  if (probe.devices.empty()) {
    fail(ErrorCode::kUnsupported, "there is no device ", in_quotes(name), " on this machine: ", probe.missing, "; ",
         what_is_there());
  }
  if (static_cast<size_t>(index) >= probe.devices.size()) {
    fail(ErrorCode::kInvalidArgument, "there is no device ", in_quotes(name), ": ", what_is_there());
  }
  return {{*device, (*device)->open(index)}};
}

}  // namespace coracle::internal
