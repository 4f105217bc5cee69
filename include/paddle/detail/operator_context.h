// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How functions of custom operators are called: each of their parameters is taken, in its order, from what a node of
/// the model has at the next input, output or attribute.
#include <algorithm>
#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "coracle/operator.h"
#include "dense_tensor.h"
#include "optional.h"

namespace paddle {
namespace detail {

using Shape = std::vector<int64_t>;

/// What an operator declares.
struct OperatorPort {
  std::string name;
  bool is_list = false;
  bool may_be_absent = false;
  int in_place_of = -1;  ///< of an output: the input whose tensor it is
};

struct OperatorDeclaration {
  std::vector<OperatorPort> inputs;
  std::vector<OperatorPort> outputs;
  std::vector<std::string> attributes;  ///< names
};

/// The attributes of a node, in the order of their declaration.
class OperatorAttributes {
 public:
  OperatorAttributes(coracle_operator_call* call, const OperatorDeclaration& op) : call_(call), op_(op) {}

  template <class T>
  T next() {
    require(next_ < op_.attributes.size(),
            "the function has more parameters than the operator has inputs, outputs and ", op_.attributes.size(),
            " attributes");
    return read(op_.attributes[next_++], static_cast<T*>(nullptr));
  }

 private:
  bool read(const std::string& name, bool*) { return ints<int64_t>(name).at(0) != 0; }
  int read(const std::string& name, int*) { return static_cast<int>(ints<int64_t>(name).at(0)); }
  int64_t read(const std::string& name, int64_t*) { return ints<int64_t>(name).at(0); }
  float read(const std::string& name, float*) { return static_cast<float>(floats<double>(name).at(0)); }
  double read(const std::string& name, double*) { return floats<double>(name).at(0); }
  std::string read(const std::string& name, std::string*) { return strings(name).at(0); }
  std::vector<int> read(const std::string& name, std::vector<int>*) { return ints<int>(name); }
  std::vector<int64_t> read(const std::string& name, std::vector<int64_t>*) { return ints<int64_t>(name); }
  std::vector<float> read(const std::string& name, std::vector<float>*) { return floats<float>(name); }
  std::vector<double> read(const std::string& name, std::vector<double>*) { return floats<double>(name); }
  std::vector<std::string> read(const std::string& name, std::vector<std::string>*) { return strings(name); }

  template <class T>
  std::vector<T> ints(const std::string& name) {
    const int64_t* values = nullptr;
    size_t count = 0;
    check(coracle_call_ints(call_, name.c_str(), &values, &count));
    std::vector<T> out;
    for (size_t i = 0; i < count; ++i) out.push_back(static_cast<T>(values[i]));
    return out;
  }
  template <class T>
  std::vector<T> floats(const std::string& name) {
    const double* values = nullptr;
    size_t count = 0;
    check(coracle_call_floats(call_, name.c_str(), &values, &count));
    std::vector<T> out;
    for (size_t i = 0; i < count; ++i) out.push_back(static_cast<T>(values[i]));
    return out;
  }
  std::vector<std::string> strings(const std::string& name) {
    const char* const* values = nullptr;
    size_t count = 0;
    check(coracle_call_strings(call_, name.c_str(), &values, &count));
    return std::vector<std::string>(values, values + count);
  }

  coracle_operator_call* call_;
  const OperatorDeclaration& op_;
  size_t next_ = 0;
};

template <size_t... I>
struct Indices {};
template <size_t N, size_t... I>
struct MakeIndices : MakeIndices<N - 1, N - 1, I...> {};
template <size_t... I>
struct MakeIndices<0, I...> {
  using type = Indices<I...>;
};

/// Calls a function with what `Taken<T>` takes from the context for each parameter; these are made in order.
template <template <class> class Taken, class Context, class Return, class... Args>
class Caller {
 public:
  static Return call(Return (*function)(Args...), Context& context) {
    std::tuple<Taken<typename std::decay<Args>::type>...> arguments{Taken<typename std::decay<Args>::type>(context)...};
    return call(function, arguments, typename MakeIndices<sizeof...(Args)>::type());
  }

 private:
  template <class Tuple, size_t... I>
  static Return call(Return (*function)(Args...), Tuple& arguments, Indices<I...>) {
    static_cast<void>(arguments);
    return function(std::get<I>(arguments).get()...);
  }
};

/// The one value at a port that holds one.
template <class T>
T& one_of(std::vector<std::vector<T>>& ports, const std::vector<OperatorPort>& declared, size_t port) {
  require(port < ports.size(), "the function has more tensors as parameters than the operator declares");
  require(!ports[port].empty(), "the model gives no tensor for '", declared[port].name, "'");
  return ports[port].front();
}
template <class T>
std::vector<T>& all_of(std::vector<std::vector<T>>& ports, size_t port) {
  require(port < ports.size(), "the function has more tensors as parameters than the operator declares");
  return ports[port];
}

}  // namespace detail

/// What a kernel is called for.
class CustomOpKernelContext {
 public:
  CustomOpKernelContext(coracle_operator_call* call, const detail::OperatorDeclaration& op)
      : op_(op), attributes_(call, op) {}

