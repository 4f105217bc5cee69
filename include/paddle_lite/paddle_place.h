// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Paddle Lite's places: where, in what precision and in what layout it computes. Coracle chooses these by itself, so a
/// Place is only kept and given back; what a Tensor says of itself is in these words, too.

#include <cstddef>
#include <cstdint>
#include <string>

#include "detail/lite_enum_names.h"
#include "detail/lite_enums.h"

/// Marks what programs use of these headers.
#if !defined(LITE_API)
#if defined(_WIN32)
#define LITE_API
#else
#define LITE_API __attribute__((visibility("default")))
#endif
#define LITE_API_IMPORT LITE_API
#endif

#define TARGET(item__) paddle::lite_api::TargetType::item__
#define PRECISION(item__) paddle::lite_api::PrecisionType::item__
#define DATALAYOUT(item__) paddle::lite_api::DataLayoutType::item__

namespace paddle {
namespace lite_api {

struct LITE_API Place {
  TargetType target = TargetType::kUnk;
  PrecisionType precision = PrecisionType::kUnk;
  DataLayoutType layout = DataLayoutType::kUnk;
  int16_t device = 0;

  Place() = default;
  Place(TargetType target_type,  // NOLINT(google-explicit-constructor): programs write {TARGET(kARM)}
        PrecisionType precision_type = PrecisionType::kFloat, DataLayoutType layout_type = DataLayoutType::kNCHW,
        int16_t device_id = 0)
      : target(target_type), precision(precision_type), layout(layout_type), device(device_id) {}

  bool is_valid() const {
    return target != TargetType::kUnk && precision != PrecisionType::kUnk && layout != DataLayoutType::kUnk;
  }
  size_t hash() const {
    size_t mixed = 0;
    for (int part : parts()) mixed = mixed * 31 + static_cast<size_t>(part);
    return mixed;
  }
  friend bool operator==(const Place& a, const Place& b) { return a.parts() == b.parts(); }
  friend bool operator!=(const Place& a, const Place& b) { return a.parts() != b.parts(); }
  friend bool operator<(const Place& a, const Place& b) { return a.parts() < b.parts(); }

  /// The numbers of target, precision and layout, "4/1/1", and a place of such numbers.
  std::string Serialize() const {
    return detail::text(static_cast<int>(target), "/", static_cast<int>(precision), "/", static_cast<int>(layout));
  }
  void Deserialize(const std::string& buffer) {
    std::istringstream in(buffer);
    int numbers[3] = {};
    char slashes[2] = {};
    in >> numbers[0] >> slashes[0] >> numbers[1] >> slashes[1] >> numbers[2];
    detail::require(!in.fail() && in.peek() == std::char_traits<char>::eof() && slashes[0] == '/' && slashes[1] == '/',
                    "Place::Deserialize takes three numbers, \"4/1/1\", given \"", buffer, "\"");
    target = static_cast<TargetType>(numbers[0]);
    precision = static_cast<PrecisionType>(numbers[1]);
    layout = static_cast<DataLayoutType>(numbers[2]);
  }
  /// "arm/float/NCHW"
  std::string DebugString() const {
    return TargetToStr(target) + "/" + PrecisionToStr(precision) + "/" + DataLayoutToStr(layout);
  }

 private:
  std::array<int, 4> parts() const {
    return {{static_cast<int>(target), static_cast<int>(precision), static_cast<int>(layout), device}};
  }
};

}  // namespace lite_api
}  // namespace paddle
