// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "client/image.h"
#include "fuzz/run_tensor.h"

// The last byte tells the input's type, size and resizing; any bytes before as a picture for it: results, or one of
// the kinds of errors.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace coracle::internal;
  constexpr size_t kMostBytes = 1024;  // which may be a picture of eight million pixels
  if (size == 0 || size > kMostBytes) return 0;
  const uint8_t wanted = data[size - 1];
  const coracle_dtype dtype = (wanted & 1U) != 0 ? CORACLE_UINT8 : CORACLE_FLOAT32;
  const int64_t side = (wanted & 2U) != 0 ? -1 : wanted / 4;
  coracle::client::ImageOptions options;
  options.resize = static_cast<coracle::client::Resize>(wanted / 4 % 4);
  try {
    const coracle::vision::Image picture = coracle::vision::decode_image(
        "fuzz", data, size - 1, {.on_white = (wanted & 64U) != 0, .whole = (wanted & 128U) != 0});
    test::run_with(coracle::client::image_input("fuzz", picture, dtype, {1, 3, side, side}, options));
  } catch (const coracle::vision::Error&) {
  } catch (const coracle::client::Error&) {
  } catch (const Error&) {
  }
  return 0;
}
