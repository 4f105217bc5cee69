// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "support/program_writer.h"

/// Operators of files that tests put together, by the names of their operands.
namespace coracle::test {

inline OpWriter add(const std::string& x, const std::string& y, const std::string& to, int axis = -1) {
  return OpWriter("elementwise_add").in("X", {x}).in("Y", {y}).out("Out", {to}).integer("axis", axis);
}
inline OpWriter unary(const char* type, const std::string& x, const std::string& to) {
  return OpWriter(type).in("X", {x}).out("Out", {to});
}
inline OpWriter matmul(const std::string& x, const std::string& y, const std::string& to) {
  return OpWriter("matmul_v2").in("X", {x}).in("Y", {y}).out("Out", {to});
}
inline OpWriter reshape(const std::string& x, const Dims& shape, const std::string& to) {
  return OpWriter("reshape2").in("X", {x}).out("Out", {to}).integers("shape", shape);
}
inline OpWriter transpose(const std::string& x, const Dims& order, const std::string& to) {
  return OpWriter("transpose2").in("X", {x}).out("Out", {to}).integers("axis", order);
}

}  // namespace coracle::test