  const detail::OperatorDeclaration& op_;
  detail::OperatorAttributes attributes_;
  std::vector<std::vector<Tensor>> inputs_;   // by input
  std::vector<std::vector<Tensor>> outputs_;  // by output
  size_t next_input_ = 0;
  size_t next_output_ = 0;

  /// Results that a kernel returns: those of outputs that are no input's tensor, one after the other.
  void take(const std::vector<Tensor>& results) {
    size_t at = 0;
    for (size_t p = 0; p < outputs_.size(); ++p) {
      if (op_.outputs[p].in_place_of >= 0) continue;
      for (Tensor& output : outputs_[p]) {
        detail::require(at < results.size(), "the kernel returned ", results.size(), " tensors, expected more");
        output = results[at++];
      }
    }
    detail::require(at == results.size(), "the kernel returned ", results.size(), " tensors, expected ", at);
  }
};

namespace detail {

/// Parameters of kernels.
template <class T>
struct OfKernel {  // an attribute
  explicit OfKernel(CustomOpKernelContext& context) : value(context.attributes_.next<T>()) {}
  T& get() { return value; }
  T value;
};
template <>
struct OfKernel<Tensor> {
  explicit OfKernel(CustomOpKernelContext& c) : value(&one_of(c.inputs_, c.op_.inputs, c.next_input_++)) {}
  Tensor& get() { return *value; }
  Tensor* value;
};
template <>
struct OfKernel<std::vector<Tensor>> {
  explicit OfKernel(CustomOpKernelContext& c) : value(&all_of(c.inputs_, c.next_input_++)) {}
  std::vector<Tensor>& get() { return *value; }
  std::vector<Tensor>* value;
};
template <>
struct OfKernel<optional<Tensor>> {
  explicit OfKernel(CustomOpKernelContext& c) {
    const std::vector<Tensor>& given = all_of(c.inputs_, c.next_input_++);
    if (!given.empty()) value = given.front();
  }
  optional<Tensor>& get() { return value; }
  optional<Tensor> value;
};
template <>
struct OfKernel<optional<std::vector<Tensor>>> {
  explicit OfKernel(CustomOpKernelContext& c) {
    const std::vector<Tensor>& given = all_of(c.inputs_, c.next_input_++);
    if (!given.empty()) value = given;
  }
  optional<std::vector<Tensor>>& get() { return value; }
  optional<std::vector<Tensor>> value;
};
template <>
struct OfKernel<Tensor*> {
  explicit OfKernel(CustomOpKernelContext& c) : value(&one_of(c.outputs_, c.op_.outputs, c.next_output_++)) {}
  Tensor* get() { return value; }
  Tensor* value;
};
template <>
struct OfKernel<std::vector<Tensor*>> {
  explicit OfKernel(CustomOpKernelContext& c) {
    for (Tensor& output : all_of(c.outputs_, c.next_output_++)) value.push_back(&output);
  }
  std::vector<Tensor*>& get() { return value; }
  std::vector<Tensor*> value;
};

/// What functions that infer are called for: T is a shape or an element type.
template <class T>
struct InferContext {
  InferContext(coracle_operator_call* call, const OperatorDeclaration& declared)
      : op(declared), attributes(call, declared) {}

  const OperatorDeclaration& op;
  OperatorAttributes attributes;
  std::vector<std::vector<T>> inputs;  ///< by input
  size_t next_one = 0;                 ///< input that is looked at next for one tensor
  size_t next_list = 0;                ///< and for a list

  std::vector<T>& next(bool is_list) {
    size_t& at = is_list ? next_list : next_one;
    while (at < inputs.size() && op.inputs[at].is_list != is_list) ++at;
    require(at < inputs.size(), "the function has more ", is_list ? "lists" : "tensors",
            " as parameters than the operator declares");
    return inputs[at++];
  }
};

/// Parameters of functions that infer.
template <class Of, class T>
struct OfInfer {  // an attribute
  explicit OfInfer(InferContext<Of>& context) : value(context.attributes.template next<T>()) {}
  T& get() { return value; }
  T value;
};
template <class Of>
struct OfInfer<Of, Of> {
  explicit OfInfer(InferContext<Of>& context) {
    const std::vector<Of>& given = context.next(false);
    if (!given.empty()) value = given.front();
  }
  Of& get() { return value; }
  Of value = Of();
};
template <class Of>
struct OfInfer<Of, std::vector<Of>> {
  explicit OfInfer(InferContext<Of>& context) : value(context.next(true)) {}
  std::vector<Of>& get() { return value; }
  std::vector<Of> value;
};
template <class Of>
struct OfInfer<Of, optional<Of>> {
  explicit OfInfer(InferContext<Of>& context) {
    const std::vector<Of>& given = context.next(false);
    if (!given.empty()) value = given.front();
  }
  optional<Of>& get() { return value; }
  optional<Of> value;
};
template <class Of>
struct OfInfer<Of, optional<std::vector<Of>>> {
  explicit OfInfer(InferContext<Of>& context) {
    const std::vector<Of>& given = context.next(true);
    if (!given.empty()) value = given;
  }
  optional<std::vector<Of>>& get() { return value; }
  optional<std::vector<Of>> value;
};

template <class T>
using OfInferShape = OfInfer<Shape, T>;
template <class T>
using OfInferDtype = OfInfer<DataType, T>;

}  // namespace detail
}  // namespace paddle
