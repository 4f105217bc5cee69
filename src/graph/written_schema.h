// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "graph/op.h"

/// Schemas and their ports as the light library has them: written by code (see WrittenTable). What the code of each one
/// has in registers is put into place by functions that all share.
namespace coracle::internal {
namespace written_schema_detail {

/// All of a port but its name.
consteval uint32_t traits_of(const Port& port) {
  const auto& [name, kind, slot, list_slot, attribute, attribute_dtype, shape_input, weight] = port;
  return static_cast<uint32_t>(kind) | static_cast<uint32_t>(attribute_dtype) << 8 |
         static_cast<uint32_t>(!slot.empty()) << 16 | static_cast<uint32_t>(!list_slot.empty()) << 17 |
         static_cast<uint32_t>(!attribute.empty()) << 18 | static_cast<uint32_t>(shape_input) << 19 |
         static_cast<uint32_t>(weight) << 20;
}

[[gnu::noinline]] inline void put_port(Port& to, const char* name, uint32_t traits) noexcept {
  const auto given = [traits](int bit) { return (traits >> bit & 1) != 0 ? "?" : nullptr; };
  to.name = name;
  to.kind = static_cast<Port::Kind>(traits & 255);
  to.attribute_dtype = static_cast<DType>(traits >> 8 & 255);
  to.slot = given(16);
  to.list_slot = given(17);
  to.attribute = given(18);
  to.shape_input = (traits >> 19 & 1) != 0;
  to.weight = (traits >> 20 & 1) != 0;
}

/// The numbers of a schema. A member that is new does not compile here: it also has to be written below.
consteval uint32_t traits_of(const OpSchema& schema) {
  const auto& [name, legacy, inputs, outputs, lod, pure, any_type, arrays, regions, make_attributes, visit, equal,
               infer, reference, lower, reshapes, quantizes, of_user, fused_of, epilogue, identity, unary_step, flops,
               view_of_result, view_of_operand] = schema;
  if (inputs.size() > 255 || outputs.size() > 255) throw "more than there are bits for";
  if (of_user) throw "written by nobody";
  return static_cast<uint32_t>(inputs.size()) | static_cast<uint32_t>(outputs.size()) << 8 |
         static_cast<uint32_t>(pure) << 16 | static_cast<uint32_t>(any_type) << 17 |
         static_cast<uint32_t>(reshapes) << 18 | static_cast<uint32_t>(quantizes) << 19;
}

[[gnu::noinline]] inline void put_facts(OpSchema& to, const char* name, const Port* inputs, const Port* outputs,
                                        uint32_t traits) noexcept {
  to.name = name;
  to.inputs = {inputs, traits & 255};
  to.outputs = {outputs, traits >> 8 & 255};
  to.pure = (traits >> 16 & 1) != 0;
  to.any_type = (traits >> 17 & 1) != 0;
  to.reshapes = (traits >> 18 & 1) != 0;
  to.quantizes = (traits >> 19 & 1) != 0;
}

[[gnu::noinline]] inline void put_functions(OpSchema& to, decltype(OpSchema::make_attributes) make_attributes,
                                            decltype(OpSchema::visit) visit, decltype(OpSchema::equal) equal,
                                            decltype(OpSchema::infer) infer,
                                            decltype(OpSchema::reference) reference) noexcept {
  to.make_attributes = make_attributes;
  to.visit = visit;
  to.equal = equal;
  to.infer = infer;
  to.reference = reference;
}

}  // namespace written_schema_detail

template <const auto& kFrom, size_t kIndex>
void write_constant(Port& to) noexcept {
  constexpr const char* kName = kFrom[kIndex].name;
  constexpr uint32_t kTraits = written_schema_detail::traits_of(kFrom[kIndex]);
  written_schema_detail::put_port(to, kName, kTraits);
}

/// Writes the schema of T to one of zeros, but for what only files of other formats have.
template <OperatorStruct T>
void write_schema(OpSchema& to) noexcept {
  namespace detail = written_schema_detail;
  constexpr OpSchema kFrom = make_op_schema<T>();
  constexpr uint32_t kTraits = detail::traits_of(kFrom);
  constexpr const char* kName = kFrom.name;
  constexpr const Port* kInputs = kFrom.inputs.data();
  constexpr const Port* kOutputs = kFrom.outputs.data();
  detail::put_facts(to, kName, kInputs, kOutputs, kTraits);
  detail::put_functions(to, kFrom.make_attributes, kFrom.visit, kFrom.equal, kFrom.infer, kFrom.reference);
  if constexpr (kFrom.arrays != 0) to.arrays = kFrom.arrays;
  if constexpr (kFrom.regions != 0) to.regions = kFrom.regions;
  if constexpr (!kFrom.fused_of.empty()) to.fused_of = T::kFusedOf;
  if constexpr (kFrom.lod != nullptr) to.lod = kFrom.lod;
  if constexpr (kFrom.epilogue != nullptr) to.epilogue = kFrom.epilogue;
  if constexpr (kFrom.identity != nullptr) to.identity = kFrom.identity;
  if constexpr (kFrom.unary_step != nullptr) to.unary_step = kFrom.unary_step;
  if constexpr (kFrom.flops != nullptr) to.flops = kFrom.flops;
  if constexpr (kFrom.view_of_result != nullptr) to.view_of_result = kFrom.view_of_result;
  if constexpr (kFrom.view_of_operand != nullptr) to.view_of_operand = kFrom.view_of_operand;
}

/// For all_ops(): the schema of T, once it and its ports are written.
template <OperatorStruct T>
const OpSchema* written_schema() noexcept {
  if constexpr (requires { T::kInputs; }) WrittenTable<T::kInputs>::write();
  if constexpr (requires { T::kOutputs; }) WrittenTable<T::kOutputs>::write();
  write_schema<T>(kOpSchema<T>);
  return &kOpSchema<T>;
}

}  // namespace coracle::internal
