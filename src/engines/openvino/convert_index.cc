// SPDX-License-Identifier: Apache-2.0
#include "engines/openvino/network.h"
#include "ops/index/embedding.h"
#include "ops/index/gather.h"
#include "ops/index/gathering.h"
#include "ops/index/index_select.h"
#include "ops/index/lookup_table.h"

namespace coracle::internal::openvino {
namespace {

/// OpenVINO does not say which index is out of range: indices are constant, or come from outside of the block, where
/// they are looked at before each run.
std::string refuse_indices(const Question& q, int port) {
  const Fact& index = q.facts.in(port);
  if (index.dtype != DType::kInt32 && index.dtype != DType::kInt64) return "its indices are no int32 or int64";
  if (index.value != nullptr) return {};
  const NodeId producer = q.graph.value(q.node.input(port)).producer;
  if (producer == kNoNode || !refusal_of(q.graph, q.graph.node(producer)).empty()) return {};
  return "its indices are computed where OpenVINO does not check them";
}

std::string refuse_gather(const Question& q) {
  const DType x = q.facts.in(0).dtype;
  if (x == DType::kInt64 || q.facts.shape(0).is_scalar()) return "x is int64 or a scalar";
  return refuse_indices(q, 1);
}

std::string refuse_embedding(const Question& q) {
  if (q.facts.in(1).dtype != DType::kFloat32) return "its table is not float32";
  return refuse_indices(q, 0);
}

Wire gathered(Emitter& e, Wire x, Wire index, int axis) {
  return e.layer("Gather", "opset8", {x, index, e.ints_of({axis})}, {{"batch_dims", "0"}}, e.out_dtype());
}

void gather(Emitter& e, int64_t axis_value) {
  const int axis = normalize_axis(axis_value, e.shape(0).rank());
  const int64_t dim = e.shape(0)[axis];
  e.require_indices(1, "Index", -dim, dim - 1);
  const Wire index = e.reshape(e.in(1), Shape{e.shape(1).count()});
  e.set_reshaped(gathered(e, e.in(0), index, axis));
}

void emit_gather(Emitter& e) { gather(e, e.has(2) ? e.elements(2).integer(0) : 0); }
void emit_index_select(Emitter& e) { gather(e, e.as<IndexSelect>().axis); }

template <class T>
void emit_embedding(Emitter& e) {
  const int64_t padding = e.as<T>().padding_idx;
  const int64_t rows = e.shape(1)[0];
  e.require_indices(0, "Ids", 0, rows - 1);
  // The width of the table comes behind the dimensions of the ids.
  Shape places = e.out_shape();
  places.erase(places.rank() - 1);
  const Wire rows_of_ids = gathered(e, e.in(1), e.reshape(e.in(0), places), 0);
  if (padding == kNoPadding) return e.set(rows_of_ids);
  if (padding < 0 || padding >= rows) refuse("padding_idx ", padding, " is outside of its table");
  places.push_back(1);
  const Wire ids = e.reshape(e.in(0), places);
  const Wire pads = e.layer("Equal", "opset1", {ids, e.scalar_like(static_cast<double>(padding), ids)},
                            {{"auto_broadcast", "numpy"}}, DType::kBool);
  e.set(e.layer("Select", "opset1", {pads, e.scalar(0), rows_of_ids}, {{"auto_broadcast", "numpy"}}, DType::kFloat32));
}

constexpr Converter kIndex[] = {
    {gather_op, kPlain | kInt64, kPlain, emit_gather, refuse_gather},
    {index_select_op, kPlain | kInt64, kPlain, emit_index_select, refuse_gather},
    {embedding_op, kPlain | kInt64, kFloat, emit_embedding<Embedding>, refuse_embedding},
    {lookup_table_op, kPlain | kInt64, kFloat, emit_embedding<LookupTable>, refuse_embedding},
};

}  // namespace

extern const ConverterTable convert_index;
const ConverterTable convert_index{kIndex};

}  // namespace coracle::internal::openvino
