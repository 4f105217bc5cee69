// SPDX-License-Identifier: Apache-2.0
#include "model/paddle_lite_operators.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>

#include "base/counted.h"
#include "base/error.h"
#include "base/printable.h"
#include "model/paddle_lite_parameters.h"

namespace coracle::internal::paddle_lite {
namespace {

using programdesc::Operator;
using programdesc::Slot;
using programdesc::Variable;

constexpr std::string_view kKernel = "__@kernel_type_attr@__";

std::string_view variable_at(const std::vector<Slot>& slots, std::string_view name) {
  for (const Slot& slot : slots) {
    if (slot.name == name) return slot.variables.empty() ? std::string_view() : slot.variables.front();
  }
  return {};
}

bool has_text(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// "int8_out" of "conv2d/int8_out/4/2/1": which of an operator's kernels was chosen.
std::string kernel_of(const Operator& op) {
  const AttributeValue* value = op.attributes.find(kKernel);
  const std::string* kernel = value == nullptr ? nullptr : std::get_if<std::string>(value);
  if (kernel == nullptr) return {};
  const size_t start = kernel->find('/');
  return start == std::string::npos ? std::string()
                                    : kernel->substr(start + 1, kernel->find('/', start + 1) - start - 1);
}

/// True for an attribute that `opt` notes for itself and for kernels: "Input0_scale", "X1_threshold", "w_quant_scale".
bool is_note(std::string_view name) {
  constexpr std::array<std::string_view, 17> kNotes{
      "act_type",          "eleminate_success",    "enable_int8",  "fuse_abs",
      "fuse_exp",          "fuse_sigmoid",         "fuse_swish",   "fuse_tanh",
      "input_scale",       "out_threshold",        "output_scale", "process_type",
      "quantization_type", "quantize_weight_bits", "skip_quant",   "weight_scale",
      "with_act"};
  if (name.starts_with("__@") || name.starts_with("@") || name.ends_with("_quant_scale")) return true;
  for (std::string_view end : {"_scale", "_threshold"}) {
    if (!name.ends_with(end) || name.size() <= end.size()) continue;
    if (std::isdigit(static_cast<unsigned char>(name[name.size() - end.size() - 1])) != 0) return true;
  }
  return std::find(kNotes.begin(), kNotes.end(), name) != kNotes.end();
}

template <class Leave>
void leave_out(AttributeMap& attributes, const Leave& leave) {
  AttributeMap kept;
  for (const auto& [name, value] : attributes.all()) {
    if (!leave(name)) kept.set(name, value);
  }
  attributes = std::move(kept);
}

/// Writes the operators of one block anew.
class Rewriter {
 public:
  Rewriter(Model& model, SmallParameters& parameters, programdesc::Block& block)
      : model_(model), parameters_(parameters), block_(block) {
    for (const Variable& v : block.variables) declared_.insert(v.name);
  }

  void run() {
    std::vector<Operator> operators = std::move(block_.operators);
    block_.operators.clear();
    for (size_t i = 0; i < operators.size(); ++i) {
      const std::string_view type = operators[i].type;
      try {
        rewrite(std::move(operators[i]));
      } catch (Error& error) {
        error.add_context(text("reading operator ", i, " ", in_quotes(type)));
        throw;
      }
    }
  }

 private:
  void rewrite(Operator op) {
    constexpr std::string_view kFusedElementwise = "fusion_elementwise_";
    constexpr std::string_view kWithActivation = "_activation";
    kernel_ = kernel_of(op);
    after_.clear();
    const bool has_block = is_one_of(op.type, {"while", "conditional_block", "conditional_block_infer"});
    if (has_block && op.attributes.has("sub_block")) {  // it stands there as a number
      op.sub_block = op.attributes.get<int64_t>("sub_block");
      leave_out(op.attributes, [](std::string_view name) { return name == "sub_block"; });
    }
    if (is_one_of(op.type, {"io_copy", "io_copy_once", "layout", "layout_once"})) return copy(op, "Input");
    if (is_one_of(op.type, {"calib", "calib_once", "calib_inplace"})) return convert(op);
    if (op.type == "write_back") return write_back(op);
    use_real_parameters(op);
    round_result(op);
    if (is_convolution(op.type)) {
      convolution(op);
    } else if (op.type == "fc") {
      fully_connected(op);
    } else if (op.type == "scale") {
      scale(op);
    } else if (op.type.starts_with(kFusedElementwise) && op.type.ends_with(kWithActivation)) {
      const size_t length = op.type.size() - kFusedElementwise.size() - kWithActivation.size();
      const auto activation = op.attributes.get<std::string>("act_type");
      op.type = named(text("elementwise_", op.type.substr(kFusedElementwise.size(), length)));
      follow(op, "Out", activation_of(op, activation));
    }
    leave_out(op.attributes, [&](std::string_view name) {
      return is_note(name) || (name == "bit_length" && op.attributes.has("enable_int8"));
    });
    block_.operators.push_back(std::move(op));
    for (auto it = after_.rbegin(); it != after_.rend(); ++it) block_.operators.push_back(std::move(*it));
  }

  static bool is_one_of(std::string_view type, std::initializer_list<std::string_view> types) {
    return std::find(types.begin(), types.end(), type) != types.end();
  }

  std::string_view named(std::string name) { return model_.names.emplace_back(std::move(name)); }

  /// A variable for what lies between two operators that were one.
  std::string_view new_variable(std::string_view like, std::string_view what) {
    const std::string_view name = named(text(like, "@", what));
    if (declared_.insert(name).second) {
      Variable v;
      v.name = name;
      v.dtype = DType::kFloat32;
      block_.variables.push_back(std::move(v));
    }
    return name;
  }

  /// Lets `next`, which reads "X" and writes "Out", come behind the operator, whose result it takes over, or "Y", where
  /// it has its "X". What was let come later stands before.
  void follow(Operator& op, std::string_view slot, std::optional<Operator> next) {
    if (!next) return;
    for (Slot& out : op.outputs) {
      if (out.name != slot || out.variables.empty()) continue;
      const std::string_view result = out.variables.front();
      const std::string_view before = new_variable(result, text("before_", next->type));
      out.variables.front() = before;
      const bool is_second = !variable_at(next->inputs, "X").empty();
      next->inputs.insert(next->inputs.begin(), {is_second ? "Y" : "X", {before}});
      next->outputs.push_back({"Out", {result}});
      after_.push_back(std::move(*next));
      return;
    }
    fail(ErrorCode::kInvalidModel, "it has no output ", slot);
  }

  Operator rounding(std::string_view name, double step) {
    Operator op;
    op.type = "fake_quantize_dequantize_moving_average_abs_max";
    op.inputs.push_back({"InScale", {parameters_.add(text(name, "@scale"), {step * kInt8Limit})}});
    op.attributes.set("bit_length", int64_t{8});
    op.attributes.set("is_test", true);
    return op;
  }

  /// The operator of Paddle that the activation is, without its operand.
  std::optional<Operator> activation_of(const Operator& op, std::string_view kind) {
    if (kind.empty()) return std::nullopt;
    Operator made;
    const auto take = [&](const char* from, const char* to) {
      if (const AttributeValue* value = op.attributes.find(from)) made.attributes.set(to, *value);
    };
    const bool conv = is_convolution(op.type);
    if (kind.ends_with("_act")) kind.remove_suffix(std::string_view("_act").size());  // "tanh_act", "exp_act"
    made.type = named(std::string(kind));
    if (kind == "relu6") {
      take(conv ? "fuse_brelu_threshold" : "alpha", "threshold");
    } else if (kind == "leaky_relu") {
      take(conv ? "leaky_relu_alpha" : "alpha", "alpha");
    } else if (kind == "hard_swish") {
      take("hard_swish_threshold", "threshold");
      take("hard_swish_scale", "scale");
      take("hard_swish_offset", "offset");
    } else if (kind == "hard_sigmoid") {
      take("slope", "slope");
      take("offset", "offset");
    } else if (kind == "swish") {
      take("swish_scale", "beta");
    } else if (kind == "prelu") {
      take("prelu_mode", "mode");
      const std::string_view slope = variable_at(op.inputs, conv ? "Prelu_alpha" : "Alpha");
      require(!slope.empty(), "its activation prelu has no slopes");
      made.inputs.push_back({"Alpha", {slope}});
    }
    return made;
  }

  void convolution(Operator& op) {
    if (const auto type = op.attributes.get<std::string>("fuse_elementwise_op_type"); !type.empty()) {
      add_second_operand(op, type);
    }
    if (!op.attributes.get<bool>("with_act")) return;
    follow(op, "Output", activation_of(op, op.attributes.get<std::string>("act_type")));
    constexpr std::array<std::string_view, 12> kOfActivation{
        "fuse_relu",        "fuse_brelu",        "fuse_brelu_threshold", "leaky_relu_alpha",
        "hard_swish_scale", "hard_swish_offset", "hard_swish_threshold", "slope",
        "offset",           "prelu_mode",        "swish_scale",          "act_type"};
    leave_out(op.attributes, [&](std::string_view name) {
      return std::find(kOfActivation.begin(), kOfActivation.end(), name) != kOfActivation.end();
    });
    std::erase_if(op.inputs, [](const Slot& slot) { return slot.name == "Prelu_alpha"; });
  }

  /// What is computed with another tensor behind convolution and activation.
  void add_second_operand(Operator& op, std::string type) {
    constexpr std::string_view kFused = "fusion_";
    constexpr std::string_view kActivation = "_activation";
    if (type.starts_with(kFused) && type.ends_with(kActivation)) {
      Operator relu;  // no other is put there
      relu.type = "relu";
      follow(op, "Output", relu);
      type = type.substr(kFused.size(), type.size() - kFused.size() - kActivation.size());
    }
    const std::string_view second = variable_at(op.inputs, "SecondInput");
    require(!second.empty(), "it has no SecondInput for its ", type);
    Operator sum;
    sum.type = named(std::move(type));
    sum.inputs.push_back({"X", {second}});
    sum.attributes.set("axis", int64_t{-1});
    follow(op, "Output", sum);
    std::erase_if(op.inputs, [](const Slot& slot) { return slot.name == "SecondInput"; });
    leave_out(op.attributes, [](std::string_view name) { return name == "fuse_elementwise_op_type"; });
  }

  /// Of a product over the last dimension alone, or of one of matrices as `mul` has them.
  void fully_connected(Operator& op) {
    const auto product = op.attributes.get<std::string>("op_type");
    follow(op, "Out", activation_of(op, op.attributes.get<std::string>("activation_type")));
    std::erase_if(op.inputs, [](const Slot& slot) { return slot.name == "Alpha"; });
    if (product.starts_with("matmul")) {
      if (const std::string_view bias = variable_at(op.inputs, "Bias"); !bias.empty()) {
        Operator sum;
        sum.type = "elementwise_add";
        sum.inputs.push_back({"Y", {bias}});
        sum.attributes.set("axis", int64_t{-1});
        follow(op, "Out", std::move(sum));
      }
      op.type = "matmul_v2";
      op.inputs = {{"X", {variable_at(op.inputs, "Input")}}, {"Y", {variable_at(op.inputs, "W")}}};
    }
    // It has those of the operators too that it was made of.
    leave_out(op.attributes, [&](std::string_view name) {
      return op.type != "fc" || (name != "in_num_col_dims" && name != "padding_weights");
    });
  }

  void scale(Operator& op) {
    const AttributeMap& attributes = op.attributes;
    if (attributes.get<bool>("fuse_scaleact")) {
      Operator second;
      second.type = "scale";
      second.attributes.set("scale", attributes.get<double>("scale1", 1.0));
      second.attributes.set("bias", attributes.get<double>("bias1", 0.0));
      second.attributes.set("bias_after_scale", true);
      follow(op, "Out", std::move(second));
    }
    const auto activation = attributes.get<std::string>("activation_type");
    follow(op, "Out", activation_of(op, activation));
    leave_out(op.attributes, [&](std::string_view name) {
      return name == "fuse_scaleact" || name == "scale1" || name == "bias1" || name == "activation_type" ||
             (name == "alpha" && !activation.empty());
    });
  }

  /// The variable becomes `assign` of the one at `slot`.
  void copy(const Operator& op, std::string_view slot) {
    const std::string_view from = variable_at(op.inputs, slot);
    const std::string_view to = variable_at(op.outputs, "Out");
    require(!from.empty() && !to.empty(), "it has no operand or no result");
    put_assign(from, to);
  }

  void put_assign(std::string_view from, std::string_view to) {
    Operator assign;
    assign.type = "assign";
    assign.inputs.push_back({"X", {from}});
    assign.outputs.push_back({"Out", {to}});
    block_.operators.push_back(std::move(assign));
  }

  /// A variable of a loop is written by the result of its body.
  void write_back(const Operator& op) {
    std::string_view from;
    std::string_view to;
    for (const Slot& slot : op.inputs) {
      if (slot.variables.empty()) continue;
      if (slot.name.starts_with("Src_")) from = slot.variables.front();
      if (slot.name.starts_with("Dst_")) to = slot.variables.front();
    }
    require(!from.empty() && !to.empty(), "it has no source or no destination");
    put_assign(from, to);
  }

  /// calib: its kernel says from which precision to which.
  void convert(const Operator& op) {
    constexpr std::string_view kTo = "_to_";
    const std::string_view kernel = kernel_;
    const size_t middle = kernel.find(kTo);
    const std::string_view from = kernel.substr(0, std::min(middle, kernel.size()));
    const std::string_view to = middle == std::string_view::npos ? "" : kernel.substr(middle + kTo.size());
    const auto is_real = [](std::string_view type) { return type.starts_with("fp32") || type.starts_with("fp16"); };
    if (from.starts_with("int8") || (is_real(from) && is_real(to))) return copy(op, "Input");
    const std::string_view x = variable_at(op.inputs, "Input");
    const std::string_view out = variable_at(op.outputs, "Out");
    require(!x.empty() && !out.empty(), "it has no operand or no result");
    Operator made;
    if (to.starts_with("int8")) {
      made = rounding(out, op.attributes.get<double>("scale"));
    } else {
      const std::optional<int64_t> type = number_of(to);
      require(type.has_value(), ErrorCode::kUnsupported, "its kernel ", in_quotes(kernel_),
              " is not known: it says from which precision to which");
      made.type = "cast";
      made.attributes.set("out_dtype", *type);
      if (const std::optional<int64_t> before = number_of(from)) made.attributes.set("in_dtype", *before);
    }
    made.inputs.insert(made.inputs.begin(), {"X", {x}});
    made.outputs.push_back({"Out", {out}});
    block_.operators.push_back(std::move(made));
  }

  /// The number of an element type in files, of its name in kernels.
  static std::optional<int64_t> number_of(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, int64_t>, 5> kTypes{
        {{"int32", 2}, {"int64", 3}, {"fp32", 5}, {"fp16", 5}, {"bool", 0}}};
    for (const auto& [type, number] : kTypes) {
      if (name.starts_with(type)) return number;
    }
    return std::nullopt;
  }

  /// Where its kernel writes int8, the result is rounded to steps.
  void round_result(Operator& op) {
    if (!has_text(kernel_, "int8_out") && !has_text(kernel_, "int8out")) return;
    const std::string_view slot = is_convolution(op.type) ? "Output" : "Out";
    const Floats scales = noted_scales(op, text(slot, "0_scale"), "output_scale");
    require(scales.size() == 1, "its result is int8, and it has ", counted(scales.size(), "scale"), " for it");
    follow(op, slot, rounding(variable_at(op.outputs, slot), scales.front()));
  }

  /// Parameters of smaller types are read through an operator that makes float32 of them.
  void use_real_parameters(Operator& op) {
    for (Slot& slot : op.inputs) {
      for (std::string_view& variable : slot.variables) {
        std::optional<Operator> restoring = parameters_.restoring(op, slot.name, variable);
        if (!restoring) continue;
        variable = new_variable(variable, "real");
        restoring->outputs.front().variables.push_back(variable);
        block_.operators.push_back(std::move(*restoring));
      }
    }
  }

  Model& model_;
  SmallParameters& parameters_;
  programdesc::Block& block_;
  std::set<std::string_view> declared_;
  std::string kernel_;           ///< of the operator that is written anew
  std::vector<Operator> after_;  ///< what comes behind it, the last first
};

}  // namespace

void use_operators_of_paddle(Model& model) {
  SmallParameters parameters(model);
  for (programdesc::Block& block : model.program.blocks) Rewriter(model, parameters, block).run();
}

}  // namespace coracle::internal::paddle_lite
