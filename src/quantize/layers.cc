// SPDX-License-Identifier: Apache-2.0
#include "quantize/layers.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/printable.h"

namespace coracle::internal::quantize {
namespace {

using Family = LayerFamily;

/// Operators whose operands are numbers of a parameter and of x.
struct Kind {
  const char* type;
  const char* x;
  const char* weights;
  const char* result;
  Family family;
};
constexpr Kind kKinds[] = {
    {"conv2d", "Input", "Filter", "Output", Family::kConvolution},
    {"depthwise_conv2d", "Input", "Filter", "Output", Family::kConvolution},
    {"conv2d_transpose", "Input", "Filter", "Output", Family::kConvolution},
    {"depthwise_conv2d_transpose", "Input", "Filter", "Output", Family::kConvolution},
    {"mul", "X", "Y", "Out", Family::kProduct},
    {"matmul", "X", "Y", "Out", Family::kProduct},
    {"matmul_v2", "X", "Y", "Out", Family::kProduct},
    {"lookup_table", "Ids", "W", "Out", Family::kTable},
    {"lookup_table_v2", "Ids", "W", "Out", Family::kTable},
};

/// Operators that leave elements as they are; runs show what they read.
constexpr const char* kViews[] = {"assign",    "flatten",   "flatten2", "flatten_contiguous_range",
                                  "reshape",   "reshape2",  "squeeze",  "squeeze2",
                                  "unsqueeze", "unsqueeze2"};

/// Numbers from here on round to infinity in float16.
constexpr float kHalfEnd = 65520;

class Finder {
 public:
  Finder(const Program& program, const ParameterMap& parameters, Precision precision)
      : program_(program), parameters_(parameters), precision_(precision) {
    for (const ProgramOperator& o : program.operators) {
      for (const auto& [slot, names] : o.inputs) {
        for (const std::string& name : names) ++readers_[name];
      }
    }
    for (const std::string& name : program.read_by_others) readers_[name] += 2;  // of what is not looked at
    for (const ProgramOperator& o : program.operators) {
      const std::string x = o.input("X");
      if (is_view(o) && parameters.count(x) != 0 && read_once(x)) shaped_[o.output("Out")] = x;
    }
  }

  std::vector<Layer> find() {
    std::vector<Layer> layers;
    for (size_t i = 0; i < program_.operators.size(); ++i) {
      const ProgramOperator& o = program_.operators[i];
      for (const Kind& kind : kKinds) {
        if (o.type == kind.type && parameters_.count(o.input(kind.weights)) != 0) layers.push_back(layer(i, o, kind));
      }
      const WrittenValue operand = latest(o.input("X"));
      for (const auto& [slot, names] : o.outputs) {
        // What feeds an input is no operator of the model.
        for (const std::string& name : names) writes_[name] += o.type == "feed" ? 0 : 1;
      }
      if (is_view(o)) views_[latest(o.output("Out"))] = seen(operand);
    }
    return layers;
  }

 private:
  static bool is_view(const ProgramOperator& o) {
    return std::find(std::begin(kViews), std::end(kViews), o.type) != std::end(kViews) ||
           (o.type == "dropout" && is_identity(o));
  }
  /// Dropout that leaves elements as they are when it does not train.
  static bool is_identity(const ProgramOperator& dropout) {
    for (const char* name : {"dropout_implementation", "mode"}) {
      if (const std::string* given = dropout.text(name)) return *given == "upscale_in_train";
    }
    return false;
  }

  Layer layer(size_t index, const ProgramOperator& o, const Kind& kind) {
    Layer l;
    l.index = index;
    l.type = o.type;
    l.family = kind.family;
    l.name = o.output(kind.result);
    l.x_slot = kind.x;
    l.x = latest(o.input(kind.x));
    l.seen = seen(l.x);
    l.weights_slot = kind.weights;
    l.weights = o.input(kind.weights);
    l.rounds_operand = kind.family != Family::kTable;
    if (kind.family == Family::kConvolution) l.kept = place_convolution(o, l);
    if (kind.family == Family::kProduct) l.kept = place_product(o, l);
    if (l.kept.empty()) l.kept = unfit(l, kind);
    const bool corrected = precision_ == Precision::kIntegers && l.rounds_operand;
    if (l.kept.empty() && corrected) l.correction = correction(index, l, kind.family == Family::kConvolution);
    return l;
  }

