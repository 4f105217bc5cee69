// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "quantize/parameters.h"
#include "quantize/program.h"

namespace coracle::internal::quantize {

/// The parameter that four bits are unpacked with: what the low and the high half of each byte stand for.
inline constexpr const char* kHalvesOfBytes = "quantization.halves_of_bytes";

/// New operators and parameters of a program, in the form that Paddle runs: in ProgramDesc quantize_linear and
/// dequantize_linear; in PIR, where Paddle 3.3.1 leaves out the first and computes the second as if it were the first,
/// fake_quantize_dequantize_moving_average_abs_max for operands, and a cast and a product with steps for weights.
/// Four bits are unpacked in both formats by a table that has two numbers for each byte.
class Insertions {
 public:
  /// Both must outlive it.
  Insertions(Program& program, ParameterMap& parameters);

  /// The variable of `x` rounded to integers of -128 to 127 steps of range / 127, ties to even.
  std::string rounded(const std::string& x, double range, size_t before);
  /// The variable of `x` with each element of dimension `channels`, -1 the last, divided by its factor.
  std::string divided(const std::string& x, int channels, const std::vector<float>& factors, size_t before);
  /// The variable of the parameter `name`, which becomes int8 of that content, times range / 127 for each element of
  /// dimension `axis`.
  std::string from_integers(const std::string& name, const std::string& integers, const std::vector<float>& ranges,
                            int axis, size_t before);
  /// The variable of the matrix `name`, which becomes bytes of two elements of four bits, less 8 and times steps of
  /// groups of so many elements along its dimension that is not `axis`.
  std::string from_halves_of_bytes(const std::string& name, const std::string& bytes, const std::vector<float>& steps,
                                   int64_t group, int axis, size_t before);
  /// The variable of the parameter `name`, which becomes float16, as float32.
  std::string from_half(const std::string& name, const std::string& halves, size_t before);
  /// A new parameter; its name.
  std::string parameter(const std::string& wanted, Parameter value);
  std::string fresh(const std::string& wanted);

  /// Puts the operators where they belong. Nothing may be inserted afterwards.
  void finish();

 private:
  std::string zero_point(size_t count);
  /// The table of what the halves of a byte stand for.
  std::string halves();
  std::string result(const std::string& wanted, const std::vector<int64_t>& dims, DType dtype = DType::kFloat32);
  /// The parameter's content and type, where it was float32.
  void store(const std::string& name, DType dtype, const std::string& content);
  void add(size_t before, NewOperator made) { before_[before].push_back(new_operator(std::move(made))); }
  void add_linear(const char* type, size_t before, const std::string& x, const std::string& scale,
                  const std::string& zero_point, const std::string& y, int axis);
  void add_cast(size_t before, const std::string& x, DType from, const std::string& y, DType to = DType::kFloat32);
  void add_rows(size_t before, const std::string& ids, const std::string& table, const std::string& y);
  void add_product(size_t before, const std::string& x, const std::string& y, const std::string& z);
  void add_reshape(size_t before, const std::string& x, const std::vector<int64_t>& dims, const std::string& y);

  Program& program_;
  ParameterMap& parameters_;
  std::set<std::string> names_;
  std::map<size_t, std::vector<ProgramOperator>> before_;
  std::map<size_t, std::string> zero_points_;
  std::string halves_;
};

}  // namespace coracle::internal::quantize
