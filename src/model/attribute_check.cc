// SPDX-License-Identifier: Apache-2.0
#include "model/attribute_check.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/deflated_text.h"
#include "base/printable.h"

namespace coracle::internal {

extern const DeflatedText kKnownAttributes;  ///< known_attributes.txt

namespace {

/// Made by scripts/known_attributes.py: a line for each operator of a format, sorted,
/// "program fc in_num_col_dims=1 ...". A newline is in front of each line, the first one too.
std::string_view all_known_attributes() {
  static const std::string& all = *new std::string("\n" + inflate_text(kKnownAttributes));
  return all;
}

/// An attribute that may go unread.
struct IgnoredAttribute {
  std::string_view type;  ///< of the operator; with '*' at the end all that begin so
  std::string_view attribute;
  const char* reason;
  std::string_view only = {};  ///< where given: with this value, as value_text writes it, and with no other
};

constexpr const char* kAdvice =
    "use the program as it was exported, before Paddle (enable_save_optim_model) or another tool optimised it";

constexpr const char* kOrigin = "it notes where the operator comes from";
constexpr const char* kForTraining = "it matters to training only";
constexpr const char* kForPlacement = "it chooses a device, a kernel, a memory layout or a library";
constexpr const char* kForSpeed = "it trades time for memory";
constexpr const char* kSaidByOperands = "the operands say it";
constexpr const char* kSaidByResults = "the results that are used say it";
constexpr const char* kSaidByType = "the operator's type says it";
constexpr const char* kForPrinting = "it says how values are printed, and nothing is printed here";

constexpr IgnoredAttribute kIgnoredAttributes[] = {
    {"*", "op_callstack", kOrigin},
    {"*", "op_role", kOrigin},
    {"*", "op_role_var", kOrigin},
    {"*", "op_namescope", kOrigin},
    {"*", "op_device", kForPlacement},
    {"*", "with_quant_attr", kOrigin},
    {"*", "stop_gradient", kForTraining},
    {"*", "is_test", "a program that is run is never trained"},
    {"*", "use_cudnn", kForPlacement},
    {"*", "use_mkldnn", kForPlacement},
    {"*", "use_onednn", kForPlacement},
    {"*", "mkldnn_data_type", kForPlacement},
    {"*", "onednn_data_type", kForPlacement},
    {"*", "use_quantizer", kForPlacement},
    {"*", "x_data_format", kForPlacement},
    {"*", "y_data_format", kForPlacement},
    {"*", "place", kForPlacement},
    {"*", "place_type", kForPlacement},
    {"*", "dst_place_type", kForPlacement},
    {"*", "force_cpu", kForPlacement},
    {"*", "workspace_size_MB", kForSpeed},
    {"*", "exhaustive_search", kForSpeed},
    {"*", "use_addto", kForSpeed},
    {"*", "use_seq", kForSpeed},
    {"*", "im2col_step", kForSpeed},
    {"*", "grad_inplace", kForTraining},
    {"*", "is_sparse", kForTraining},
    {"*", "sparse", kForTraining},
    {"*", "momentum", kForTraining},
    {"*", "moving_rate", kForTraining},
    {"*", "window_size", kForTraining},
    {"*", "fix_seed", kForTraining},
    {"*", "dropout_prob", kForTraining},
    {"*", "dropout_p", kForTraining},
    {"*", "dropout_fix_seed", kForTraining},
    {"*", "dropout_seed", kForTraining},
    {"*", "numeric_stable_mode", "the way that is stable is always taken"},
    {"*", "force_fp32_output", "results are of the declared type, whatever type products are computed in"},
    {"*", "fuse_residual_connection", kSaidByOperands},
    {"*", "save_intermediate_out", kSaidByResults},
    {"*", "ALL_KERNELS_MUST_COMPUTE_RUNTIME_SHAPE", kOrigin},
    {"*", "@ALL_KERNELS_MUST_COMPUTE_RUNTIME_SHAPE@", kOrigin},
    {"hash", "runtime_shape", kOrigin},
    {"dropout", "seed", kForTraining},
    {"fused_dropout_add", "seed", kForTraining},
    {"rnn", "seed", kForTraining},
    {"cudnn_lstm", "seed", kForTraining},
    {"rnn", "input_size", kSaidByOperands},
    {"cudnn_lstm", "input_size", kSaidByOperands},
    {"flash_attn*", "dropout", kForTraining},
    {"flash_attn*", "rng_name", kForTraining},
    {"flash_attn*", "return_softmax", kSaidByResults},
    {"lookup_table*", "is_distributed", kForTraining},
    {"lookup_table*", "remote_prefetch", kForTraining},
    {"lookup_table*", "trainer_id", kForTraining},
    {"lookup_table*", "slot", kForTraining},
    {"lookup_table*", "height_sections", kForTraining},
    {"lookup_table*", "epmap", kForTraining},
    {"lookup_table*", "table_names", kForTraining},
    {"lookup_table*", "table_class", kForTraining},
    {"lookup_table*", "entry", kForTraining},
    {"lookup_table*", "entry_config", kForTraining},
    {"hierarchical_sigmoid", "trainer_id", kForTraining},
    {"hierarchical_sigmoid", "height_sections", kForTraining},
    {"hierarchical_sigmoid", "epmap", kForTraining},
    {"hierarchical_sigmoid", "table_names", kForTraining},
    {"hierarchical_sigmoid", "remote_prefetch", kForTraining},
    {"coalesce_tensor", "persist_output", "it says how long memory is kept"},
    {"data_norm", "epsilon", kForTraining},
    {"data_norm", "summary_decay_rate", kForTraining},
    {"data_norm", "sync_stats", kForTraining},
    {"data_norm", "data_layout", "rows of channels are the same in each layout"},
    {"p_norm", "epsilon", "it matters to gradients only"},
    {"softmax", "data_format", kForPlacement},
    {"sequence_softmax", "data_format", kForPlacement},
    {"transpose*", "data_format", kForPlacement},
    {"fused_transpose", "data_format", kForPlacement},
    {"cast", "in_dtype", kSaidByOperands},
    {"transfer_dtype", "in_dtype", kSaidByOperands},
    {"reduce_*", "in_dtype", kSaidByOperands},
    {"frobenius_norm", "in_dtype", kSaidByOperands},
    {"create_array", "dtype", kSaidByResults},
    {"set_value", "dtype", kSaidByOperands},
    {"fill_constant", "shape", "an operand says it where there is one"},
    {"fill_constant_batch_size_like", "str_value", "it repeats value as a text"},
    {"fused_elemwise_activation", "scale", "only the function scale has it, and asks for it"},
    {"fused_elemwise_add_activation", "scale", "only the function scale has it, and asks for it"},
    {"fused_bias_act", "compute_dtype", kSaidByOperands},
    {"fused_bias_act", "quant_round_type", "only results that are quantised have it, and those are refused"},
    {"fused_bias_act", "quant_max_bound", "only results that are quantised have it, and those are refused"},
    {"fused_bias_act", "quant_min_bound", "only results that are quantised have it, and those are refused"},
    {"fused_bias_residual_layernorm", "quant_round_type",
     "only results that are quantised have it, and those are refused"},
    {"fused_bias_residual_layernorm", "quant_max_bound",
     "only results that are quantised have it, and those are refused"},
    {"fused_bias_residual_layernorm", "quant_min_bound",
     "only results that are quantised have it, and those are refused"},
    {"rms_norm", "quant_round_type", "only results that are quantised have it, and those are refused"},
    {"rms_norm", "quant_max_bound", "only results that are quantised have it, and those are refused"},
    {"rms_norm", "quant_min_bound", "only results that are quantised have it, and those are refused"},
    {"dequantize_linear", "round_type", "nothing is rounded"},
    {"unique*", "return_index", kSaidByResults},
    {"unique*", "return_inverse", kSaidByResults},
    {"unique*", "return_counts", kSaidByResults},
    {"unstack", "num", kSaidByOperands},
    {"repeat_interleave*", "output_size", kSaidByOperands},
    {"unpool", "unpooling_type", "there is no other", R"("max")"},
    {"nearest_interp*", "interp_method", kSaidByType, R"("nearest")"},
    {"linear_interp*", "interp_method", kSaidByType, R"("linear")"},
    {"bilinear_interp*", "interp_method", kSaidByType, R"("bilinear")"},
    {"bicubic_interp*", "interp_method", kSaidByType, R"("bicubic")"},
    {"trilinear_interp*", "interp_method", kSaidByType, R"("trilinear")"},
    {"assert", "summarize", kForPrinting},
    {"print", "first_n", kForPrinting},
    {"print", "message", kForPrinting},
    {"print", "summarize", kForPrinting},
    {"print", "is_forward", kForPrinting},
    {"print", "print_phase", kForPrinting},
    {"print", "print_tensor_layout", kForPrinting},
    {"print", "print_tensor_lod", kForPrinting},
    {"print", "print_tensor_name", kForPrinting},
    {"print", "print_tensor_shape", kForPrinting},
    {"print", "print_tensor_type", kForPrinting},
};

/// The entry of an attribute, or null.
const IgnoredAttribute* find_ignored(std::string_view type, std::string_view attribute) {
  const auto* it =
      std::find_if(std::begin(kIgnoredAttributes), std::end(kIgnoredAttributes), [&](const IgnoredAttribute& entry) {
        if (entry.attribute != attribute) return false;
        const std::string_view start = entry.type.substr(0, entry.type.size() - 1);
        return entry.type == type || (entry.type.ends_with('*') && type.starts_with(start));
      });
  return it == std::end(kIgnoredAttributes) ? nullptr : it;
}

std::string real_text(double value) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.9g", static_cast<double>(static_cast<float>(value)));
  return text.data();
}

struct ValueText {
  std::string operator()(bool value) const { return value ? "1" : "0"; }
  std::string operator()(int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return real_text(value); }
  std::string operator()(const std::string& value) const { return text('"', value, '"'); }
  std::string operator()(DType value) const { return text('"', name_of(value), '"'); }
  std::string operator()(const NeverHeld& /*value*/) const { return {}; }
  template <class T>
  std::string operator()(const std::vector<T>& values) const {
    std::string all;
    for (const T& value : values) append_text(all, text(all.empty() ? "" : ",", (*this)(value)));
    return text('[', all, ']');
  }
};

/// The line of an operator behind its name, or nothing. Lines are sorted as bytes of "format operator ".
std::string_view line_of(std::string_view type, bool is_pir) {
  const std::string_view all = all_known_attributes();
  const std::string head = text(is_pir ? "pir " : "program ", type, ' ');
  size_t low = 1;  // behind the newline that the text begins with
  size_t high = all.size();
  while (low < high) {
    const size_t start = all.rfind('\n', low + (high - low) / 2 - 1) + 1;
    const size_t end = all.find('\n', start);
    const std::string_view line = all.substr(start, end - start);
    if (line.starts_with(head)) return line.substr(head.size());
    if (line < std::string_view(head)) {
      low = end + 1;
    } else {
      high = start;
    }
  }
  return {};
}

/// The first value, or null.
const KnownAttribute* find_known(const std::vector<KnownAttribute>& all, std::string_view name) {
  const auto it = std::find_if(all.begin(), all.end(), [&](const KnownAttribute& k) { return k.name == name; });
  return it == all.end() ? nullptr : &*it;
}

/// True if any operator is registered with an attribute of this name; `missing`: and with this value where it is
/// missing.
bool any_has(std::string_view name, std::string_view missing) {
  const std::string_view all = all_known_attributes();
  const std::string whole = text(' ', name, '=', missing);
  for (size_t at = all.find(whole); at != std::string_view::npos; at = all.find(whole, at + 1)) {
    const size_t end = at + whole.size();
    if (missing.empty() || all[end] == ' ' || all[end] == '\n') return true;
  }
  return false;
}

/// True if Paddle itself would compute the same without the attribute.
bool is_missing_value(std::string_view type, bool is_pir, std::string_view name, const std::string& given) {
  const std::vector<KnownAttribute> all = known_attributes(type, is_pir);
  if (const KnownAttribute* known = find_known(all, name)) return given == known->missing;
  // Of what older Paddles registered for an operator, the names live on with others. What no Paddle has ever had is a
  // note that a tool left: no kernel looks for it.
  return !any_has(name, "") || any_has(name, given);
}

}  // namespace

