// SPDX-License-Identifier: Apache-2.0
#include "vision/unwarp.h"

#include <algorithm>

#include "vision/limits.h"

namespace coracle::vision {

Image flat_page(const Output& output, const Description& d) {
  const std::vector<std::int64_t>& dims = output.dims;
  if (dims.size() != 4 || dims[0] != 1 || dims[1] != 3 || output.size == 0) {
    throw Error(Problem::kDescription, (d.file.empty() ? std::string() : d.file + ": ") +
                                           "an output for unwarping is a picture, [1, 3, height, width]; the model "
                                           "gives " +
                                           std::to_string(dims.size()) + " dimensions with " +
                                           std::to_string(output.size) + " numbers");
  }
  check_size(dims[3], dims[2]);
  Image page(static_cast<int>(dims[3]), static_cast<int>(dims[2]));
  const std::size_t plane = page.bgr.size() / 3;
  for (std::size_t c = 0; c < 3; ++c) {
    const float* values = output.data + c * plane;
    for (std::size_t i = 0; i < plane; ++i) {
      const float value = values[i] * 255.0F;
      page.bgr[3 * i + c] = static_cast<std::uint8_t>(value > 0 ? std::min(value, 255.0F) : 0.0F);
    }
  }
  return page;
}

}  // namespace coracle::vision
