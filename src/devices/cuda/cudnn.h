// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "devices/cuda/driver.h"

/// The part of the graph interface of cuDNN 9 (libcudnn) that is used here, by its names. Its headers are not needed to
/// build.
namespace coracle::internal::cuda {

using cudnnStatus_t = int;
using cudnnHandle_t = struct cudnnContext*;
using cudnnBackendDescriptor_t = void*;

/// What cuDNN returns, as far as it is told apart here.
#define CORACLE_CUDNN_RESULTS(X)                                \
  X(CUDNN_STATUS_SUCCESS, 0)                                    \
  X(CUDNN_STATUS_NOT_INITIALIZED, 1001)                         \
  X(CUDNN_STATUS_BAD_PARAM, 2000)                               \
  X(CUDNN_STATUS_NOT_SUPPORTED, 3000)                           \
  X(CUDNN_STATUS_INTERNAL_ERROR, 4000)                          \
  X(CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED, 4003)   \
  X(CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED, 4004) \
  X(CUDNN_STATUS_EXECUTION_FAILED, 5000)

/// Other numbers of cuDNN.
#define CORACLE_CUDNN_NUMBERS(X)                                \
  X(CUDNN_DATA_FLOAT, 0)                                        \
  X(CUDNN_DATA_HALF, 2)                                         \
  X(CUDNN_CROSS_CORRELATION, 1)                                 \
  X(CUDNN_POINTWISE_ADD, 0)                                     \
  X(CUDNN_POINTWISE_RELU_FWD, 100)                              \
  X(CUDNN_HEUR_MODE_FALLBACK, 2)                                \
  X(CUDNN_HEUR_MODE_A, 3)                                       \
  X(CUDNN_NUMERICAL_NOTE_TENSOR_CORE, 0)                        \
  X(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS, 1)                \
  X(CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION, 2)        \
  X(CUDNN_NUMERICAL_NOTE_FFT, 3)                                \
  X(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC, 4)                   \
  X(CUDNN_NUMERICAL_NOTE_WINOGRAD, 5)                           \
  X(CUDNN_NUMERICAL_NOTE_STRICT_NAN_PROP, 9)                    \
  X(CUDNN_KNOB_TYPE_SPLIT_K, 0)                                 \
  X(CUDNN_KNOB_TYPE_TILE_SIZE, 2)                               \
  X(CUDNN_KNOB_TYPE_SPLIT_K_BUF, 12)                            \
  X(CUDNN_KNOB_TYPE_SPLIT_K_SLC, 17)                            \
  X(CUDNN_KNOB_TYPE_STREAM_K, 38)                               \
  X(CUDNN_KNOB_TYPE_SPLIT_P_SLC, 39)                            \
  X(CUDNN_TYPE_HANDLE, 0)                                       \
  X(CUDNN_TYPE_DATA_TYPE, 1)                                    \
  X(CUDNN_TYPE_BOOLEAN, 2)                                      \
  X(CUDNN_TYPE_INT64, 3)                                        \
  X(CUDNN_TYPE_FLOAT, 4)                                        \
  X(CUDNN_TYPE_VOID_PTR, 6)                                     \
  X(CUDNN_TYPE_CONVOLUTION_MODE, 7)                             \
  X(CUDNN_TYPE_HEUR_MODE, 8)                                    \
  X(CUDNN_TYPE_KNOB_TYPE, 9)                                    \
  X(CUDNN_TYPE_NUMERICAL_NOTE, 11)                              \
  X(CUDNN_TYPE_POINTWISE_MODE, 14)                              \
  X(CUDNN_TYPE_BACKEND_DESCRIPTOR, 15)                          \
  X(CUDNN_TYPE_CHAR, 24)                                        \
  X(CUDNN_BACKEND_POINTWISE_DESCRIPTOR, 0)                      \
  X(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR, 1)                    \
  X(CUDNN_BACKEND_ENGINE_DESCRIPTOR, 2)                         \
  X(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, 3)                      \
  X(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, 4)                     \
  X(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, 5)                 \
  X(CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR, 7)                    \
  X(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, 10) \
  X(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, 13)           \
  X(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, 15)                \
  X(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, 16)                  \
  X(CUDNN_BACKEND_TENSOR_DESCRIPTOR, 17)                        \
  X(CUDNN_ATTR_POINTWISE_MODE, 0)                               \
  X(CUDNN_ATTR_POINTWISE_MATH_PREC, 1)                          \
  X(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, 100)                      \
  X(CUDNN_ATTR_CONVOLUTION_CONV_MODE, 101)                      \
  X(CUDNN_ATTR_CONVOLUTION_DILATIONS, 102)                      \
  X(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, 103)                 \
  X(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, 104)                  \
  X(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, 105)                   \
  X(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, 106)                   \
  X(CUDNN_ATTR_ENGINEHEUR_MODE, 200)                            \
  X(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, 201)                 \
  X(CUDNN_ATTR_ENGINEHEUR_RESULTS, 202)                         \
  X(CUDNN_ATTR_ENGINECFG_ENGINE, 300)                           \
  X(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, 302)                     \
  X(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, 400)                      \
  X(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, 401)               \
  X(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, 402)              \
  X(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, 600)                      \
  X(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, 601)                     \
  X(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, 700)        \
  X(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, 701)         \
  X(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, 702)    \
  X(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, 703)            \
  X(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, 704)            \
  X(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, 705)            \
  X(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, 750)          \
  X(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, 751)                  \
  X(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, 752)                  \
  X(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, 753)                  \
  X(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, 800)                      \
  X(CUDNN_ATTR_OPERATIONGRAPH_OPS, 801)                         \
  X(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, 900)                      \
  X(CUDNN_ATTR_TENSOR_DATA_TYPE, 901)                           \
  X(CUDNN_ATTR_TENSOR_DIMENSIONS, 902)                          \
  X(CUDNN_ATTR_TENSOR_STRIDES, 903)                             \
  X(CUDNN_ATTR_TENSOR_UNIQUE_ID, 906)                           \
  X(CUDNN_ATTR_TENSOR_IS_VIRTUAL, 907)                          \
  X(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, 1000)                   \
  X(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, 1001)                \
  X(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, 1003)                    \
  X(CUDNN_ATTR_ENGINE_OPERATION_GRAPH, 1300)                    \
  X(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, 1301)                       \
  X(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, 1303)

/// Numbers of cuDNN 9.8 and later: a device that is not there, for tests.
#define CORACLE_CUDNN_DEVICE_NUMBERS(X)        \
  X(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, 38)   \
  X(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, 204)     \
  X(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, 407) \
  X(CUDNN_ATTR_ENGINE_DEVICEPROP, 1307)        \
  X(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, 2702)

#define CORACLE_CUDNN_CONSTANT(name, value) inline constexpr int name = value;
CORACLE_CUDNN_RESULTS(CORACLE_CUDNN_CONSTANT)
CORACLE_CUDNN_NUMBERS(CORACLE_CUDNN_CONSTANT)
CORACLE_CUDNN_DEVICE_NUMBERS(CORACLE_CUDNN_CONSTANT)
#undef CORACLE_CUDNN_CONSTANT

/// Functions of cuDNN by the names that it exports: X(result, name, parameters...). Enumerations are passed as int.
#define CORACLE_CUDNN_FUNCTIONS(X)                                                                                    \
  X(size_t, cudnnGetVersion, )                                                                                        \
  X(size_t, cudnnGetCudartVersion, )                                                                                  \
  X(const char*, cudnnGetErrorString, cudnnStatus_t status)                                                           \
  X(cudnnStatus_t, cudnnCreate, cudnnHandle_t* handle)                                                                \
  X(cudnnStatus_t, cudnnDestroy, cudnnHandle_t handle)                                                                \
  X(cudnnStatus_t, cudnnSetStream, cudnnHandle_t handle, CUstream stream)                                             \
  X(cudnnStatus_t, cudnnBackendCreateDescriptor, int type, cudnnBackendDescriptor_t* descriptor)                      \
  X(cudnnStatus_t, cudnnBackendDestroyDescriptor, cudnnBackendDescriptor_t descriptor)                                \
  X(cudnnStatus_t, cudnnBackendFinalize, cudnnBackendDescriptor_t descriptor)                                         \
  X(cudnnStatus_t, cudnnBackendSetAttribute, cudnnBackendDescriptor_t descriptor, int name, int type, int64_t count,  \
    const void* values)                                                                                               \
  X(cudnnStatus_t, cudnnBackendGetAttribute, cudnnBackendDescriptor_t descriptor, int name, int type, int64_t wanted, \
    int64_t* count, void* values)                                                                                     \
  X(cudnnStatus_t, cudnnBackendExecute, cudnnHandle_t handle, cudnnBackendDescriptor_t plan,                          \
    cudnnBackendDescriptor_t tensors)

// NOLINTNEXTLINE(bugprone-macro-parentheses): a name that is declared has none
#define CORACLE_CUDNN_MEMBER(result, name, ...) result (*name)(__VA_ARGS__) = nullptr;
struct ConvolutionsApi {
  CORACLE_CUDNN_FUNCTIONS(CORACLE_CUDNN_MEMBER)
};
#undef CORACLE_CUDNN_MEMBER

}  // namespace coracle::internal::cuda