  /// What an operator reads in a variable.
  WrittenValue latest(const std::string& variable) const {
    const auto found = writes_.find(variable);
    return {variable, (found == writes_.end() ? 0 : found->second) - 1};
  }
  WrittenValue seen(const WrittenValue& value) const {
    const auto found = views_.find(value);
    return found == views_.end() ? value : found->second;
  }

  /// The parameter that a variable is, or is with another shape, where nothing else reads it; or nothing.
  std::string parameter_of(const std::string& variable) const {
    if (parameters_.count(variable) != 0) return variable;
    const auto found = shaped_.find(variable);
    return found == shaped_.end() ? std::string() : found->second;
  }

  const Parameter& weights(const Layer& l) const { return parameters_.at(l.weights); }

  std::string place_convolution(const ProgramOperator& o, Layer& l) const {
    const std::vector<int64_t>& dims = weights(l).dims;
    if (dims.size() != 4) return "its weights have not four dimensions";
    l.groups = o.integer("groups", 1);
    // Transposed convolutions have weights [input channels, output channels of a group, ...].
    const bool transposed = o.type.find("transpose") != std::string::npos;
    l.axis = transposed ? 1 : 0;
    l.means = !transposed;
    if (l.groups < 1 || dims[0] % l.groups != 0) return "its groups do not fit its weights";
    if (transposed && l.groups != 1 && dims[1] != 1) return "it is transposed and has groups of several channels";
    if (transposed && l.groups != 1) l.axis = 0;
    const std::string* format = o.text("data_format");
    l.x_channels = format == nullptr || *format != "NHWC" ? 1 : 3;
    l.rounds_operand = l.x_channels == 1 && (!transposed || makes_blocks(o, dims));
    return {};
  }

  /// Whether each input pixel of a transposed convolution becomes pixels of its own: its filters neither overlap nor
  /// are cut, and it has one group. There are operators on integers for these.
  static bool makes_blocks(const ProgramOperator& o, const std::vector<int64_t>& filter) {
    const auto all_are = [&](const char* attribute, int64_t number) {
      const Ints list = o.list(attribute);
      return std::all_of(list.begin(), list.end(), [&](int64_t n) { return n == number; });
    };
    const std::string* padding = o.text("padding_algorithm");
    if (padding != nullptr && *padding == "SAME") return false;
    const bool plain = all_are("paddings", 0) && all_are("dilations", 1) && all_are("output_padding", 0);
    const bool sized = !o.list("output_size").empty() || o.inputs.count("OutputSizeTensor") != 0;
    return plain && !sized && o.integer("groups", 1) == 1 && o.list("strides") == Ints{filter[2], filter[3]};
  }

  std::string place_product(const ProgramOperator& o, Layer& l) const {
    if (weights(l).dims.size() != 2) return "its weights are no matrix";
    // Of matmul_v2, matmul and PIR.
    const auto is_set = [&](std::initializer_list<const char*> names) {
      return std::any_of(names.begin(), names.end(), [&](const char* name) { return o.integer(name, 0) != 0; });
    };
    const bool transposed = is_set({"trans_x", "transpose_X", "transpose_x"});
    if (precision_ == Precision::kIntegers && transposed) return "its operand is transposed";
    if (o.integer("y_num_col_dims", 1) != 1) return "its weights are no matrix";
    l.axis = is_set({"trans_y", "transpose_Y", "transpose_y"}) ? 0 : 1;
    l.x_channels = -1;
    return {};
  }

