// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "graph/op.h"

namespace coracle::internal::test {

/// One node to run: operands in port order, with the number of them at each port.
struct KernelCase {
  Op op;
  std::vector<Tensor> in;
  PortCounts in_counts = {};  ///< empty: one each
  PortCounts out_counts = {1};
  double relative = 2e-6;                 ///< tolerated difference from the reference, times its magnitude ...
  double absolute = 1e-6;                 ///< ... plus this
  std::vector<std::string> kernels = {};  ///< families ("conv2d.depthwise") that must take it with each instruction set
  bool not_beside_byte_dots = false;      ///< they refuse it where products of bytes are faster (AVX-VNNI, AVX512-VNNI)
  bool computed_weights = false;          ///< weights are not constant while planning
  bool tiles = false;                     ///< kernels on matrix tiles must take it at each precision
};

/// Runs `c` on every kernel that takes it, in every layout the kernel allows and for every instruction set this
/// machine has, with 1 and 2 threads, cut for 3 and 16, and, where allowed, in place, and compares with the operator's
/// reference. All runs of a kernel must agree bit for bit. Operands that are arguments or weights are constant while
/// planning. Kernels on matrix tiles are emulated where the machine has none. What a kernel of one instruction set
/// takes, one of each other must take as well. Gives how many kernels and layouts took it, without the reference and
/// those on tiles; failures are reported to gtest. With CORACLE_TEST_SPECIAL=nan (or inf, -inf, a number) the case is
/// changed: its first operand of float32 that is data has that number here and there. Kernels of Winograd's algorithm,
/// which spreads it over their tiles, are then left out.
int check_on_every_kernel(const KernelCase& c);

/// The same; gives the names of the kernels that took it, without their instruction sets and without those on tiles:
/// {"conv2d.indirect", "conv2d.winograd_2x2"}.
std::set<std::string> kernels_that_take(const KernelCase& c);

/// Floats in [low, high), the same for each seed.
Tensor random_floats(const Shape& shape, double low = -2, double high = 2, unsigned seed = 1);
/// Integers in [low, high).
Tensor random_ints(const Shape& shape, int64_t low, int64_t high, DType dtype = DType::kInt64, unsigned seed = 1);
/// Numbers of any type from -9 to 9 (0 to 9, 0 to 1); of float32, every third is infinite, NaN or a zero of either sign
/// if `special`.
Tensor random_numbers(const Shape& shape, DType dtype, unsigned seed, bool special = false);
/// A 1-D int64 tensor.
Tensor int_list(std::vector<int64_t> values);

}  // namespace coracle::internal::test
