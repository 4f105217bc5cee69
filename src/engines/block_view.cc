// SPDX-License-Identifier: Apache-2.0
#include "engines/block_view.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

/// Writes the attributes of a node as plain data.
class AttributeTable : public coracle::internal::AttributeVisitor {
 public:
  AttributeTable(coracle_block& block, std::vector<coracle_attribute>& to) : block_(block), to_(to) {}

 protected:
  void visit(std::string_view name, std::string_view /*legacy*/, coracle::internal::AttributeRef field) override {
    coracle_attribute& a = to_.emplace_back();
    a.name = kept(name);
    std::visit([&](auto* p) { set(a, *p); }, field);
  }

 private:
  const char* kept(std::string_view text) { return block_.texts_.emplace_back(text).c_str(); }

  static void set(coracle_attribute& a, bool v) {
    a.kind = CORACLE_ATTRIBUTE_BOOL;
    a.integer = v ? 1 : 0;
  }
  static void set(coracle_attribute& a, int64_t v) {
    a.kind = CORACLE_ATTRIBUTE_INT;
    a.integer = v;
  }
  static void set(coracle_attribute& a, int v) { set(a, static_cast<int64_t>(v)); }
  static void set(coracle_attribute& a, double v) {
    a.kind = CORACLE_ATTRIBUTE_DOUBLE;
    a.number = v;
  }
  void set(coracle_attribute& a, std::string_view v) {
    a.kind = CORACLE_ATTRIBUTE_STRING;
    a.string = kept(v);
  }
  void set(coracle_attribute& a, const std::string& v) { set(a, std::string_view(v)); }
  void set(coracle_attribute& a, const coracle::internal::Ints& v) {
    a.kind = CORACLE_ATTRIBUTE_INTS;
    a.integers = block_.integers_.emplace_back(v).data();
    a.size = v.size();
  }
  void set(coracle_attribute& a, const coracle::internal::Floats& v) {
    a.kind = CORACLE_ATTRIBUTE_DOUBLES;
    a.numbers = block_.numbers_.emplace_back(v).data();
    a.size = v.size();
  }
  void set(coracle_attribute& a, const coracle::internal::Strings& v) {
    a.kind = CORACLE_ATTRIBUTE_STRINGS;
    std::vector<const char*>& list = block_.text_lists_.emplace_back();
    for (const std::string& s : v) list.push_back(kept(s));
    a.strings = list.data();
    a.size = list.size();
  }
  void set(coracle_attribute& a, coracle::internal::DType v) { set(a, coracle::internal::name_of(v)); }
  void set(coracle_attribute& a, const std::optional<coracle::internal::DType>& v) {
    if (v) set(a, *v);
  }
  void set(coracle_attribute& a, const coracle::internal::EnumRef& v) { set(a, v.names[static_cast<size_t>(v.value)]); }

  coracle_block& block_;
  std::vector<coracle_attribute>& to_;
};

coracle_block::coracle_block(const coracle::internal::Graph& g, std::span<const coracle::internal::Fact> facts)
    : graph(g), facts_(facts) {
  for (coracle::internal::NodeId id : g.order()) add(g.node(id));
}

coracle_block::coracle_block(const coracle::internal::Graph& g, const coracle::internal::Node& node)
    : graph(g), single_(true) {
  add(node);
}

void coracle_block::add(const coracle::internal::Node& node) {
  coracle_block_node& seen = nodes.emplace_back();
  seen.node = &node;
  const std::shared_ptr<void> attributes = node.op.schema().make(node.op.attributes());
  AttributeTable table(*this, seen.attributes);
  node.op.schema().visit(attributes.get(), table);
}

const coracle::internal::Fact* coracle_block::fact(int32_t value) const {
  if (value < 0 || static_cast<size_t>(value) >= graph.value_count()) return nullptr;
  if (static_cast<size_t>(value) < facts_.size()) return &facts_[static_cast<size_t>(value)];
  return &graph.fact(static_cast<coracle::internal::ValueId>(value));
}