  std::string unfit(const Layer& l, const Kind& kind) const {
    const Parameter& w = weights(l);
    if (w.dtype != DType::kFloat32) return "its weights are not float32";
    if (w.content.empty()) return "its weights are empty";
    if (readers_.at(l.weights) != 1) return "several operators read its weights";
    if (l.x.variable.empty() || parameters_.count(l.x.variable) != 0) return "both operands are constants";
    const std::vector<float> values = floats_of(w);
    if (!std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); })) {
      return "its weights have values that are no finite numbers";
    }
    if (precision_ == Precision::kHalfWeights) {
      const bool fit = std::all_of(values.begin(), values.end(), [](float v) { return std::fabs(v) < kHalfEnd; });
      if (!fit) return "its weights reach further than float16";
    }
    if (kind.family == Family::kTable) return {};
    const ProgramVariable* x = program_.find(l.x.variable);
    if (x == nullptr || x->dtype != DType::kFloat32) return "its operand is not float32";
    return {};
  }

  bool read_once(const std::string& name) const {
    const auto found = readers_.find(name);
    return found != readers_.end() && found->second == 1;
  }

  /// What an operator multiplies its result with.
  static double scale_of(const ProgramOperator& o) { return o.type == "matmul" ? o.real("alpha", 1) : 1; }

  /// Whether what is added to a layer's result has its elements along the channels.
  bool adds_to_channels(const ProgramOperator& add, const Layer& l, int64_t channels) const {
    const ProgramVariable* x = program_.find(l.name);
    const ProgramVariable* y = program_.find(add.input("Y"));
    if (x == nullptr || y == nullptr || y->dims.size() > x->dims.size()) return false;
    const auto rank = static_cast<int64_t>(x->dims.size());
    const auto of_y = static_cast<int64_t>(y->dims.size());
    const int64_t axis = add.integer("axis", -1);
    const int64_t at = (l.x_channels < 0 ? rank - 1 : l.x_channels) - (axis < 0 ? rank - of_y : axis);
    return at >= 0 && at < of_y && y->dims[static_cast<size_t>(at)] == channels;
  }

  Correction correction(size_t index, const Layer& l, bool convolution) const {
    if (!read_once(l.name)) return {};
    if (!l.means) return {};
    const int64_t channels = weights(l).dims[static_cast<size_t>(l.axis)];
    const auto fitting = [&](const std::string& variable) {
      const std::string name = parameter_of(variable);
      const auto found = parameters_.find(name);
      const bool fits = found != parameters_.end() && read_once(variable) && read_once(name) &&
                        found->second.dtype == DType::kFloat32 &&
                        found->second.content.size() == static_cast<size_t>(channels) * sizeof(float);
      return fits ? name : std::string();
    };
    for (size_t i = index + 1; i < program_.operators.size(); ++i) {
      const ProgramOperator& o = program_.operators[i];
      if (o.input("X") != l.name) continue;
      const bool norm = convolution && o.type == "batch_norm";
      if (norm || (o.type == "elementwise_add" && adds_to_channels(o, l, channels))) {
        const std::string parameter = fitting(o.input(norm ? "Mean" : "Y"));
        if (!parameter.empty()) return {parameter, (norm ? 1.0 : -1.0) * scale_of(program_.operators[index])};
      }
      return {};
    }
    return {};
  }

  const Program& program_;
  const ParameterMap& parameters_;
  Precision precision_;
  std::map<std::string, int> readers_;
  std::map<std::string, int> writes_;
  std::map<WrittenValue, WrittenValue> views_;
  std::map<std::string, std::string> shaped_;  ///< parameters that were given another shape
};

}  // namespace

std::vector<Layer> find_layers(const Program& program, const ParameterMap& parameters, Precision precision,
                               const std::vector<std::string>& keep) {
  std::vector<Layer> layers = Finder(program, parameters, precision).find();
  for (const std::string& name : keep) {
    bool found = false;
    for (Layer& l : layers) {
      if (l.name != name && l.weights != name) continue;
      l.kept = "--keep names it";
      found = true;
    }
    if (found) continue;
    fail(ErrorCode::kInvalidArgument, "--keep ", printable(name),
         ": no product or convolution with constant weights has a result or weights of that name; the first of ",
         layers.size(), " results is ", layers.empty() ? "none" : printable(layers[0].name));
  }
  return layers;
}

}  // namespace coracle::internal::quantize
