// SPDX-License-Identifier: Apache-2.0
#include "hostile/file_attributes.h"

#include <map>
#include <random>

namespace coracle::internal::test {
namespace {

/// Attributes that no schema lists: those of fused operators.
const FileAttribute kOfFused[] = {
    {"alpha", 1.0},
    {"fuse_activation", std::string("relu")},
    {"fuse_beta", 1.0},
    {"fuse_alpha", 1.0},
    {"epsilon", 1e-5},
    {"activation", std::string("relu")},
    {"begin_norm_axis", int64_t{1}},
    {"activation_type", std::string("relu")},
    {"layers", int64_t{1}},
    {"head_number", int64_t{2}},
    {"axis", int64_t{1}},
    {"scale", 1.0},
    {"quant_scale", 1.0},
    {"trans_y", false},
    {"trans_x", false},
    {"split_channels", Ints{}},
    {"shape", Ints{2, 2}},
    {"dtype", DType::kFloat32},
    {"mode", std::string("mean")},
    {"fc_activation", std::string("relu")},
    {"act_method", std::string("relu")},
    {"x_num_col_dims", int64_t{1}},
    {"reduction", int64_t{1}},
    {"num_layers", int64_t{1}},
    {"input_size", int64_t{4}},
    {"index", int64_t{0}},
    {"in_num_col_dims", int64_t{1}},
    {"hidden_size", int64_t{4}},
    {"flatten_axis", int64_t{1}},
    {"diagonal", int64_t{0}},
    {"concat_axis", int64_t{1}},
    {"shift", 0.5},
    {"scalar", 1.0},
    {"residual_alpha", 1.0},
    {"matmul_alpha", 1.0},
    {"ln_epsilon", 1e-5},
    {"fused_output_scale", 1.0},
    {"fuse_brelu_threshold", 6.0},
    {"transpose_Y", false},
    {"transpose_X", false},
    {"padding_weights", false},
    {"lower", true},
    {"is_bidirec", false},
    {"fuse_relu", false},
    {"fuse_brelu", false},
    {"functor_list", Strings{"relu", "elementwise_add"}},
    {"trans_axis", Ints{0, 2, 1}},
    {"fused_unsqueeze2_axes", Ints{}},
    {"fused_transpose_Out", Ints{}},
    {"fused_reshape_Out", Ints{}},
};

/// The attributes that a schema lists, by their names in a ProgramDesc.
class Listed : public AttributeVisitor {
 public:
  explicit Listed(std::map<std::string, AttributeValue>& all) : all_(all) {}

 protected:
  void visit(std::string_view /*name*/, std::string_view legacy, AttributeRef field) override {
    const std::string key(legacy);
    std::visit([&](auto* value) { add(key, *value); }, field);
  }

 private:
  template <class T>
  void add(const std::string& name, const T& value) {
    all_.try_emplace(name, value);
  }
  void add(const std::string& name, const std::optional<DType>& value) {
    all_.try_emplace(name, value.value_or(DType::kFloat32));
  }
  void add(const std::string& name, const EnumRef& value) {
    all_.try_emplace(name, std::string(value.names[static_cast<size_t>(value.value)]));
  }

  std::map<std::string, AttributeValue>& all_;
};

const std::map<std::string, AttributeValue>& known_attributes() {
  static const std::map<std::string, AttributeValue> all = [] {
    std::map<std::string, AttributeValue> found;
    for (const FileAttribute& a : kOfFused) found.emplace(a.name, a.sample);
    Listed listed(found);
    for (const OpSchema* schema : all_ops()) {
      const std::shared_ptr<void> attributes = schema->make(nullptr);
      schema->visit(attributes.get(), listed);
    }
    return found;
  }();
  return all;
}

/// True if reading the node refuses this attribute where it is of another kind: then it looks at it.
bool looks_at(HostileNode node, const std::string& name, const AttributeValue& sample) {
  node.file_attributes.set(name, of_another_kind(sample));
  try {
    Graph graph;
    PortValues ports;
    size_t flat = 0;
    for (int count : node.in_counts) {
      ports.emplace_back();
      for (int i = 0; i < count; ++i, ++flat) ports.back().push_back(graph.add_constant(node.operands[flat]));
    }
    add_hostile_node(graph, node, ports);
  } catch (const Error& e) {
    return std::string_view(e.what()).find(text("attribute '", name, "'")) != std::string_view::npos;
  }
  return false;
}

std::vector<FileAttribute> find_attributes_read(const OpSchema& schema) {
  // What is looked at depends on what came before.
  constexpr int kNodes = 20;
  std::mt19937_64 random(1);
  std::map<std::string, AttributeValue> read;
  for (int i = 0; i < kNodes; ++i) {
    const HostileNode node = draw_hostile_node(
        schema, [&] { return random(); }, /*tame=*/true);
    for (const auto& [name, sample] : known_attributes()) {
      if (!read.contains(name) && looks_at(node, name, sample)) read.emplace(name, sample);
    }
  }
  std::vector<FileAttribute> list;
  for (auto& [name, sample] : read) list.push_back({name, sample});
  return list;
}

/// A usual value like `sample`.
AttributeValue drawn_like(const AttributeValue& sample, const Choose& choose) {
  AttributeValue value = sample;
  if (auto* flag = std::get_if<bool>(&value)) *flag = choose() % 2 == 0;
  if (auto* number = std::get_if<int64_t>(&value)) *number = static_cast<int64_t>(choose() % 4);
  return value;
}

}  // namespace

const std::vector<FileAttribute>& attributes_read(const OpSchema& schema) {
  static std::map<const OpSchema*, std::vector<FileAttribute>> found;
  const auto known = found.find(&schema);
  if (known != found.end()) return known->second;
  return found.emplace(&schema, find_attributes_read(schema)).first->second;
}

AttributeValue of_another_kind(const AttributeValue& sample) {
  if (std::holds_alternative<std::string>(sample) || std::holds_alternative<Strings>(sample)) return Ints{1, 2};
  return Strings{"x", "y"};
}

void draw_file_attributes(HostileNode& node, const Choose& choose) {
  for (const FileAttribute& a : attributes_read(*node.schema)) {
    if (choose() % 2 == 0) node.file_attributes.set(a.name, drawn_like(a.sample, choose));
  }
}

}  // namespace coracle::internal::test
