// SPDX-License-Identifier: Apache-2.0
#include "api/operator.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/enumerations.h"
#include "api/given_type.h"
#include "api/guard.h"
#include "api/handles.h"
#include "api/operator_text.h"
#include "api/options.h"
#include "base/counted.h"
#include "base/printable.h"
#include "graph/operator_set.h"

/// One of both is set: what the call is for.
struct coracle_operator_call {
  const coracle::internal::CustomAttributes& attributes;
  coracle::internal::InferArgs* infer = nullptr;
  coracle::internal::ReferenceArgs* run = nullptr;
  std::string failure = {};      ///< why it fails
  std::vector<bool> given = {};  ///< by result: whether the function has told of it
  std::deque<std::vector<int64_t>> ints = {};
  std::deque<std::vector<double>> floats = {};
  std::deque<std::vector<const char*>> strings = {};

  const coracle::internal::CustomDefinition& op() const { return attributes.op->definition(); }
  int input_count(size_t port) const {
    if (port >= op().inputs.size()) return 0;
    return infer != nullptr ? infer->count(static_cast<int>(port)) : run->count(static_cast<int>(port));
  }
  int output_count(size_t port) const {
    if (port >= op().outputs.size()) return 0;
    return infer != nullptr ? infer->out_count(static_cast<int>(port)) : run->out_count(static_cast<int>(port));
  }
  /// Position of a result in the flat list.
  size_t position(size_t port, size_t index) const {
    for (size_t p = 0; p < port; ++p) index += static_cast<size_t>(output_count(p));
    return index;
  }
};

namespace coracle::internal {
namespace {

coracle_operator empty_operator() {
  coracle_operator op{};
  op.struct_size = sizeof(op);
  return op;
}

ErrorCode code_of(coracle_status status) {
  constexpr ErrorCode kCodes[] = {ErrorCode::kInvalidArgument, ErrorCode::kInvalidModel,
                                  ErrorCode::kUnsupported,     ErrorCode::kIo,
                                  ErrorCode::kOutOfMemory,     ErrorCode::kCancelled};
  const auto* const found =
      std::find_if(std::begin(kCodes), std::end(kCodes), [&](ErrorCode code) { return number_of(code) == status; });
  return found == std::end(kCodes) ? ErrorCode::kRunFailure : *found;
}

/// What the functions of an operator belong to.
struct User {
  coracle_operator given;  ///< its texts are not used
  std::mutex mutex;        ///< for one_thread
  bool owned = false;      ///< `release` is to be called: taken over

  explicit User(const coracle_operator& op) : given(op) {}
  User(const User&) = delete;
  User& operator=(const User&) = delete;
  ~User() {
    if (owned && given.release != nullptr) given.release(given.user);
  }

