// SPDX-License-Identifier: Apache-2.0
#include "engines/openvino/ir.h"

#include <algorithm>
#include <cstring>

#include "base/counted.h"

namespace coracle::internal::openvino {
namespace {

/// Constants begin at multiples of this: OpenVINO reads them in place.
constexpr int64_t kAlignment = 64;

/// The names of an element type: of an attribute and of a port.
struct TypeName {
  DType dtype;
  const char* attribute;
  const char* port;
};
constexpr TypeName kTypes[] = {
    {DType::kFloat32, "f32", "FP32"},  {DType::kInt32, "i32", "I32"}, {DType::kInt64, "i64", "I64"},
    {DType::kBool, "boolean", "BOOL"}, {DType::kInt8, "i8", "I8"},
};

const TypeName* find_names(DType dtype) {
  for (const TypeName& t : kTypes) {
    if (t.dtype == dtype) return &t;
  }
  return nullptr;
}

const TypeName& names(DType dtype) {
  if (const TypeName* found = find_names(dtype)) return *found;
  fail(ErrorCode::kUnsupported, "OpenVINO is given no ", dtype, ", expected float32, int32, int64 or bool");
}

void add_attribute(std::string& to, std::string_view name, std::string_view value) {
  to.append(" ").append(name).append("=\"").append(value).append("\"");
}

void add_port(std::string& to, size_t id, std::string_view more) {
  to.append("<port id=\"").append(std::to_string(id)).append("\"").append(more).append("/>");
}

}  // namespace

bool has_type(DType dtype) { return find_names(dtype) != nullptr; }

std::string list_text(std::span<const int64_t> numbers) {
  std::string out;
  for (const int64_t n : numbers) out.append(out.empty() ? "" : ", ").append(std::to_string(n));
  return out;
}

Wire Ir::append(Layer layer) {
  layer.name = coracle::internal::text(prefix_, '/', layers_.size());
  layers_.push_back(std::move(layer));
  return {static_cast<int>(layers_.size()) - 1, 0};
}

Wire Ir::parameter(std::string name, DType dtype, const std::string& shape) {
  Layer layer{.type = "Parameter", .opset = "opset1", .results = {{dtype, std::move(name)}}};
  add_attribute(layer.attributes, "shape", shape);
  add_attribute(layer.attributes, "element_type", names(dtype).attribute);
  return append(std::move(layer));
}

Wire Ir::constant(const Tensor& tensor, const Shape& shape) {
  Layer layer{.type = "Const", .opset = "opset1", .results = {{tensor.dtype(), {}}}};
  add_attribute(layer.attributes, "element_type", names(tensor.dtype()).attribute);
  add_attribute(layer.attributes, "shape", list_text(shape.dims()));
  add_attribute(layer.attributes, "offset", std::to_string(bytes_));
  add_attribute(layer.attributes, "size", std::to_string(tensor.bytes()));
  layer.constant = static_cast<int>(constants_.size());
  constants_.push_back({tensor, bytes_});
  bytes_ += (static_cast<int64_t>(tensor.bytes()) + kAlignment - 1) / kAlignment * kAlignment;
  return append(std::move(layer));
}

Wire Ir::layer(std::string_view type, std::string_view opset, std::span<const Wire> inputs, Attributes attributes,
               std::span<const DType> results) {
  Layer layer{.type = std::string(type), .opset = std::string(opset), .inputs = {inputs.begin(), inputs.end()}};
  for (const DType dtype : results) layer.results.push_back({dtype, {}});
  for (const auto& [name, value] : attributes) add_attribute(layer.attributes, name, value);
  return append(std::move(layer));
}

void Ir::result(Wire wire, std::string name) {
  layers_[static_cast<size_t>(wire.layer)].results[static_cast<size_t>(wire.port)].name = std::move(name);
  append({.type = "Result", .opset = "opset1", .inputs = {wire}});
}

bool Ir::same_as(const Ir& other) const {
  const auto same = [](const Constant& a, const Constant& b) {
    return a.offset == b.offset && a.tensor.dtype() == b.tensor.dtype() && a.tensor.bytes() == b.tensor.bytes() &&
           (a.tensor.bytes() == 0 || a.tensor.raw() == b.tensor.raw() ||
            std::memcmp(a.tensor.raw(), b.tensor.raw(), a.tensor.bytes()) == 0);
  };
  return std::equal(constants_.begin(), constants_.end(), other.constants_.begin(), other.constants_.end(), same) &&
         text() == other.text();
}

std::string Ir::difference(const Ir& other) const {
  for (size_t i = 0; i < layers_.size() && i < other.layers_.size(); ++i) {
    const Layer& a = layers_[i];
    const Layer& b = other.layers_[i];
    if (a.type != b.type || a.attributes != b.attributes) {
      return coracle::internal::text("layer ", a.name, " is ", a.type, a.attributes, " and ", b.type, b.attributes);
    }
    if (a.constant < 0 || b.constant < 0) continue;
    const Tensor& x = constants_[static_cast<size_t>(a.constant)].tensor;
    const Tensor& y = other.constants_[static_cast<size_t>(b.constant)].tensor;
    if (x.bytes() == y.bytes() && (x.bytes() == 0 || std::memcmp(x.raw(), y.raw(), x.bytes()) == 0)) continue;
    return coracle::internal::text("the constant ", a.name, " follows from them");
  }
  return coracle::internal::text("they have ", layers_.size(), " and ", counted(other.layers_.size(), "layer"));
}

std::string Ir::text() const {
  std::string out = "<?xml version=\"1.0\"?><net name=\"block\" version=\"11\"><layers>";
  std::string edges;
  for (size_t i = 0; i < layers_.size(); ++i) {
    const Layer& layer = layers_[i];
    out.append("\n<layer");
    add_attribute(out, "id", std::to_string(i));
    add_attribute(out, "name", layer.name);
    add_attribute(out, "type", layer.type);
    add_attribute(out, "version", layer.opset);
    out.append(">");
    if (!layer.attributes.empty()) out.append("<data").append(layer.attributes).append("/>");
    // Ports are numbered through: results after operands.
    if (!layer.inputs.empty()) {
      out.append("<input>");
      for (size_t k = 0; k < layer.inputs.size(); ++k) {
        add_port(out, k, "");
        const Wire from = layer.inputs[k];
        const size_t before = layers_[static_cast<size_t>(from.layer)].inputs.size();
        edges.append("\n<edge");
        add_attribute(edges, "from-layer", std::to_string(from.layer));
        add_attribute(edges, "from-port", std::to_string(before + static_cast<size_t>(from.port)));
        add_attribute(edges, "to-layer", std::to_string(i));
        add_attribute(edges, "to-port", std::to_string(k));
        edges.append("/>");
      }
      out.append("</input>");
    }
    if (!layer.results.empty()) {
      out.append("<output>");
      for (size_t k = 0; k < layer.results.size(); ++k) {
        std::string more;
        add_attribute(more, "precision", names(layer.results[k].dtype).port);
        if (!layer.results[k].name.empty()) add_attribute(more, "names", layer.results[k].name);
        add_port(out, layer.inputs.size() + k, more);
      }
      out.append("</output>");
    }
    out.append("</layer>");
  }
  return out.append("\n</layers><edges>").append(edges).append("\n</edges></net>\n");
}

Tensor Ir::weights(const RunContext& context) const {
  Tensor all = Tensor::make(context, DType::kInt8, Shape{std::max<int64_t>(bytes_, 1)});
  for (const Constant& c : constants_) {
    if (c.tensor.bytes() != 0) std::memcpy(all.data<char>() + c.offset, c.tensor.raw(), c.tensor.bytes());
  }
  return all;
}

}  // namespace coracle::internal::openvino
