// SPDX-License-Identifier: Apache-2.0
// Tensors from and to other libraries by DLPack.
#include "api/dlpack.h"

#include <array>
#include <optional>
#include <utility>

#include "api/given_type.h"
#include "api/guard.h"
#include "api/shared_tensor.h"
#include "run/open_device.h"

namespace coracle::internal {
namespace {

using namespace dlpack;  // NOLINT(google-build-using-namespace): names as DLPack has them

constexpr std::array<std::pair<DType, DLDataTypeCode>, 14> kCodes = {{{DType::kBool, kDLBool},
                                                                      {DType::kInt8, kDLInt},
                                                                      {DType::kUint8, kDLUInt},
                                                                      {DType::kInt16, kDLInt},
                                                                      {DType::kInt32, kDLInt},
                                                                      {DType::kInt64, kDLInt},
                                                                      {DType::kFloat16, kDLFloat},
                                                                      {DType::kBfloat16, kDLBfloat},
                                                                      {DType::kFloat32, kDLFloat},
                                                                      {DType::kFloat64, kDLFloat},
                                                                      {DType::kComplex64, kDLComplex},
                                                                      {DType::kComplex128, kDLComplex},
                                                                      {DType::kFloat8E4m3, kDLFloat8_e4m3fn},
                                                                      {DType::kFloat8E5m2, kDLFloat8_e5m2}}};

DLDataType dlpack_type(DType dtype) {
  for (const auto& [own, code] : kCodes) {
    if (own == dtype) return {code, static_cast<uint8_t>(8 * size_of(dtype)), 1};
  }
  fail(ErrorCode::kUnsupported, "DLPack has no element type ", dtype);
}

DType own_type(const DLDataType& type) {
  for (const auto& [own, code] : kCodes) {
    if (code == type.code && 8 * size_of(own) == type.bits && type.lanes == 1) return own;
  }
  fail(ErrorCode::kInvalidArgument, "the tensor has elements of DLPack's type code ", int{type.code}, " with ",
       int{type.bits}, " bits in ", int{type.lanes}, " lanes, which models do not take");
}

std::shared_ptr<OpenDevice> device_of(const DLDevice& device) {
  const bool is_on_host = device.device_type == kDLCPU || device.device_type == kDLCUDAHost;
  require(!is_on_host, ErrorCode::kInvalidArgument,
          "the tensor is in memory of the host: set the input by coracle_session_set_input or borrow_input");
  require(device.device_type == kDLCUDA || device.device_type == kDLCUDAManaged, ErrorCode::kUnsupported,
          "the tensor is on a device of DLPack's type ", device.device_type, ", expected CUDA's, ", int{kDLCUDA});
  return open_numbered_device("cuda", device.device_id);
}

Fact type_of(const DLTensor& tensor) {
  Fact type = given_type("the tensor", number_of(own_type(tensor.dtype)), tensor.ndim, tensor.shape);
  if (tensor.strides == nullptr || type.bytes() == 0) return type;
  int64_t expected = 1;
  for (int i = type.shape.rank() - 1; i >= 0; --i) {
    require(tensor.shape[i] == 1 || tensor.strides[i] == expected, ErrorCode::kInvalidArgument, "the tensor ", type,
            " has stride ", tensor.strides[i], " in dimension ", i, ", expected ", expected,
            ": elements in row-major order without gaps; give a contiguous copy");
    expected *= tensor.shape[i];
  }
  return type;
}

template <class Managed>
std::unique_ptr<coracle_device_tensor> taken(Managed* managed, void* stream) {
  const DLTensor& given = managed->dl_tensor;
  const Fact type = type_of(given);
  const coracle_release_function release = [](void* user) {
    auto* const self = static_cast<Managed*>(user);
    if (self->deleter != nullptr) self->deleter(self);
  };
  void* const data = given.data == nullptr ? nullptr : static_cast<char*>(given.data) + given.byte_offset;
  return wrapped(device_of(given.device), type, data, stream, release, managed);
}

/// What an exported tensor is in, and all that it points to.
template <class Managed>
struct Exported {
  Tensor tensor;
  std::array<int64_t, Shape::kMaxRank> shape{};
  std::array<int64_t, Shape::kMaxRank> strides{};
  Managed managed{};
};

template <class Managed>
Managed* exported(const coracle_device_tensor& given, void* stream) {
  auto made = std::make_unique<Exported<Managed>>();
  made->tensor = given.tensor;
  DLTensor& to = made->managed.dl_tensor;
  to.dtype = dlpack_type(given.tensor.dtype());
  to.device = {kDLCUDA, given_out(given, stream).number()};
  // A session's stream goes on after its runs.
  const UserMemory* const memory = UserMemory::of(given.tensor);
  if (memory != nullptr && (stream == nullptr || stream != given.stream)) {
    for (const auto& point : memory->points()) point->wait();
  }
  to.data = given.tensor.storage()->memory();
  to.ndim = given.tensor.shape().rank();
  int64_t stride = 1;
  for (auto i = static_cast<size_t>(to.ndim); i-- > 0;) {
    made->shape[i] = given.tensor.shape()[static_cast<int>(i)];
    made->strides[i] = stride;
    stride *= made->shape[i];
  }
  to.shape = made->shape.data();
  to.strides = made->strides.data();
  made->managed.manager_ctx = made.get();
  made->managed.deleter = [](Managed* self) { delete static_cast<Exported<Managed>*>(self->manager_ctx); };
  return &made.release()->managed;
}

}  // namespace
}  // namespace coracle::internal

using coracle::internal::guard;
using coracle::internal::require_pointer;
namespace dlpack = coracle::internal::dlpack;

extern "C" {

coracle_status coracle_device_tensor_from_dlpack(void* managed, int32_t versioned, void* stream,
                                                 coracle_device_tensor** tensor) {
  return guard([&] {
    require_pointer(managed, "managed");
    require_pointer(tensor, "tensor");
    if (versioned == 0) {
      *tensor = coracle::internal::taken(static_cast<dlpack::DLManagedTensor*>(managed), stream).release();
      return;
    }
    auto* const given = static_cast<dlpack::DLManagedTensorVersioned*>(managed);
    coracle::internal::require(given->version.major == dlpack::kVersion.major,
                               coracle::internal::ErrorCode::kUnsupported, "the tensor is given by DLPack ",
                               given->version.major, ".", given->version.minor, ", expected version 1");
    std::unique_ptr<coracle_device_tensor> taken = coracle::internal::taken(given, stream);
    taken->is_read_only = (given->flags & dlpack::DLPACK_FLAG_BITMASK_READ_ONLY) != 0;
    *tensor = taken.release();
  });
}

coracle_status coracle_device_tensor_to_dlpack(const coracle_device_tensor* tensor, int32_t versioned, void* stream,
                                               void** managed) {
  return guard([&] {
    require_pointer(tensor, "tensor");
    require_pointer(managed, "managed");
    if (versioned == 0) {
      *managed = coracle::internal::exported<dlpack::DLManagedTensor>(*tensor, stream);
      return;
    }
    auto* const made = coracle::internal::exported<dlpack::DLManagedTensorVersioned>(*tensor, stream);
    made->version = dlpack::kVersion;
    made->flags = tensor->is_read_only ? dlpack::DLPACK_FLAG_BITMASK_READ_ONLY : 0;
    *managed = made;
  });
}

}  // extern "C"