namespace coracle::internal {
namespace {

int32_t number_of(ValueId id) { return id == kNoValue ? -1 : static_cast<int32_t>(id); }

int32_t at(const std::vector<ValueId>& list, size_t index) { return index < list.size() ? number_of(list[index]) : -1; }

/// The values at a port of a node: their first place in the flat list, and how many they are.
struct Places {
  size_t first = 0;
  size_t count = 0;
};

Places places(std::span<const Port> ports, const PortCounts& counts, const char* name) {
  size_t first = 0;
  for (size_t i = 0; i < ports.size() && i < counts.size(); ++i) {
    const auto count = static_cast<size_t>(counts[i]);
    if (std::strcmp(ports[i].name, name) == 0) return {first, count};
    first += count;
  }
  return {};
}

Places operands_of(const coracle_block_node* n, const char* port) {
  return places(n->node->op.schema().inputs, n->node->input_counts, port);
}

Places results_of(const coracle_block_node* n, const char* port) {
  return places(n->node->op.schema().outputs, n->node->output_counts, port);
}

int32_t value_at(const std::vector<ValueId>& list, Places places, size_t index) {
  return index < places.count ? at(list, places.first + index) : -1;
}

const coracle_attribute* find_attribute(const coracle_block_node* n, const char* name) {
  const auto found = std::find_if(n->attributes.begin(), n->attributes.end(),
                                  [&](const coracle_attribute& a) { return std::strcmp(a.name, name) == 0; });
  return found == n->attributes.end() || found->kind == CORACLE_ATTRIBUTE_NONE ? nullptr : &*found;
}

int32_t dtype(const coracle_block* b, int32_t value) {
  const Fact* f = b->fact(value);
  return f == nullptr || f->is_array || !f->type_known() ? -1 : static_cast<int32_t>(f->dtype);
}

int32_t rank(const coracle_block* b, int32_t value) {
  const Fact* f = b->fact(value);
  return f == nullptr || f->is_array || !f->shape.rank_known() ? -1 : f->shape.rank();
}

const int64_t* dims(const coracle_block* b, int32_t value) {
  const Fact* f = b->fact(value);
  return f == nullptr || rank(b, value) < 0 ? nullptr : f->shape.begin();
}

const void* elements(const coracle_block* b, int32_t value) {
  const Fact* f = b->fact(value);
  return f == nullptr || f->value == nullptr || f->value->is_array() ? nullptr : std::as_const(*f->value).raw();
}

}  // namespace

const coracle_engine_host& engine_host() {
  static const coracle_engine_host kHost = [] {
    coracle_engine_host h{};
    h.struct_size = sizeof(h);
    h.value_count = [](const coracle_block* b) { return b->graph.value_count(); };
    h.node_count = [](const coracle_block* b) { return b->nodes.size(); };
    h.node = [](const coracle_block* b, size_t i) { return i < b->nodes.size() ? &b->nodes[i] : nullptr; };
    h.input_count = [](const coracle_block* b) { return b->inputs().size(); };
    h.input = [](const coracle_block* b, size_t i) { return at(b->inputs(), i); };
    h.output_count = [](const coracle_block* b) { return b->outputs().size(); };
    h.output = [](const coracle_block* b, size_t i) { return at(b->outputs(), i); };
    h.dtype = dtype;
    h.rank = rank;
    h.dims = dims;
    h.elements = elements;
    h.is_constant = [](const coracle_block* b, int32_t v) -> int32_t {
      return b->fact(v) != nullptr && b->graph.value(static_cast<ValueId>(v)).is_constant() ? 1 : 0;
    };
    h.value_name = [](const coracle_block* b, int32_t v) {
      return b->fact(v) == nullptr ? "" : b->graph.value(static_cast<ValueId>(v)).name.c_str();
    };
    h.node_operator = [](const coracle_block_node* n) { return n->node->op.name(); };
    h.node_name = [](const coracle_block_node* n) { return n->node->name.c_str(); };
    h.operand_count = [](const coracle_block_node* n, const char* port) { return operands_of(n, port).count; };
    h.operand = [](const coracle_block_node* n, const char* port, size_t i) {
      return value_at(n->node->inputs, operands_of(n, port), i);
    };
    h.result_count = [](const coracle_block_node* n, const char* port) { return results_of(n, port).count; };
    h.result = [](const coracle_block_node* n, const char* port, size_t i) {
      return value_at(n->node->outputs, results_of(n, port), i);
    };
    h.all_operand_count = [](const coracle_block_node* n) { return n->node->inputs.size(); };
    h.all_operands = [](const coracle_block_node* n, size_t i) { return at(n->node->inputs, i); };
    h.all_result_count = [](const coracle_block_node* n) { return n->node->outputs.size(); };
    h.all_results = [](const coracle_block_node* n, size_t i) { return at(n->node->outputs, i); };
    h.attribute_count = [](const coracle_block_node* n) { return n->attributes.size(); };
    h.attribute = [](const coracle_block_node* n, size_t i) {
      return i < n->attributes.size() ? &n->attributes[i] : nullptr;
    };
    h.find_attribute = find_attribute;
    return h;
  }();
  return kHost;
}

}  // namespace coracle::internal
