// SPDX-License-Identifier: Apache-2.0
#include "quantize/activations.h"

#include <cmath>

namespace coracle::internal::quantize {

std::vector<double> Activation::means(int dimension) const {
  const auto found = sums.find(dimension);
  if (found == sums.end() || !(numbers.at(dimension) > 0)) return {};
  std::vector<double> means = found->second;
  for (double& m : means) m /= numbers.at(dimension);
  return means;
}

}  // namespace coracle::internal::quantize
