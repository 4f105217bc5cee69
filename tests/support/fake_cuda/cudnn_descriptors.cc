// SPDX-License-Identifier: Apache-2.0
#include "support/fake_cuda/cudnn_descriptors.h"

#include <algorithm>
#include <set>

#include "support/fake_cuda/driver_state.h"

namespace coracle::internal::fake_cuda {
namespace {

using namespace cuda;  // NOLINT(google-build-using-namespace): names of cuDNN

/// An attribute that a descriptor of a type has: the type and number of its values.
struct Rule {
  int descriptor;
  int name;
  int type;
  int64_t most;
  bool required = true;
};
constexpr int64_t kMany = 64;
constexpr Rule kRules[] = {
    {CUDNN_BACKEND_TENSOR_DESCRIPTOR, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1},
    {CUDNN_BACKEND_TENSOR_DESCRIPTOR, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1},
    {CUDNN_BACKEND_TENSOR_DESCRIPTOR, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4},
    {CUDNN_BACKEND_TENSOR_DESCRIPTOR, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4},
    {CUDNN_BACKEND_TENSOR_DESCRIPTOR, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1},
    {CUDNN_BACKEND_TENSOR_DESCRIPTOR, CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, false},
    {CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1},
    {CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1},
    {CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, 1},
    {CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR, CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, 2},
    {CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, 2},
    {CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, 2},
    {CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, 2},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
     CUDNN_TYPE_BACKEND_DESCRIPTOR, 1},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
     CUDNN_TYPE_BACKEND_DESCRIPTOR, 1},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
     CUDNN_TYPE_BACKEND_DESCRIPTOR, 1},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
     CUDNN_TYPE_BACKEND_DESCRIPTOR, 1},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
     CUDNN_TYPE_FLOAT, 1},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA,
     CUDNN_TYPE_FLOAT, 1},
    {CUDNN_BACKEND_POINTWISE_DESCRIPTOR, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, 1},
    {CUDNN_BACKEND_POINTWISE_DESCRIPTOR, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, 1},
    {CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR,
     CUDNN_TYPE_BACKEND_DESCRIPTOR, 1},
    {CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR,
     1},
    {CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, CUDNN_ATTR_OPERATION_POINTWISE_BDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR,
     1, false},
    {CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR,
     1},
    {CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1},
    {CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, kMany},
    {CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1},
    {CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1},
    {CUDNN_BACKEND_ENGINE_DESCRIPTOR, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1},
    {CUDNN_BACKEND_ENGINE_DESCRIPTOR, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1},
    {CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR, CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, 1},
    {CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR, CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64, 1},
    {CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1},
    {CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, CUDNN_TYPE_BACKEND_DESCRIPTOR, kMany,
     false},
    {CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, false},
    {CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, CUDNN_TYPE_BACKEND_DESCRIPTOR,
     1},
    {CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, kMany},
    {CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, kMany},
    {CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1},
};

size_t value_bytes(int type) {
  switch (type) {
    case CUDNN_TYPE_BOOLEAN: return sizeof(bool);
    case CUDNN_TYPE_INT64:
    case CUDNN_TYPE_HANDLE:
    case CUDNN_TYPE_VOID_PTR:
    case CUDNN_TYPE_BACKEND_DESCRIPTOR: return 8;
    default: return 4;
  }
}

std::set<const void*>& all_descriptors() {
  static std::set<const void*>& all = *new std::set<const void*>;
  return all;
}

}  // namespace

CudnnDescriptor::CudnnDescriptor(int type) : type_(type) {
  all_descriptors().insert(this);
  ++Driver::get().described;
}
CudnnDescriptor::~CudnnDescriptor() {
  all_descriptors().erase(this);
  --Driver::get().described;
}

CudnnDescriptor& CudnnDescriptor::of(const void* pointer) {
  if (!all_descriptors().contains(pointer)) stop("a descriptor of cuDNN is used that there is not");
  return *static_cast<CudnnDescriptor*>(const_cast<void*>(pointer));
}

const CudnnDescriptor& CudnnDescriptor::whole(const void* pointer, int type) {
  const CudnnDescriptor& found = of(pointer);
  if (found.type_ != type) stop("a descriptor of cuDNN is of another type");
  if (!found.finalized_) stop("a descriptor of cuDNN is used before it is finalized");
  return found;
}

