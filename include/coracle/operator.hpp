// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Operators of one's own in C++: header-only over operator.h, which says what holds. Included by coracle.hpp.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "coracle/operator.h"
#include "coracle/span.hpp"
#include "coracle/tensor.hpp"

namespace coracle {
#if !defined(__cpp_exceptions)
inline namespace without_exceptions {
#endif

/// What a function of an operator is called for; valid during the call. What it cannot give is an Exception.
class OperatorCall {
 public:
  explicit OperatorCall(coracle_operator_call* call) : call_(call) {}

  size_t input_count(size_t input) const { return coracle_call_input_count(call_, input); }
  size_t output_count(size_t output) const { return coracle_call_output_count(call_, output); }
  bool has_input(size_t input) const { return input_count(input) > 0; }

  /// An operand. While types are inferred a dimension may be -1, dims() is empty where rank_known() is false, and there
  /// are elements (raw()) only where they are known.
  View input(size_t input, size_t index = 0) const {
    coracle_tensor_view view;
    check(coracle_call_input(call_, input, index, &view));
    const int32_t rank = view.rank;
    if (rank < 0) view.rank = 0;
    Lod lod(view.lod_levels);
    for (size_t level = 0; level < lod.size(); ++level) {
      const size_t* offsets = nullptr;
      size_t size = 0;
      check(coracle_call_input_lod(call_, input, index, level, &offsets, &size));
      lod[level].assign(offsets, offsets + size);
    }
    return {view, std::move(lod)};
  }
  bool rank_known(size_t input, size_t index = 0) const {
    coracle_tensor_view view;
    check(coracle_call_input(call_, input, index, &view));
    return view.rank >= 0;
  }

  /// In `infer`: the type of a result; a dimension of -1 is known to `run` alone.
  void set_output(size_t output, coracle_dtype dtype, const Dims& dims, size_t index = 0) {
    check(coracle_call_set_output(call_, output, index, dtype, static_cast<int32_t>(dims.size()), dims.data()));
  }
  /// The same of a result of which not even the number of dimensions is known.
  void set_output(size_t output, coracle_dtype dtype) {
    check(coracle_call_set_output(call_, output, 0, dtype, -1, nullptr));
  }
  /// In `run`: memory for a result, to be filled.
  void* output(size_t output, coracle_dtype dtype, const Dims& dims, size_t index = 0) {
    void* data = nullptr;
    check(coracle_call_output(call_, output, index, dtype, static_cast<int32_t>(dims.size()), dims.data(), &data));
    return data;
  }
  template <class T>
  Span<T> output(size_t output, const Dims& dims, size_t index = 0) {
    size_t count = 1;
    for (const int64_t d : dims) count *= static_cast<size_t>(d);
    return {static_cast<T*>(this->output(output, dtype_of<T>(), dims, index)), count};
  }

  /// Values of attributes; bool and dtype are integers.
  std::vector<int64_t> ints(const std::string& attribute) const {
    const int64_t* values = nullptr;
    size_t count = 0;
    check(coracle_call_ints(call_, attribute.c_str(), &values, &count));
    return {values, values + count};
  }
  std::vector<double> floats(const std::string& attribute) const {
    const double* values = nullptr;
    size_t count = 0;
    check(coracle_call_floats(call_, attribute.c_str(), &values, &count));
    return {values, values + count};
  }
  std::vector<std::string> strings(const std::string& attribute) const {
    const char* const* values = nullptr;
    size_t count = 0;
    check(coracle_call_strings(call_, attribute.c_str(), &values, &count));
    return {values, values + count};
  }
  int64_t integer(const std::string& attribute) const { return ints(attribute).at(0); }
  double number(const std::string& attribute) const { return floats(attribute).at(0); }
  std::string text(const std::string& attribute) const { return strings(attribute).at(0); }

  /// An Exception where the run has been cancelled or is out of time.
  void check_time() const { check(coracle_call_check(call_)); }
  coracle_operator_call* handle() const { return call_; }

 private:
  coracle_operator_call* call_;
};

/// What coracle_operator has. The functions throw to fail; sessions in several threads call them together.
struct Operator {
  std::string name = {};
  std::string inputs = {};   ///< "x, bias?, parts*"
  std::string outputs = {};  ///< "out"
  std::function<void(OperatorCall&)> run = nullptr;
  std::function<void(OperatorCall&)> infer = nullptr;  ///< none: every result has the type of the first operand
  std::string attributes = {};                         ///< "axis: int = -1, eps: float"
  bool one_thread = false;                             ///< never called by two threads at once
  bool impure = false;                                 ///< each call of the program is made
};

/// Operators as the C interface takes them: the library owns their functions from taken() on.
class GivenOperators {
 public:
  explicit GivenOperators(const std::vector<Operator>& operators) {
    for (const Operator& op : operators) {
      owned_.push_back(std::make_unique<Operator>(op));
      Operator& mine = *owned_.back();
      coracle_operator c;
      coracle_operator_init(&c, sizeof(c));
      c.name = mine.name.c_str();
      c.inputs = mine.inputs.c_str();
      c.outputs = mine.outputs.c_str();
      c.attributes = mine.attributes.c_str();
      c.one_thread = mine.one_thread ? 1 : 0;
      c.impure = mine.impure ? 1 : 0;
      c.user = &mine;
      c.release = [](void* user) { delete static_cast<Operator*>(user); };
      if (mine.run) c.run = [](void* user, coracle_operator_call* call) { return guard(op_of(user).run, call); };
      if (mine.infer) c.infer = [](void* user, coracle_operator_call* call) { return guard(op_of(user).infer, call); };
      list_.push_back(c);
    }
  }
  const coracle_operator* data() const { return list_.data(); }
  size_t size() const { return list_.size(); }
  void taken() {
    for (std::unique_ptr<Operator>& op : owned_) static_cast<void>(op.release());  // the library's
    owned_.clear();
  }

 private:
  static const Operator& op_of(void* user) { return *static_cast<const Operator*>(user); }

  static coracle_status guard(const std::function<void(OperatorCall&)>& function, coracle_operator_call* c) {
    OperatorCall call(c);
#if defined(__cpp_exceptions)
    try {
      function(call);
    } catch (const Exception& error) {
      coracle_call_fail(c, error.what());
      return error.status();
    } catch (const std::exception& error) {
      return coracle_call_fail(c, error.what());
    } catch (...) {
      return coracle_call_fail(c, "its function threw what is no std::exception");
    }
#else
    function(call);
#endif
    return CORACLE_OK;
  }

  std::vector<std::unique_ptr<Operator>> owned_;
  std::vector<coracle_operator> list_;
};

/// Adds an operator to those that all models of the process may name: coracle_register_operator.
inline void register_operator(const Operator& op) {
  GivenOperators given({op});
  check(coracle_register_operator(given.data()));
  given.taken();
}
/// Those of a shared library: coracle_load_operators.
inline void load_operators(const std::string& path) { check(coracle_load_operators(path.c_str())); }
inline void unregister_operator(const std::string& name) { check(coracle_unregister_operator(name.c_str())); }

#if !defined(__cpp_exceptions)
}  // namespace without_exceptions
#endif
}  // namespace coracle
