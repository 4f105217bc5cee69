// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plan/kernel_selector.h"

namespace coracle::internal {

/// The devices that a program uses besides the host, as people name them: "opencl" for the first of that kind,
/// "opencl:1" for the second, "opencl:1?" for it where this machine has the kind at all (otherwise none, which is
/// logged as a warning); "cpu" or nothing for none. Throws Error, with what is missing and what is there.
std::vector<UsedDevice> open_devices(std::string_view name);

/// One device, which is not the host. Cheap while somebody uses it. Throws Error as above.
std::shared_ptr<OpenDevice> open_device(const std::string& name);
/// The same by its kind and SharedDevice::number.
std::shared_ptr<OpenDevice> open_numbered_device(std::string_view kind, int number);

/// Why this machine has no device of the kind of `name`; empty where it has that device. Throws Error as open_devices
/// does without the "?", but for a device that is opened.
std::string missing_device(std::string_view name);

}  // namespace coracle::internal