cudnnStatus_t CudnnDescriptor::set(int name, int value_type, int64_t count, const void* values) {
  if (finalized_) return CUDNN_STATUS_BAD_PARAM;
  const auto* const rule = std::find_if(std::begin(kRules), std::end(kRules), [&](const Rule& r) {
    return r.descriptor == type_ && r.name == name && r.type == value_type;
  });
  if (rule == std::end(kRules) || values == nullptr) return CUDNN_STATUS_BAD_PARAM;
  if (count < 1 || count > rule->most || (rule->most != kMany && count != rule->most)) return CUDNN_STATUS_BAD_PARAM;
  const size_t bytes = static_cast<size_t>(count) * value_bytes(value_type);
  attributes_[name] = std::string(static_cast<const char*>(values), bytes);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t CudnnDescriptor::get(int name, int value_type, int64_t wanted, int64_t* count, void* values) const {
  const auto give = [&](int expected, const auto& all) {
    if (value_type != expected) return CUDNN_STATUS_BAD_PARAM;
    using Value = typename std::decay_t<decltype(all)>::value_type;
    *count = static_cast<int64_t>(all.size());
    std::copy_n(all.begin(), std::min<size_t>(all.size(), static_cast<size_t>(wanted)), static_cast<Value*>(values));
    return CUDNN_STATUS_SUCCESS;
  };
  /// Fills descriptors that there are.
  const auto describe_each = [&](const std::vector<ConvolutionEngine>& engines, int of_type) {
    if (value_type != CUDNN_TYPE_BACKEND_DESCRIPTOR) return CUDNN_STATUS_BAD_PARAM;
    *count = static_cast<int64_t>(engines.size());
    for (size_t i = 0; i < std::min<size_t>(engines.size(), static_cast<size_t>(wanted)); ++i) {
      CudnnDescriptor& to = of(static_cast<void**>(values)[i]);
      if (to.type_ != of_type) stop("a descriptor of cuDNN is to be filled with what is of another type");
      to.describe(engines[i]);
    }
    return CUDNN_STATUS_SUCCESS;
  };
  if (!finalized_) return CUDNN_STATUS_BAD_PARAM;
  switch (name) {
    case CUDNN_ATTR_ENGINEHEUR_RESULTS:
      return describe_each(engines_for(*problem, value<int>(CUDNN_ATTR_ENGINEHEUR_MODE)),
                           CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    case CUDNN_ATTR_ENGINECFG_ENGINE: return describe_each({engine}, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    case CUDNN_ATTR_ENGINECFG_KNOB_CHOICES:
      if (engine.knob < 0) return describe_each({}, CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR);
      return describe_each({engine}, CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR);
    case CUDNN_ATTR_ENGINE_GLOBAL_INDEX: return give(CUDNN_TYPE_INT64, std::vector{engine.index});
    case CUDNN_ATTR_ENGINE_NUMERICAL_NOTE: return give(CUDNN_TYPE_NUMERICAL_NOTE, engine.notes());
    case CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE: return give(CUDNN_TYPE_KNOB_TYPE, std::vector{engine.knob});
    case CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE: return give(CUDNN_TYPE_INT64, std::vector{engine.value});
    case CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE:
      return give(CUDNN_TYPE_INT64, std::vector{engine.workspace(*problem)});
    default: return CUDNN_STATUS_BAD_PARAM;
  }
}

void CudnnDescriptor::describe(const ConvolutionEngine& described) {
  engine = described;
  finalized_ = true;
}

cudnnStatus_t CudnnDescriptor::finalize() {
  if (finalized_) return CUDNN_STATUS_BAD_PARAM;
  for (const Rule& rule : kRules) {
    if (rule.descriptor != type_) continue;
    if (rule.required && !has(rule.name)) return CUDNN_STATUS_BAD_PARAM;
    if (rule.type != CUDNN_TYPE_BACKEND_DESCRIPTOR) continue;
    for (const void* child : values<void*>(rule.name)) {
      if (!of(child).finalized_) return CUDNN_STATUS_BAD_PARAM;
    }
  }
  const cudnnStatus_t status = understand();
  finalized_ = status == CUDNN_STATUS_SUCCESS;
  return status;
}

/// What follows from the attributes.
cudnnStatus_t CudnnDescriptor::understand() {
  switch (type_) {
    case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR: problem = problem_of(*this); return CUDNN_STATUS_SUCCESS;
    case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR:
      if (const int code = Driver::get().calls.enter("heuristics of cuDNN", false)) return code;
      problem = child(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR).problem;
      return problem != nullptr ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
    case CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR:
      engine.knob = value<int>(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE);
      engine.value = value<int64_t>(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE);
      return CUDNN_STATUS_SUCCESS;
    case CUDNN_BACKEND_ENGINE_DESCRIPTOR:
      problem = child(CUDNN_ATTR_ENGINE_OPERATION_GRAPH, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR).problem;
      engine.index = value<int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
      return problem != nullptr && engine.takes(*problem) ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
    case CUDNN_BACKEND_ENGINECFG_DESCRIPTOR: {
      const CudnnDescriptor& of_engine = child(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
      engine = of_engine.engine;
      problem = of_engine.problem;
      for (const void* choice : values<void*>(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES)) {
        const CudnnDescriptor& knob = whole(choice, CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR);
        engine.knob = knob.engine.knob;
        engine.value = knob.engine.value;
      }
      // Without its knob the real ones choose by the problem.
      const bool has_knob = engine.index == ConvolutionEngine::kTiled || engine.index == ConvolutionEngine::kSplit;
      return has_knob == (engine.knob >= 0) ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
    }
    case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR: {
      const CudnnDescriptor& configuration =
          child(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
      engine = configuration.engine;
      problem = configuration.problem;
      return problem != nullptr ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
    }
    default: return CUDNN_STATUS_SUCCESS;
  }
}

}  // namespace coracle::internal::fake_cuda
