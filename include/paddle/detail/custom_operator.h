// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Custom operators as Paddle's users write them: PD_BUILD_OP registers one for the process when the library or program
/// that it stands in is loaded, for models that are loaded from then on. Kernels run on the CPU; those of gradients are
/// passed over.
///
///   std::vector<paddle::Tensor> Relu(const paddle::Tensor& x) { ... }
///   PD_BUILD_OP(custom_relu).Inputs({"X"}).Outputs({"Out"}).SetKernelFn(PD_KERNEL(Relu));
///
/// Without SetInferShapeFn results have the shape of the only input or, where there are several, one that is known when
/// the kernel has run; without SetInferDtypeFn they have the type of the first.
#include <cstdio>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "dispatch.h"
#include "operator_context.h"

namespace paddle {

inline std::string Grad(const std::string& name) { return name + "@GRAD"; }
inline std::string New(const std::string& name) { return name + "@NEW"; }
inline std::string Vec(const std::string& name) { return name + "@VECTOR"; }
inline std::string Optional(const std::string& name) { return name + "@OPTIONAL"; }

using KernelFunc = void (*)(CustomOpKernelContext*);
using InferShapeFunc = std::vector<detail::Shape> (*)(detail::InferContext<detail::Shape>*);
using InferDtypeFunc = std::vector<DataType> (*)(detail::InferContext<DataType>*);

/// What PD_KERNEL, PD_INFER_SHAPE and PD_INFER_DTYPE make of a function.
template <class F, F f>
struct KernelFuncImpl;
template <class... Args, std::vector<Tensor> (*f)(Args...)>
struct KernelFuncImpl<std::vector<Tensor> (*)(Args...), f> {
  static void Compute(CustomOpKernelContext* context) {
    context->take(
        detail::Caller<detail::OfKernel, CustomOpKernelContext, std::vector<Tensor>, Args...>::call(f, *context));
  }
};
template <class... Args, void (*f)(Args...)>
struct KernelFuncImpl<void (*)(Args...), f> {
  static void Compute(CustomOpKernelContext* context) {
    detail::Caller<detail::OfKernel, CustomOpKernelContext, void, Args...>::call(f, *context);
  }
};

template <class F, F f>
struct InferShapeFuncImpl;
template <class... Args, std::vector<detail::Shape> (*f)(Args...)>
struct InferShapeFuncImpl<std::vector<detail::Shape> (*)(Args...), f> {
  static std::vector<detail::Shape> InferShape(detail::InferContext<detail::Shape>* context) {
    return detail::Caller<detail::OfInferShape, detail::InferContext<detail::Shape>, std::vector<detail::Shape>,
                          Args...>::call(f, *context);
  }
};

template <class F, F f>
struct InferDtypeFuncImpl;
template <class... Args, std::vector<DataType> (*f)(Args...)>
struct InferDtypeFuncImpl<std::vector<DataType> (*)(Args...), f> {
  static std::vector<DataType> InferDtype(detail::InferContext<DataType>* context) {
    return detail::Caller<detail::OfInferDtype, detail::InferContext<DataType>, std::vector<DataType>, Args...>::call(
        f, *context);
  }
};

namespace detail {

/// An operator under construction, and what the library calls of it then. One that is registered stays for good.
class OperatorInfo {
 public:
  explicit OperatorInfo(const std::string& name) : name_(name) {}

  void add_ports(const std::vector<std::string>& names, std::vector<OperatorPort>& ports) {
    for (const std::string& name : names) {
      OperatorPort port;
      port.name = name;
      port.is_list = name.find("@VECTOR") != std::string::npos;
      port.may_be_absent = name.find("@OPTIONAL") != std::string::npos;
      ports.push_back(port);
    }
  }

  void add_attribute(const std::string& text) {
    const size_t colon = text.find(':');
    require(colon != std::string::npos, "operator '", name_, "' has the attribute '", text,
            "', expected \"name: type\"");
    const std::string name = trimmed(text.substr(0, colon));
    declared_.attributes.push_back(name);
    attributes_ += (attributes_.empty() ? "" : ", ") + name + ": " + library_type_of(trimmed(text.substr(colon + 1)));
  }

