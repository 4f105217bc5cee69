// SPDX-License-Identifier: Apache-2.0
// Tensors on a device that others in the process work on, too, and their streams.
#include "api/shared_tensor.h"

#include <set>
#include <string>
#include <utility>

#include "api/given_type.h"
#include "api/guard.h"
#include "base/process.h"
#include "run/device_memory.h"
#include "run/open_device.h"

namespace coracle::internal {
namespace {

/// Stays as long as the process.
const char* kept_name(const std::string& name) {
  struct Names {
    ProcessMutex mutex;
    std::set<std::string> all;
  };
  static Names& names = *new Names;
  const std::lock_guard lock(names.mutex);
  return names.all.insert(name).first->c_str();
}

}  // namespace

std::unique_ptr<coracle_device_tensor> wrapped(std::shared_ptr<OpenDevice> device, const Fact& type, void* data,
                                               void* stream, coracle_release_function release, void* user) {
  shared(*device);
  const size_t bytes = type.bytes();
  const size_t element = size_of(type.dtype);
  if (bytes != 0) require_pointer(data, "data");
  require(bytes == 0 || reinterpret_cast<uintptr_t>(data) % element == 0, ErrorCode::kInvalidArgument, "the pointer ",
          data, " is not a multiple of ", element, ", the size of an element of ", type.dtype);
  auto lent = std::make_shared<Lent>(release, user);
  auto tensor = std::make_unique<coracle_device_tensor>();
  tensor->tensor =
      Tensor::on_device(type.dtype, type.shape, UserMemory::make(std::move(device), data, bytes, stream, lent));
  lent->take();
  return tensor;
}

SharedDevice& given_out(const coracle_device_tensor& tensor, void* stream) {
  // What its storage calls a device is the open one.
  auto* const device = static_cast<OpenDevice*>(const_cast<void*>(tensor.tensor.storage()->device()));
  SharedDevice& there = shared(*device);
  DeviceMemory::give_out(tensor.tensor, stream != nullptr && stream == tensor.stream);
  return there;
}

}  // namespace coracle::internal

using coracle::internal::guard;
using coracle::internal::require_pointer;

extern "C" {

coracle_status coracle_device_tensor_wrap(const char* device, coracle_dtype dtype, int32_t rank, const int64_t* dims,
                                          void* data, void* stream, coracle_release_function release, void* user,
                                          coracle_device_tensor** tensor) {
  return guard([&] {
    require_pointer(device, "device");
    require_pointer(tensor, "tensor");
    const coracle::internal::Fact type = coracle::internal::given_type("the tensor", dtype, rank, dims);
    *tensor =
        coracle::internal::wrapped(coracle::internal::open_device(device), type, data, stream, release, user).release();
  });
}

coracle_status coracle_device_tensor_address(const coracle_device_tensor* tensor, coracle_device_address* address) {
  return guard([&] {
    require_pointer(tensor, "tensor");
    require_pointer(address, "address");
    const coracle::internal::SharedDevice& device = coracle::internal::given_out(*tensor, tensor->stream);
    address->data = tensor->tensor.storage()->memory();
    address->device = coracle::internal::kept_name(device.name());
    address->number = device.number();
  });
}

coracle_status coracle_session_bind_output_on_device(coracle_session* session, size_t index,
                                                     const coracle_device_tensor* tensor) {
  return guard([&] {
    require_pointer(session, "session");
    require_pointer(tensor, "tensor");
    coracle::internal::require(!tensor->is_read_only, coracle::internal::ErrorCode::kInvalidArgument, "output ", index,
                               " cannot be bound to a tensor that is read-only");
    session->session.bind_output(index, tensor->tensor);
  });
}

coracle_status coracle_session_set_stream(coracle_session* session, void* stream) {
  return guard([&] {
    require_pointer(session, "session");
    session->session.set_stream(stream);
  });
}

}  // extern "C"
