// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// The part of DLPack that is used here, by its names and with its layout: versions 0.8 and 1.0 of the interface by
/// which libraries hand each other tensors in memory (https://dmlc.github.io/dlpack).
namespace coracle::internal::dlpack {

enum DLDeviceType : int32_t { kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3, kDLOpenCL = 4, kDLCUDAManaged = 13 };

struct DLDevice {
  int32_t device_type;
  int32_t device_id;
};

enum DLDataTypeCode : uint8_t {
  kDLInt = 0,
  kDLUInt = 1,
  kDLFloat = 2,
  kDLBfloat = 4,
  kDLComplex = 5,
  kDLBool = 6,
  kDLFloat8_e4m3fn = 10,
  kDLFloat8_e5m2 = 12
};

struct DLDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;  ///< in elements; may be null in what others give: row-major
  uint64_t byte_offset;
};

struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor* self);  ///< may be null
};

struct DLPackVersion {
  uint32_t major;
  uint32_t minor;
};

struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned* self);  ///< may be null
  uint64_t flags;
  DLTensor dl_tensor;
};

inline constexpr uint64_t DLPACK_FLAG_BITMASK_READ_ONLY = 1;
inline constexpr DLPackVersion kVersion = {1, 0};

static_assert(sizeof(void*) != 8 ||
              (sizeof(DLTensor) == 48 && sizeof(DLManagedTensor) == 64 && sizeof(DLManagedTensorVersioned) == 80));

}  // namespace coracle::internal::dlpack
