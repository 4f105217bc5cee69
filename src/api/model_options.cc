// SPDX-License-Identifier: Apache-2.0
#include "api/model_options.h"

#include <algorithm>

#include "base/counted.h"
#include "base/error.h"
#include "base/printable.h"
#include "plan/device.h"

namespace coracle::internal {

std::vector<std::string> split(const char* list) {
  std::vector<std::string> parts;
  if (list == nullptr) return parts;
  std::string_view rest = list;
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    if (comma != 0) parts.emplace_back(rest.substr(0, comma));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  return parts;
}

CapabilityLevel capability_of(std::string_view isa) {
  const Capabilities& all = *host_device().capabilities;
  const std::span<const std::string_view> names = all.names();
  const CapabilityLevel found(static_cast<uint8_t>(std::find(names.begin(), names.end(), isa) - names.begin()));
  require(found.value() < names.size() && all.has(found), ErrorCode::kInvalidArgument, "the instruction set '", isa,
          "' is not available on this machine, which has ", names[all.best().value()], " and narrower ones");
  return found;
}

void require_kernels() {
  require(host_device().capabilities->best() != CapabilityLevel(), ErrorCode::kUnsupported,
          "this library was built without kernels for this machine's instruction sets; build it with the "
          "default CORACLE_ISAS");
}

FileBytes borrowed_bytes(const void* data, size_t size, std::string name) {
  require(size <= PTRDIFF_MAX && (data != nullptr || size == 0), ErrorCode::kIo, in_quotes(name), " has ",
          counted(size, "byte"), " and ",
          data == nullptr ? "a null address" : "an address at which so many bytes cannot lie");
  return {.name = std::move(name), .owner = nullptr, .bytes = {static_cast<const uint8_t*>(data), size}};
}

}  // namespace coracle::internal
