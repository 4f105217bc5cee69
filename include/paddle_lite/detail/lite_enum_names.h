// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <set>
#include <string>

#include "lite_enums.h"

namespace paddle {
namespace detail {

/// The name with that number; throws if there is none.
template <class Enum, size_t N>
const std::string& enum_name(const std::array<std::string, N>& names, Enum value, const char* type) {
  const int number = static_cast<int>(value);
  require(number >= 0 && static_cast<size_t>(number) < N, type, " has the numbers 0 to ", N - 1, ", given ", number);
  return names[static_cast<size_t>(number)];
}

/// All of an enumeration for `kAny`, else the one given.
template <class Enum>
std::set<Enum> expand_any(Enum given, const std::set<Enum>& all) {
  return given == Enum::kAny ? all : std::set<Enum>{given};
}

}  // namespace detail

namespace lite_api {

inline const std::string& TargetToStr(TargetType target) {
  static const std::array<std::string, 19> names{{"unk", "host", "x86", "cuda", "arm", "opencl", "any", "fpga", "npu",
                                                  "xpu", "bm", "mlu", "rknpu", "apu", "huawei_ascend_npu",
                                                  "imagination_nna", "intel_fpga", "metal", "nnadapter"}};
  return detail::enum_name(names, target, "TargetType");
}
inline const std::string& TargetRepr(TargetType target) {
  static const std::array<std::string, 19> names{{"kUnk", "kHost", "kX86", "kCUDA", "kARM", "kOpenCL", "kAny", "kFPGA",
                                                  "kNPU", "kXPU", "kBM", "kMLU", "kRKNPU", "kAPU", "kHuaweiAscendNPU",
                                                  "kImaginationNNA", "kIntelFPGA", "kMetal", "kNNAdapter"}};
  return detail::enum_name(names, target, "TargetType");
}
inline const std::string& PrecisionToStr(PrecisionType precision) {
  static const std::array<std::string, 11> names{
      {"unk", "float", "int8_t", "int32_t", "any", "float16", "bool", "int64_t", "int16_t", "uint8_t", "double"}};
  return detail::enum_name(names, precision, "PrecisionType");
}
inline const std::string& PrecisionRepr(PrecisionType precision) {
  static const std::array<std::string, 11> names{
      {"kUnk", "kFloat", "kInt8", "kInt32", "kAny", "kFP16", "kBool", "kInt64", "kInt16", "kUInt8", "kFP64"}};
  return detail::enum_name(names, precision, "PrecisionType");
}
inline const std::string& DataLayoutToStr(DataLayoutType layout) {
  static const std::array<std::string, 9> names{{"unk", "NCHW", "any", "NHWC", "ImageDefault", "ImageFolder", "ImageNW",
                                                 "MetalTexture2DArray", "MetalTexture2D"}};
  return detail::enum_name(names, layout, "DataLayoutType");
}
inline const std::string& DataLayoutRepr(DataLayoutType layout) {
  static const std::array<std::string, 9> names{{"kUnk", "kNCHW", "kAny", "kNHWC", "kImageDefault", "kImageFolder",
                                                 "kImageNW", "kMetalTexture2DArray", "kMetalTexture2D"}};
  return detail::enum_name(names, layout, "DataLayoutType");
}
inline const std::string& ActivationTypeToStr(ActivationType act) {
  static const std::array<std::string, 25> names{{"unk",
                                                  "Relu",
                                                  "Relu6",
                                                  "PRelu",
                                                  "LeakyRelu",
                                                  "Sigmoid",
                                                  "Tanh",
                                                  "Swish",
                                                  "Exp",
                                                  "Abs",
                                                  "HardSwish",
                                                  "Reciprocal",
                                                  "ThresholdedRelu",
                                                  "Elu",
                                                  "HardSigmoid",
                                                  "log",
                                                  "Sigmoid_v2",
                                                  "Tanh_v2",
                                                  "Gelu",
                                                  "Erf",
                                                  "Sign",
                                                  "SoftPlus",
                                                  "Mish",
                                                  "Silu",
                                                  "Log1p"}};
  return detail::enum_name(names, act, "ActivationType");
}
inline const std::string& CLTuneModeToStr(CLTuneMode mode) {
  static const std::array<std::string, 4> names{
      {"CL_TUNE_NONE", "CL_TUNE_RAPID", "CL_TUNE_NORMAL", "CL_TUNE_EXHAUSTIVE"}};
  return detail::enum_name(names, mode, "CLTuneMode");
}
inline const std::string& CLPrecisionTypeToStr(CLPrecisionType type) {
  static const std::array<std::string, 3> names{{"CL_PRECISION_AUTO", "CL_PRECISION_FP32", "CL_PRECISION_FP16"}};
  return detail::enum_name(names, type, "CLPrecisionType");
}

/// All targets that are one.
inline std::set<TargetType> ExpandValidTargets(TargetType target = TargetType::kAny) {
  std::set<TargetType> all;
  for (int i = 1; i < static_cast<int>(TargetType::NUM); ++i) {
    if (i != static_cast<int>(TargetType::kAny)) all.insert(static_cast<TargetType>(i));
  }
  return detail::expand_any(target, all);
}
/// Those that Paddle Lite has kernels for, and kAny.
inline std::set<PrecisionType> ExpandValidPrecisions(PrecisionType precision = PrecisionType::kAny) {
  return detail::expand_any(precision,
                            {PrecisionType::kFloat, PrecisionType::kInt8, PrecisionType::kFP16, PrecisionType::kAny});
}
/// All layouts, kAny too.
inline std::set<DataLayoutType> ExpandValidLayouts(DataLayoutType layout = DataLayoutType::kAny) {
  std::set<DataLayoutType> all;
  for (int i = 1; i < static_cast<int>(DataLayoutType::NUM); ++i) all.insert(static_cast<DataLayoutType>(i));
  return detail::expand_any(layout, all);
}

}  // namespace lite_api
}  // namespace paddle
