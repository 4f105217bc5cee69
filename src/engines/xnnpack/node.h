// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coracle/engine.h>

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Blocks and nodes as the converters read them: coracle/engine.h in C++.
namespace coracle_xnnpack {

using Dims = std::vector<int64_t>;  ///< of a shape; -1 is not known

/// Why a node or block is not taken.
class Refused : public std::exception {
 public:
  explicit Refused(std::string reason) : reason_(std::move(reason)) {}
  const char* what() const noexcept override { return reason_.c_str(); }

 private:
  std::string reason_;
};

inline void require(bool holds, std::string reason) {
  if (!holds) throw Refused(std::move(reason));
}

std::string written(const Dims& dims);
int64_t count_of(const Dims& dims);
bool is_known(const Dims& dims);

/// One node of a block.
class Node {
 public:
  Node(const coracle_engine_host& host, const coracle_block* block, const coracle_block_node* node)
      : host_(host), block_(block), node_(node) {}

  std::string op() const { return host_.node_operator(node_); }
  std::string name() const { return host_.node_name(node_); }
  const coracle_engine_host& host() const { return host_; }
  const coracle_block* block() const { return block_; }

  size_t count(const char* port) const { return host_.operand_count(node_, port); }
  bool has(const char* port) const { return count(port) > 0; }
  int32_t in(const char* port, size_t i = 0) const { return host_.operand(node_, port, i); }
  size_t operand_count() const { return host_.all_operand_count(node_); }
  int32_t operand(size_t i) const { return host_.all_operands(node_, i); }
  size_t result_count() const { return host_.all_result_count(node_); }
  int32_t out(size_t i = 0) const { return host_.all_results(node_, i); }

  bool is_float(int32_t value) const { return host_.dtype(block_, value) == CORACLE_FLOAT32; }
  bool is_int8(int32_t value) const { return host_.dtype(block_, value) == CORACLE_INT8; }
  int32_t rank(int32_t value) const { return host_.rank(block_, value); }
  /// The rank must be known.
  Dims dims(int32_t value) const {
    const int64_t* d = host_.dims(block_, value);
    return {d, d + rank(value)};
  }
  bool has_elements(int32_t value) const { return host_.elements(block_, value) != nullptr; }
  bool is_constant(int32_t value) const { return host_.is_constant(block_, value) != 0; }
  const float* floats(int32_t value) const { return static_cast<const float*>(host_.elements(block_, value)); }
  const int8_t* integers(int32_t value) const { return static_cast<const int8_t*>(host_.elements(block_, value)); }

  /// The elements at a port, which are known if there is one; nothing where the port is empty.
  std::optional<std::vector<double>> numbers(const char* port, size_t i = 0) const;
  Dims integers(const char* port) const;
  double number(const char* port, double missing) const;

  bool flag(const char* name) const { return integer(name, 0) != 0; }
  int64_t integer(const char* name, int64_t missing) const;
  double real(const char* name, double missing) const;
  std::string word(const char* name) const;
  Dims list(const char* name) const;
  std::vector<double> reals(const char* name) const;
  std::vector<std::string> words(const char* name) const;

 private:
  const coracle_engine_host& host_;
  const coracle_block* block_;
  const coracle_block_node* node_;
};

/// `axis` counted from the front.
size_t axis_of(int64_t axis, size_t rank);
/// A number as an integer, its fraction cut off; refused where it is none, or far from what sizes and axes are.
int64_t whole(double number);

}  // namespace coracle_xnnpack