  void set_in_place(const std::unordered_map<std::string, std::string>& outputs_by_input) {
    for (const auto& pair : outputs_by_input) {
      const int input = position(pair.first, declared_.inputs);
      declared_.outputs[static_cast<size_t>(position(pair.second, declared_.outputs))].in_place_of = input;
    }
  }

  void register_it() {
    const std::string inputs = text_of(declared_.inputs);
    const std::string outputs = text_of(declared_.outputs);
    coracle_operator op;
    coracle_operator_init(&op, sizeof(op));
    op.name = name_.c_str();
    op.inputs = inputs.c_str();
    op.outputs = outputs.c_str();
    op.attributes = attributes_.c_str();
    op.user = this;
    op.infer = [](void* user, coracle_operator_call* call) {
      return guard(call, [=] { static_cast<const OperatorInfo*>(user)->infer(call); });
    };
    op.run = [](void* user, coracle_operator_call* call) {
      return guard(call, [=] { static_cast<const OperatorInfo*>(user)->run(call); });
    };
    check(coracle_register_operator(&op));
  }

  OperatorDeclaration declared_;
  KernelFunc kernel_ = nullptr;
  InferShapeFunc infer_shape_ = nullptr;
  InferDtypeFunc infer_dtype_ = nullptr;
  const std::string name_;
  bool is_done_ = false;  ///< registering was tried

 private:
  template <class F>
  static coracle_status guard(coracle_operator_call* call, const F& f) {
    try {
      f();
      return CORACLE_OK;
    } catch (const std::exception& error) {
      return coracle_call_fail(call, error.what());
    } catch (...) {
      return coracle_call_fail(call, "its function threw what is no std::exception");
    }
  }

  static std::string trimmed(const std::string& text) {
    const size_t begin = text.find_first_not_of(' ');
    return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
  }

  std::string library_type_of(const std::string& type) const {
    static const std::unordered_map<std::string, std::string> kTypes = {{"bool", "bool"},
                                                                        {"int", "int"},
                                                                        {"int64_t", "int"},
                                                                        {"float", "float"},
                                                                        {"double", "float"},
                                                                        {"std::string", "string"},
                                                                        {"std::vector<int>", "ints"},
                                                                        {"std::vector<int64_t>", "ints"},
                                                                        {"std::vector<float>", "floats"},
                                                                        {"std::vector<double>", "floats"},
                                                                        {"std::vector<std::string>", "strings"}};
    const auto found = kTypes.find(type);
    require(found != kTypes.end(), "operator '", name_, "' has an attribute of type '", type,
            "', expected bool, int, int64_t, float, double, std::string or a std::vector of these but bool");
    return found->second;
  }

  int position(const std::string& name, const std::vector<OperatorPort>& ports) const {
    for (size_t i = 0; i < ports.size(); ++i) {
      if (ports[i].name == name) return static_cast<int>(i);
    }
    fail("operator '", name_, "' has no tensor '", name, "', which SetInplaceMap names");
  }

  static std::string text_of(const std::vector<OperatorPort>& ports) {
    std::string text;
    for (const OperatorPort& port : ports) {
      text += (text.empty() ? "" : ", ") + port.name + (port.is_list ? "*" : port.may_be_absent ? "?" : "");
    }
    return text;
  }

  static coracle_tensor_view operand(coracle_operator_call* call, size_t input, size_t index) {
    coracle_tensor_view view;
    check(coracle_call_input(call, input, index, &view));
    return view;
  }

  /// Types of the operands: `take` makes one of a view.
  template <class T, class F>
  void read_operands(coracle_operator_call* call, std::vector<std::vector<T>>& to, const F& take) const {
    to.resize(declared_.inputs.size());
    for (size_t p = 0; p < to.size(); ++p) {
      const size_t count = coracle_call_input_count(call, p);
      for (size_t i = 0; i < count; ++i) to[p].push_back(take(operand(call, p, i)));
    }
  }

  /// What a function says of a result: it gives one for each output, which holds for all of a list, or one for each
  /// tensor.
  template <class T>
  const T& result_at(const std::vector<T>& results, size_t output, size_t flat, const char* function) const {
    const size_t at = results.size() == declared_.outputs.size() ? output : flat;
    require(at < results.size(), function, "'s function returned ", results.size(), " results, expected ",
            declared_.outputs.size(), ", one for each output");
    return results[at];
  }

