// SPDX-License-Identifier: Apache-2.0
// Results that stay on a device, and inputs that are there.
#include <utility>

#include "api/guard.h"
#include "api/handles.h"

using coracle::internal::guard;
using coracle::internal::require_pointer;

extern "C" {

coracle_status coracle_session_keep_output_on_device(coracle_session* session, size_t index) {
  return guard([&] {
    require_pointer(session, "session");
    session->session.keep_output_on_device(index);
  });
}

coracle_status coracle_session_output_on_device(const coracle_session* session, size_t index,
                                                coracle_device_tensor** tensor) {
  return guard([&] {
    require_pointer(session, "session");
    require_pointer(tensor, "tensor");
    coracle::internal::Tensor t = session->session.output(index);
    coracle::internal::require(!t.is_on_host(), coracle::internal::ErrorCode::kInvalidArgument, "output ", index,
                               " is on the host: see coracle_session_keep_output_on_device");
    *tensor = new coracle_device_tensor{.tensor = std::move(t), .stream = session->session.stream()};
  });
}

coracle_status coracle_session_set_input_on_device(coracle_session* session, size_t index,
                                                   const coracle_device_tensor* tensor) {
  return guard([&] {
    require_pointer(session, "session");
    require_pointer(tensor, "tensor");
    session->session.set_input(index, tensor->tensor);
  });
}

coracle_status coracle_device_tensor_view(const coracle_device_tensor* tensor, coracle_tensor_view* view) {
  return guard([&] {
    require_pointer(tensor, "tensor");
    coracle::internal::fill_view(tensor->tensor, view);
  });
}

coracle_status coracle_device_tensor_copy(const coracle_device_tensor* tensor, void* data, size_t bytes) {
  return guard([&] {
    require_pointer(tensor, "tensor");
    coracle::internal::copy_tensor(tensor->tensor, "the tensor", data, bytes);
  });
}

void coracle_device_tensor_free(coracle_device_tensor* tensor) { delete tensor; }

}  // extern "C"
