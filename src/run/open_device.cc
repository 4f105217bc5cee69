// SPDX-License-Identifier: Apache-2.0
#include "run/open_device.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>

#include "base/log.h"
#include "base/printable.h"
#include "base/process.h"

namespace coracle::internal {
namespace {

/// "there are: cpu, opencl:0 (NVIDIA H100), opencl:1 (...)"
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

struct NamedDevice {
  const Device* device = nullptr;  ///< null: the host
  int index = 0;
};

/// Throws Error for what is no name of a device of this build.
NamedDevice named_device(std::string_view name) {
  if (name.empty() || name == "cpu") return {};
  const size_t colon = std::min(name.find(':'), name.size());
  const std::string_view kind = name.substr(0, colon);
  const std::string_view number = name.substr(std::min(colon + 1, name.size()));
  NamedDevice named;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), named.index);
  const bool is_number = colon == name.size() || (error == std::errc() && end == number.data() + number.size());
  const std::span<const Device* const> devices = all_devices();
  const auto device =
      std::find_if(devices.begin(), devices.end(), [&](const Device* d) { return !d->is_host() && d->name == kind; });
  if (device == devices.end() || !is_number || named.index < 0) {
    fail(ErrorCode::kInvalidArgument, "there is no device ", in_quotes(name), ": ", what_is_there());
  }
  named.device = *device;
  return named;
}

/// What this build lacks, where a name is of a kind that other builds have; else empty.
std::string left_out(std::string_view name) {
  const std::string_view kind = name.substr(0, name.find(':'));
  const std::span<const Device* const> devices = all_devices();
  const bool is_here = std::any_of(devices.begin(), devices.end(), [&](const Device* d) { return d->name == kind; });
  return is_here || (kind != "cuda" && kind != "opencl") ? "" : text("this build has no ", kind);
}

[[noreturn]] void fail_unusable(std::string_view name, const Probe& probe) {
  fail(ErrorCode::kUnsupported, "there is no device ", in_quotes(name), " on this machine: ", probe.missing, "; ",
       what_is_there());
}

/// Throws Error where the kind is there and the device is not, or cannot be used.
Probe checked_probe(std::string_view name, const NamedDevice& named) {
  Probe probe = named.device->probe();
  if (probe.devices.empty() && probe.unusable) fail_unusable(name, probe);
  if (!probe.devices.empty() && static_cast<size_t>(named.index) >= probe.devices.size()) {
    fail(ErrorCode::kInvalidArgument, "there is no device ", in_quotes(name), ": ", what_is_there());
  }
  return probe;
}

/// The devices in use by name; a name is one device as long as the process lives.
class DevicesInUse {
 public:
  std::shared_ptr<OpenDevice> find(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto it = devices_.find(name);
    std::shared_ptr<OpenDevice> device = it == devices_.end() ? nullptr : it->second.lock();
    return device == nullptr || device->lost() ? nullptr : device;
  }
  void keep(const std::string& name, const std::shared_ptr<OpenDevice>& device) {
    const std::lock_guard lock(mutex_);
    devices_[name] = device;
  }
  static DevicesInUse& get() {
    static DevicesInUse& all = *new DevicesInUse;
    return all;
  }

 private:
  ProcessMutex mutex_;
  std::map<std::string, std::weak_ptr<OpenDevice>> devices_;
};

}  // namespace

std::shared_ptr<OpenDevice> open_device(const std::string& name) {
  if (std::shared_ptr<OpenDevice> device = DevicesInUse::get().find(name)) return device;
  const std::vector<UsedDevice> devices = open_devices(name);
  require(!devices.empty(), ErrorCode::kInvalidArgument, in_quotes(name),
          " is the host, expected a device: ", what_is_there());
  DevicesInUse::get().keep(name, devices.front().open);
  return devices.front().open;
}

std::shared_ptr<OpenDevice> open_numbered_device(std::string_view kind, int number) {
  for (const Device* device : all_devices()) {
    if (device->name != kind || device->index_of == nullptr) continue;
    const int index = device->index_of(number);
    require(index >= 0, ErrorCode::kInvalidArgument, "the device that ", kind, " numbers ", number,
            " is not used here, ", what_is_there());
    return open_device(text(kind, ":", index));
  }
  fail(ErrorCode::kUnsupported, "this build has no ", kind);
}

std::vector<UsedDevice> open_devices(std::string_view name) {
  const bool may_be_missing = name.ends_with('?');
  if (may_be_missing) name.remove_suffix(1);
  if (const std::string why = may_be_missing ? left_out(name) : ""; !why.empty()) {
    log(LogLevel::kWarning, "there is no device ", in_quotes(name), ", the model runs on the processor: ", why);
    return {};
  }
  const NamedDevice named = named_device(name);
  if (named.device == nullptr) return {};
  const Probe probe = checked_probe(name, named);
  if (!probe.devices.empty()) return {{named.device, named.device->open(named.index)}};
  if (!may_be_missing) fail_unusable(name, probe);
  log(LogLevel::kWarning, "there is no device ", in_quotes(name), ", the model runs on the processor: ", probe.missing);
  return {};
}

std::string missing_device(std::string_view name) {
  if (name.ends_with('?')) {
    name.remove_suffix(1);
    if (std::string why = left_out(name); !why.empty()) return why;
  }
  const NamedDevice named = named_device(name);
  return named.device == nullptr ? "" : checked_probe(name, named).missing;
}

}  // namespace coracle::internal