  void infer(coracle_operator_call* call) const {
    bool ranks_known = true;
    InferContext<Shape> shapes(call, declared_);
    read_operands(call, shapes.inputs, [&](const coracle_tensor_view& view) {
      ranks_known = ranks_known && view.rank >= 0;
      return Shape(view.dims, view.dims + (view.rank < 0 ? 0 : view.rank));
    });
    InferContext<DataType> types(call, declared_);
    read_operands(call, types.inputs, [](const coracle_tensor_view& view) { return phi_type(view.dtype); });
    std::vector<Shape> result_shapes;
    if (infer_shape_ != nullptr && ranks_known) result_shapes = infer_shape_(&shapes);
    std::vector<DataType> result_types;
    if (infer_dtype_ != nullptr) result_types = infer_dtype_(&types);
    size_t flat = 0;
    for (size_t p = 0; p < declared_.outputs.size(); ++p) {
      const int same = declared_.outputs[p].in_place_of;
      const size_t like = same >= 0 ? static_cast<size_t>(same) : 0;
      const size_t count = coracle_call_output_count(call, p);
      for (size_t i = 0; i < count; ++i, ++flat) {
        const bool is_one = declared_.inputs.size() == 1 && declared_.outputs.size() == 1;
        const bool has_operand = like < shapes.inputs.size() && i < shapes.inputs[like].size();
        coracle_dtype dtype = CORACLE_FLOAT32;
        if (infer_dtype_ != nullptr) {
          dtype = library_type(result_at(result_types, p, flat, "SetInferDtypeFn"));
        } else {
          require(has_operand || !types.inputs.at(0).empty(), "no operand tells the type of '",
                  declared_.outputs[p].name, "': use SetInferDtypeFn");
          dtype = library_type(has_operand ? types.inputs[like][i] : types.inputs[0][0]);
        }
        if (infer_shape_ != nullptr && ranks_known) {
          set(call, p, i, dtype, result_at(result_shapes, p, flat, "SetInferShapeFn"));
        } else if (infer_shape_ == nullptr && ranks_known && has_operand && (is_one || same >= 0)) {
          set(call, p, i, dtype, shapes.inputs[like][i]);
        } else {
          check(coracle_call_set_output(call, p, i, dtype, -1, nullptr));
        }
      }
    }
  }

  static void set(coracle_operator_call* call, size_t output, size_t index, coracle_dtype dtype, const Shape& shape) {
    check(coracle_call_set_output(call, output, index, dtype, static_cast<int32_t>(shape.size()), shape.data()));
  }

  void run(coracle_operator_call* call) const {
    CustomOpKernelContext context(call, declared_);
    read_operands(call, context.inputs_, [](const coracle_tensor_view& view) {
      return Tensor("", view.dtype, Shape(view.dims, view.dims + view.rank), view.data);
    });
    context.outputs_.resize(declared_.outputs.size());
    for (size_t p = 0; p < declared_.outputs.size(); ++p) {
      context.outputs_[p].resize(coracle_call_output_count(call, p));
      if (declared_.outputs[p].in_place_of < 0) continue;
      // What the kernel changes is a copy: others may read the operand.
      for (Tensor& t : context.inputs_[static_cast<size_t>(declared_.outputs[p].in_place_of)]) t = t.clone();
    }
    kernel_(&context);
    for (size_t p = 0; p < declared_.outputs.size(); ++p) {
      const int same = declared_.outputs[p].in_place_of;
      for (size_t i = 0; i < context.outputs_[p].size(); ++i) {
        const Tensor& result = same >= 0 ? context.inputs_[static_cast<size_t>(same)].at(i) : context.outputs_[p][i];
        require(result.defined(), "the kernel gave no '", declared_.outputs[p].name, "'");
        const Shape shape = result.shape();
        const coracle_dtype dtype = library_type(result.dtype());
        void* data = nullptr;
        check(coracle_call_output(call, p, i, dtype, static_cast<int32_t>(shape.size()), shape.data(), &data));
        const size_t bytes = static_cast<size_t>(result.numel()) * coracle_dtype_size(dtype);
        if (bytes != 0) std::memcpy(data, result.data(), bytes);
      }
    }
  }