  void call(coracle_operator_function function, coracle_operator_call& call) {
    std::unique_lock lock(mutex, std::defer_lock);
    if (given.one_thread != 0) lock.lock();
    const coracle_status status = function(given.user, &call);
    if (status == CORACLE_OK) return;
    if (call.failure.empty()) call.failure = text("its function returned status ", static_cast<int>(status));
    fail(code_of(status), call.failure);
  }
};

void infer_as_first(const CustomAttributes& attributes, InferArgs& args) {
  const CustomDefinition& op = attributes.op->definition();
  require(args.has(0), ErrorCode::kInvalidModel, "the model gives it no operand, whose type its results have");
  for (size_t p = 0; p < op.outputs.size(); ++p) {
    const int port = static_cast<int>(p);
    for (int i = 0; i < args.out_count(port); ++i) args.set(port, args.dtype(0), args.shape(0), i);
  }
}

/// "input 1 ('bias')"
std::string name_of_port(const char* what, const std::vector<CustomPort>& ports, size_t port) {
  return port < ports.size() ? text(what, " ", port, " (", in_quotes(ports[port].name), ")") : text(what, " ", port);
}

void check_index(const coracle_operator_call& call, bool of_input, size_t port, size_t index) {
  const int count = of_input ? call.input_count(port) : call.output_count(port);
  require(index < static_cast<size_t>(count), ErrorCode::kInvalidArgument, "there is no tensor ", index, " at ",
          name_of_port(of_input ? "input" : "output", of_input ? call.op().inputs : call.op().outputs, port),
          ", which has ", count);
}

/// Calls a function of the user's, which has to tell of all results.
void call_user(User& user, coracle_operator_function function, coracle_operator_call& call) {
  const std::vector<CustomPort>& outputs = call.op().outputs;
  call.given.resize(call.position(outputs.size(), 0));
  user.call(function, call);
  for (size_t p = 0; p < outputs.size(); ++p) {
    for (int i = 0; i < call.output_count(p); ++i) {
      require(call.given[call.position(p, static_cast<size_t>(i))], ErrorCode::kRunFailure, "its function gave no ",
              name_of_port("output", outputs, p));
    }
  }
}

/// What a function of the interface does for a function of the user's: the message of an error is kept for that of the
/// run.
template <class F>
coracle_status answer(coracle_operator_call* call, const F& f) {
  return guard([&] {
    require_pointer(call, "call");
    try {
      f();
    } catch (const Error& error) {
      call->failure = error.text();
      throw;
    }
  });
}

/// In `infer`: the type of an operand, and its elements where they are known.
void show_operand(const Fact& fact, coracle_tensor_view* view) {
  *view = {};
  if (fact.value != nullptr) {
    fill_view(*fact.value, view);
    return;
  }
  view->dtype = number_of(fact.dtype);
  view->rank = fact.shape.rank_known() ? fact.shape.rank() : -1;
  for (int i = 0; i < view->rank; ++i) view->dims[i] = fact.shape[i] >= 0 ? fact.shape[i] : -1;
  view->lod_levels = fact.lod == nullptr ? 0 : fact.lod->size();
}

/// The type of a result, of which dimensions may be unknown. Throws Error.
Fact told_type(const std::string& name, coracle_dtype dtype, int32_t rank, const int64_t* dims) {
  if (rank < 0) {
    require(is_dtype(dtype), ErrorCode::kInvalidArgument, name, ": there is no element type ", static_cast<int>(dtype));
    return {dtype_of(dtype), Shape::unknown_rank()};
  }
  require(rank <= CORACLE_MAX_RANK, ErrorCode::kInvalidArgument, name, ": a tensor has 0 to ",
          counted(CORACLE_MAX_RANK, "dimension"), ", given ", rank);
  if (rank > 0) require_pointer(dims, "dims");
  std::vector<int64_t> known(dims, dims + rank);
  std::replace_if(
      known.begin(), known.end(), [](int64_t d) { return d < 0; }, 0);
  Fact fact = given_type(name, dtype, rank, known.data());
  for (int i = 0; i < rank; ++i) fact.shape[i] = dims[i] < 0 ? Shape::kUnknown : dims[i];
  return fact;
}

const AttributeValue& attribute_of(const coracle_operator_call& call, const char* name) {
  require_pointer(name, "attribute");
  const AttributeValue* value = call.attributes.find(name);
  require(value != nullptr, ErrorCode::kInvalidArgument, "operator ", in_quotes(call.op().name),
          " declares no attribute ", in_quotes(name));
  return *value;
}

[[noreturn]] void fail_type(const char* name, const char* asked) {
  fail(ErrorCode::kInvalidArgument, "attribute ", in_quotes(name), " has another type than ", asked);
}

}  // namespace

std::shared_ptr<const CustomOperator> operator_from(const coracle_operator& c) {
  const coracle_operator op = read_options(c, empty_operator(), "coracle_operator");
  require(op.name != nullptr && *op.name != '\0', ErrorCode::kInvalidArgument, "an operator needs a name");
  require(op.run != nullptr, ErrorCode::kInvalidArgument, "operator ", in_quotes(op.name), " has no function 'run'");
  const auto user = std::make_shared<User>(op);
  CustomDefinition definition{.name = op.name,
                              .inputs = ports_from(op.name, op.inputs),
                              .outputs = ports_from(op.name, op.outputs),
                              .attributes = attributes_from(op.name, op.attributes),
                              .pure = op.impure == 0,
                              .infer = infer_as_first,
                              .run = {},
                              .user = user};
  if (op.infer != nullptr) {
    definition.infer = [user](const CustomAttributes& attributes, InferArgs& args) {
      coracle_operator_call call{.attributes = attributes, .infer = &args};
      call_user(*user, user->given.infer, call);
    };
  }
  definition.run = [user](const CustomAttributes& attributes, ReferenceArgs& args) {
    coracle_operator_call call{.attributes = attributes, .run = &args};
    call_user(*user, user->given.run, call);
  };
  return CustomOperator::make(std::move(definition));
}

void take_over(const CustomOperator& op) { static_cast<User*>(op.definition().user.get())->owned = true; }

}  // namespace coracle::internal

