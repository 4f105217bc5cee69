// SPDX-License-Identifier: Apache-2.0
#include "devices/opencl/probe.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace coracle::internal::opencl {
namespace {

constexpr cl_int kNoPlatform = -1001;  // CL_PLATFORM_NOT_FOUND_KHR, of the loader

/// A text that a driver gives in two calls: its length, then itself.
template <class Get, class Object, class Name>
std::string text_of(Get get, Object object, Name name) {
  size_t size = 0;
  if (get(object, name, 0, nullptr, &size) != CL_SUCCESS) return {};
  std::string text(size, '\0');
  if (get(object, name, size, text.data(), nullptr) != CL_SUCCESS) return {};
  text.resize(std::min(text.find('\0'), size));
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

/// Zero where the driver does not know.
template <class T>
T value_of(const Api& api, cl_device_id device, cl_device_info name) {
  T value{};
  return api.clGetDeviceInfo(device, name, sizeof(T), &value, nullptr) == CL_SUCCESS ? value : T{};
}

/// 12 of "OpenCL 1.2 vendor's words".
int version_of(const std::string& text) {
  constexpr size_t kMajor = sizeof("OpenCL ") - 1;
  if (text.size() < kMajor + 3) return 0;
  return (text[kMajor] - '0') * 10 + (text[kMajor + 2] - '0');
}

/// Why a device cannot be used, null if it can.
const char* why_not(const Api& api, cl_device_id device, const std::string& version) {
  if (value_of<cl_bool>(api, device, CL_DEVICE_AVAILABLE) == CL_FALSE) return "is not available";
  if (value_of<cl_bool>(api, device, CL_DEVICE_COMPILER_AVAILABLE) == CL_FALSE) return "has no compiler";
  if (value_of<cl_bool>(api, device, CL_DEVICE_ENDIAN_LITTLE) == CL_FALSE) return "is big-endian";
  if (version_of(version) < 12) return "knows an OpenCL before 1.2";
  return nullptr;
}

DeviceInfo info_of(const Api& api, cl_device_id device, const std::string& platform, const std::string& driver) {
  DeviceInfo info;
  info.name = text_of(api.clGetDeviceInfo, device, CL_DEVICE_NAME);
  info.driver = text(platform, " ", driver);
  info.memory_bytes = value_of<cl_ulong>(api, device, CL_DEVICE_GLOBAL_MEM_SIZE);
  info.largest_allocation = value_of<cl_ulong>(api, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  info.alignment = std::max<size_t>(128, value_of<cl_uint>(api, device, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8);
  info.compute_units = static_cast<int>(value_of<cl_uint>(api, device, CL_DEVICE_MAX_COMPUTE_UNITS));
  const std::string extensions = text_of(api.clGetDeviceInfo, device, CL_DEVICE_EXTENSIONS);
  info.half = extensions.find("cl_khr_fp16") != std::string::npos;
  info.doubles = extensions.find("cl_khr_fp64") != std::string::npos;
  info.shares_memory = value_of<cl_bool>(api, device, CL_DEVICE_HOST_UNIFIED_MEMORY) != CL_FALSE;
  return info;
}

void add_devices(const Api& api, cl_platform_id platform, std::vector<std::pair<bool, FoundDevice>>& found,
                 std::string& refused) {
  cl_uint count = 0;
  if (api.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS || count == 0) return;
  std::vector<cl_device_id> ids(count);
  if (api.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr) != CL_SUCCESS) return;
  const std::string name = text_of(api.clGetPlatformInfo, platform, CL_PLATFORM_NAME);
  const std::string platform_version = text_of(api.clGetPlatformInfo, platform, CL_PLATFORM_VERSION);
  for (const cl_device_id id : ids) {
    const std::string version = text_of(api.clGetDeviceInfo, id, CL_DEVICE_VERSION);
    const std::string driver = text_of(api.clGetDeviceInfo, id, CL_DRIVER_VERSION);
    FoundDevice device{platform, id, info_of(api, id, name, driver), {}};
    if (const char* reason = why_not(api, id, version)) {
      refused.append(text(refused.empty() ? "" : "; ", device.info.name, " ", reason));
      continue;
    }
    device.identity = text(name, "\n", platform_version, "\n", device.info.name, "\n",
                           text_of(api.clGetDeviceInfo, id, CL_DEVICE_VENDOR), "\n", version, "\n", driver);
    const bool is_gpu = (value_of<cl_device_type>(api, id, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_GPU) != 0;
    found.emplace_back(is_gpu, std::move(device));
  }
}

}  // namespace

std::vector<FoundDevice> find_devices(std::string& missing) {
  const LoadedApi& loaded = loaded_api();
  if (loaded.api == nullptr) {
    missing = loaded.missing;
    return {};
  }
  const Api& api = *loaded.api;
  cl_uint count = 0;
  const cl_int code = api.clGetPlatformIDs(0, nullptr, &count);
  if (code != CL_SUCCESS || count == 0) {
    const bool none = code == CL_SUCCESS || code == kNoPlatform;
    missing = text("OpenCL has no driver", none ? "" : " (" + code_text(code) + ")",
                   ": install that of the device (Debian: intel-opencl-icd, mesa-opencl-icd, nvidia-opencl-icd; "
                   "pocl-opencl-icd for the processor)");
    return {};
  }
  std::vector<cl_platform_id> platforms(count);
  if (api.clGetPlatformIDs(count, platforms.data(), nullptr) != CL_SUCCESS) platforms.clear();
  std::vector<std::pair<bool, FoundDevice>> found;
  std::string refused;
  for (const cl_platform_id platform : platforms) add_devices(api, platform, found, refused);
  std::stable_partition(found.begin(), found.end(), [](const auto& device) { return device.first; });
  std::vector<FoundDevice> devices;
  for (auto& device : found) devices.push_back(std::move(device.second));
  if (devices.empty()) {
    missing = refused.empty() ? "OpenCL's drivers have no device: is it plugged in, and may this user open it (groups "
                                "render and video)?"
                              : "OpenCL's devices cannot be used: " + refused;
  }
  return devices;
}

Probe probe() {
  Probe result;
  for (FoundDevice& device : find_devices(result.missing)) result.devices.push_back(std::move(device.info));
  return result;
}

}  // namespace coracle::internal::opencl