std::string value_text(const AttributeValue& value) { return std::visit(ValueText{}, value); }

std::vector<KnownAttribute> known_attributes(std::string_view type, bool is_pir) {
  std::vector<KnownAttribute> all;
  std::string_view line = line_of(type, is_pir);
  while (!line.empty()) {
    const std::string_view item = line.substr(0, line.find(' '));
    const size_t equals = item.find('=');
    all.push_back({.name = item.substr(0, equals), .missing = item.substr(equals + 1)});
    line.remove_prefix(std::min(line.size(), item.size() + 1));
  }
  return all;
}

const char* reason_to_ignore(std::string_view type, std::string_view attribute) {
  const IgnoredAttribute* entry = find_ignored(type, attribute);
  return entry == nullptr ? nullptr : entry->reason;
}

void check_attributes(std::string_view type, bool is_pir, const OpSchema& schema, const AttributeReads& reads) {
  for (const auto& [name, value] : reads.unread()) {
    const bool of_operand = std::any_of(schema.inputs.begin(), schema.inputs.end(), [&, name = name](const Port& port) {
      return name == (is_pir ? port.name : std::string_view(port.attribute));
    });
    if (of_operand) continue;
    const std::string given = value_text(*value);
    const IgnoredAttribute* ignored = find_ignored(type, name);
    if (ignored != nullptr ? ignored->only.empty() || given == ignored->only
                           : is_missing_value(type, is_pir, name, given)) {
      continue;
    }
    fail(ErrorCode::kUnsupported, "the attribute ", in_quotes(name), " of operator ", in_quotes(type), " is ",
         printable(given), ", which is not supported; ", kAdvice);
  }
}

}  // namespace coracle::internal
