// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/float_constant.h"

#include "devices/cpu/isa/convert.h"

namespace coracle::internal::cpu {
namespace {

/// Elements that are worth a thread.
constexpr int64_t kConvertGrain = 1 << 15;

}  // namespace

FloatConstant::FloatConstant(const Tensor& constant, Isa isa, ThreadPool& pool, const RunContext& context)
    : floats_(constant) {
  if (constant.dtype() == DType::kFloat32) return;
  floats_ = Tensor::make(context, DType::kFloat32, constant.shape());
  auto* const to = floats_.data<float>();
  const ConvertFunctions& numbers = convert_table(isa);
  const auto* from = static_cast<const std::byte*>(constant.raw());
  const auto element = static_cast<int64_t>(size_of(constant.dtype()));
  const NumberType type = constant.dtype() == DType::kFloat16 ? NumberType::kFloat16 : NumberType::kBfloat16;
  pool.parallel_for(constant.count(), kConvertGrain, [&](int64_t begin, int64_t end) {
    numbers.convert(type, NumberType::kFloat32, from + begin * element, to + begin, static_cast<size_t>(end - begin));
  });
}

}  // namespace coracle::internal::cpu