  std::string attributes_;
};

}  // namespace detail

/// PD_BUILD_OP's; the operator is registered at the end of the statement.
class OpMetaInfoBuilder {
 public:
  /// `index`: 0; those of gradients are greater.
  OpMetaInfoBuilder(const std::string& name, size_t index)
      : info_(new detail::OperatorInfo(name)), is_gradient_(index > 0) {}
  OpMetaInfoBuilder(const OpMetaInfoBuilder& other) = default;
  OpMetaInfoBuilder& operator=(const OpMetaInfoBuilder&) = delete;
  ~OpMetaInfoBuilder() {
    if (is_gradient_ || info_->kernel_ == nullptr || info_->is_done_) return;
    info_->is_done_ = true;
    try {
      info_->register_it();
      // The library calls it until the process ends.
      static std::vector<std::shared_ptr<detail::OperatorInfo>>* const kKept =
          new std::vector<std::shared_ptr<detail::OperatorInfo>>();
      kKept->push_back(info_);
    } catch (const std::exception& error) {
      // Whoever loads the library cannot be told otherwise; a model that names the operator is refused.
      std::fprintf(stderr, "PD_BUILD_OP(%s): %s\n", info_->name_.c_str(), error.what());
    }
  }

  OpMetaInfoBuilder& Inputs(const std::vector<std::string>& inputs) {
    info_->add_ports(inputs, info_->declared_.inputs);
    return *this;
  }
  OpMetaInfoBuilder& Outputs(const std::vector<std::string>& outputs) {
    info_->add_ports(outputs, info_->declared_.outputs);
    return *this;
  }
  OpMetaInfoBuilder& Attrs(const std::vector<std::string>& attributes) {
    for (const std::string& attribute : attributes) info_->add_attribute(attribute);
    return *this;
  }
  OpMetaInfoBuilder& SetInplaceMap(const std::unordered_map<std::string, std::string>& outputs_by_input) {
    info_->set_in_place(outputs_by_input);
    return *this;
  }
  OpMetaInfoBuilder& SetKernelFn(KernelFunc function) {
    info_->kernel_ = function;
    return *this;
  }
  OpMetaInfoBuilder& SetInferShapeFn(InferShapeFunc function) {
    info_->infer_shape_ = function;
    return *this;
  }
  OpMetaInfoBuilder& SetInferDtypeFn(InferDtypeFunc function) {
    info_->infer_dtype_ = function;
    return *this;
  }
  /// For TensorRT, which is not here.
  template <class F>
  OpMetaInfoBuilder& SetTrtInferShapeFn(const F&) {
    return *this;
  }
  OpMetaInfoBuilder& SetTrtSupportsFormatConfig(const std::vector<std::string>&) { return *this; }

 private:
  std::shared_ptr<detail::OperatorInfo> info_;
  bool is_gradient_;
};

}  // namespace paddle

#define PD_KERNEL(...) ::paddle::KernelFuncImpl<decltype(&__VA_ARGS__), &__VA_ARGS__>::Compute
#define PD_INFER_SHAPE(...) ::paddle::InferShapeFuncImpl<decltype(&__VA_ARGS__), &__VA_ARGS__>::InferShape
#define PD_INFER_DTYPE(...) ::paddle::InferDtypeFuncImpl<decltype(&__VA_ARGS__), &__VA_ARGS__>::InferDtype
#define CORACLE_PD_BUILD(NAME, VARIABLE, INDEX) \
  static ::paddle::OpMetaInfoBuilder VARIABLE = ::paddle::OpMetaInfoBuilder(#NAME, INDEX)
#define PD_BUILD_OP(op_name) CORACLE_PD_BUILD(op_name, coracle_operator_##op_name, 0)
#define PD_BUILD_GRAD_OP(op_name) CORACLE_PD_BUILD(op_name, coracle_gradient_##op_name, 1)
#define PD_BUILD_DOUBLE_GRAD_OP(op_name) CORACLE_PD_BUILD(op_name, coracle_double_gradient_##op_name, 2)
