// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "graph/graph.h"

/// How operators become layers of OpenVINO: one line per operator in the tables of convert_*.cc.
namespace coracle::internal::openvino {

class Emitter;

/// Sets of element types. int64 is none that values may have: the CPU of OpenVINO computes it in 32 bits.
using Types = uint8_t;
inline constexpr Types kFloat = 1;
inline constexpr Types kInt32 = 2;
inline constexpr Types kBool = 4;
inline constexpr Types kInt64 = 8;  ///< where the operator bounds the numbers
inline constexpr Types kPlain = kFloat | kInt32 | kBool;

/// Whether a converter takes a node of a graph, whose facts may be known in part only.
struct Question {
  const Graph& graph;
  const Node& node;
  const NodeFacts& facts;
  template <class T>
  const T& as() const {
    return *node.op.as<T>();
  }
};

/// Converter::refuse of layers that want dimensions.
inline std::string refuse_scalar(const Question& q) { return q.facts.shape(0).is_scalar() ? "x is a scalar" : ""; }

struct Converter {
  const OpSchema* schema;
  Types operands;  ///< of those at ports that are data; the others (sizes, axes, numbers) must be known while planning
  Types results;
  void (*emit)(Emitter& e);                           ///< throws Error for what it finds too late to refuse it
  std::string (*refusal)(const Question&) = nullptr;  ///< for people; empty: it takes it. Null: it takes all
  int reads = 9;                                      ///< so many of the ports of operands are looked at
  int ports = 1;                                      ///< results at further ports must be unused
};

struct ConverterTable {
  std::span<const Converter> converters;
};

/// Generated from the names of the files convert_*.cc.
std::span<const ConverterTable* const> all_converters();

/// The converter of an operator, of its own or that of its kind (functions of one number, other shapes for the same
/// elements); null where there is none.
const Converter* find_converter(const OpSchema& schema);

/// Why the engine does not take a node; empty if it does.
std::string refusal_of(const Graph& graph, const Node& node);
/// The same of facts that are known, element types and sizes alone.
std::string refusal_of(const Question& question, const Converter& converter);

}  // namespace coracle::internal::openvino