using coracle::internal::answer;
using coracle::internal::require_pointer;

extern "C" {

void coracle_operator_init(coracle_operator* op, size_t struct_size) {
  coracle::internal::init_options(op, struct_size, coracle::internal::empty_operator());
}

coracle_status coracle_register_operator(const coracle_operator* op) {
  return coracle::internal::guard([&] {
    require_pointer(op, "op");
    const auto made = coracle::internal::operator_from(*op);
    coracle::internal::register_operator(made);
    coracle::internal::take_over(*made);
  });
}

coracle_status coracle_unregister_operator(const char* name) {
  return coracle::internal::guard([&] {
    require_pointer(name, "name");
    coracle::internal::require(coracle::internal::unregister_operator(name),
                               coracle::internal::ErrorCode::kInvalidArgument, "there is no operator ",
                               coracle::internal::in_quotes(name), " that was registered");
  });
}

coracle_status coracle_load_operators(const char* path) {
  return coracle::internal::guard([&] {
    require_pointer(path, "path");
    coracle::internal::load_operators(path);
  });
}

size_t coracle_call_input_count(const coracle_operator_call* call, size_t input) {
  return call == nullptr ? 0 : static_cast<size_t>(call->input_count(input));
}

size_t coracle_call_output_count(const coracle_operator_call* call, size_t output) {
  return call == nullptr ? 0 : static_cast<size_t>(call->output_count(output));
}

coracle_status coracle_call_input(coracle_operator_call* call, size_t input, size_t index, coracle_tensor_view* view) {
  return answer(call, [&] {
    require_pointer(view, "view");
    coracle::internal::check_index(*call, true, input, index);
    const int port = static_cast<int>(input);
    const int i = static_cast<int>(index);
    if (call->infer != nullptr) {
      coracle::internal::show_operand(call->infer->in(port, i), view);
    } else {
      coracle::internal::fill_view(call->run->in(port, i), view);
    }
  });
}

coracle_status coracle_call_input_lod(coracle_operator_call* call, size_t input, size_t index, size_t level,
                                      const size_t** offsets, size_t* size) {
  return answer(call, [&] {
    require_pointer(offsets, "offsets");
    require_pointer(size, "size");
    coracle::internal::check_index(*call, true, input, index);
    const int port = static_cast<int>(input);
    const int i = static_cast<int>(index);
    const coracle::internal::Lod* lod =
        call->infer != nullptr ? call->infer->in(port, i).lod.get() : &call->run->in(port, i).lod();
    const size_t levels = lod == nullptr ? 0 : lod->size();
    coracle::internal::require(level < levels, coracle::internal::ErrorCode::kInvalidArgument, "there is no level ",
                               level, " of sequence offsets, the operand has ", levels);
    *offsets = (*lod)[level].data();
    *size = (*lod)[level].size();
  });
}

coracle_status coracle_call_set_output(coracle_operator_call* call, size_t output, size_t index, coracle_dtype dtype,
                                       int32_t rank, const int64_t* dims) {
  return answer(call, [&] {
    coracle::internal::require(call->infer != nullptr, coracle::internal::ErrorCode::kInvalidArgument,
                               "types of results are told by 'infer'; 'run' asks for memory (coracle_call_output)");
    coracle::internal::check_index(*call, false, output, index);
    const coracle::internal::Fact fact = coracle::internal::told_type(
        coracle::internal::name_of_port("output", call->op().outputs, output), dtype, rank, dims);
    call->infer->set(static_cast<int>(output), fact.dtype, fact.shape, static_cast<int>(index));
    call->given[call->position(output, index)] = true;
  });
}

coracle_status coracle_call_output(coracle_operator_call* call, size_t output, size_t index, coracle_dtype dtype,
                                   int32_t rank, const int64_t* dims, void** data) {
  return answer(call, [&] {
    require_pointer(data, "data");
    coracle::internal::require(call->run != nullptr, coracle::internal::ErrorCode::kInvalidArgument,
                               "results have memory in 'run' alone; 'infer' tells types (coracle_call_set_output)");
    coracle::internal::check_index(*call, false, output, index);
    const std::string name = coracle::internal::name_of_port("output", call->op().outputs, output);
    const coracle::internal::Fact type = coracle::internal::given_type(name, dtype, rank, dims);
    coracle::internal::Tensor& result = call->run->out(static_cast<int>(output), static_cast<int>(index));
    if (result.empty_handle()) {
      result = call->run->make(type.dtype, type.shape);
    } else {
      coracle::internal::require(result.dtype() == type.dtype && result.shape() == type.shape,
                                 coracle::internal::ErrorCode::kInvalidArgument, name, " is ", type, ", expected ",
                                 coracle::internal::Fact(result.dtype(), result.shape()),
                                 " as its types were inferred (function 'infer')");
    }
    *data = result.raw();
    call->given[call->position(output, index)] = true;
  });
}

coracle_status coracle_call_ints(coracle_operator_call* call, const char* attribute, const int64_t** values,
                                 size_t* count) {
  return answer(call, [&] {
    require_pointer(values, "values");
    require_pointer(count, "count");
    const coracle::internal::AttributeValue& value = coracle::internal::attribute_of(*call, attribute);
    std::vector<int64_t>& list = call->ints.emplace_back();
    if (const auto* ints = std::get_if<coracle::internal::Ints>(&value)) {
      list = *ints;
    } else if (const auto* number = std::get_if<int64_t>(&value)) {
      list = {*number};
    } else if (const auto* flag = std::get_if<bool>(&value)) {
      list = {*flag ? 1 : 0};
    } else if (const auto* dtype = std::get_if<coracle::internal::DType>(&value)) {
      list = {coracle::internal::number_of(*dtype)};
    } else {
      coracle::internal::fail_type(attribute, "bool, int, dtype and ints");
    }
    *values = list.data();
    *count = list.size();
  });
}

coracle_status coracle_call_floats(coracle_operator_call* call, const char* attribute, const double** values,
                                   size_t* count) {
  return answer(call, [&] {
    require_pointer(values, "values");
    require_pointer(count, "count");
    const coracle::internal::AttributeValue& value = coracle::internal::attribute_of(*call, attribute);
    std::vector<double>& list = call->floats.emplace_back();
    if (const auto* floats = std::get_if<coracle::internal::Floats>(&value)) {
      list = *floats;
    } else if (const auto* number = std::get_if<double>(&value)) {
      list = {*number};
    } else {
      coracle::internal::fail_type(attribute, "float and floats");
    }
    *values = list.data();
    *count = list.size();
  });
}

coracle_status coracle_call_strings(coracle_operator_call* call, const char* attribute, const char* const** values,
                                    size_t* count) {
  return answer(call, [&] {
    require_pointer(values, "values");
    require_pointer(count, "count");
    const coracle::internal::AttributeValue& value = coracle::internal::attribute_of(*call, attribute);
    std::vector<const char*>& list = call->strings.emplace_back();
    if (const auto* strings = std::get_if<coracle::internal::Strings>(&value)) {
      for (const std::string& s : *strings) list.push_back(s.c_str());
    } else if (const auto* string = std::get_if<std::string>(&value)) {
      list = {string->c_str()};
    } else {
      coracle::internal::fail_type(attribute, "string and strings");
    }
    *values = list.data();
    *count = list.size();
  });
}

coracle_status coracle_call_check(coracle_operator_call* call) {
  return answer(call, [&] { (call->infer != nullptr ? call->infer->context() : call->run->context()).check(); });
}

coracle_status coracle_call_fail(coracle_operator_call* call, const char* message) {
  if (call != nullptr) call->failure = message == nullptr ? "" : message;
  return CORACLE_RUN_FAILURE;
}

}  // extern "C"
