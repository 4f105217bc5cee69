// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "base/element_steps.h"
#include "base/fact.h"
#include "base/opaque.h"
#include "base/strided_view.h"
#include "base/written_table.h"
#include "graph/attributes.h"

#ifdef CORACLE_LIGHT
#include "light/references.h"  // generated: kReferences
#endif

/// What an operator is: a struct with the attributes, its ports, `infer`, `reference`, and one constant OpSchema
/// that the rest of Coracle sees. One header in src/ops holds all of it.
namespace coracle::internal {

class Graph;
class Lowering;

#ifdef CORACLE_LIGHT
inline constexpr bool kReadsOtherFormats = false;  ///< only saved models: nothing is lowered, and slots have no names
#else
inline constexpr bool kReadsOtherFormats = true;
#endif
/// A name that is only in files of other formats.
constexpr const char* in_files(const char* name) { return kReadsOtherFormats ? name : nullptr; }

/// A text of a table. An empty one is null inside: each address in a table is one that the loader has to adjust, with
/// 24 bytes that say where.
class TableText {
 public:
  constexpr TableText(const char* text = nullptr)  // NOLINT(google-explicit-constructor): tables hold literals
      : text_(text != nullptr && *text != '\0' ? text : nullptr) {}
  constexpr operator std::string_view() const { return c_str(); }  // NOLINT(google-explicit-constructor): it is one
  constexpr const char* c_str() const { return text_ != nullptr ? text_ : ""; }
  constexpr bool empty() const { return text_ == nullptr; }

 private:
  const char* text_;
};

#ifdef CORACLE_LIGHT
/// A name that only files of other formats have: of it remains whether there is one.
class FileName {
 public:
  constexpr FileName(const char* text = nullptr)  // NOLINT(google-explicit-constructor): tables hold literals
      : given_(text != nullptr && *text != '\0') {}
  constexpr bool empty() const { return !given_; }
  static constexpr const char* c_str() { return ""; }

 private:
  bool given_;
};
#else
using FileName = TableText;
#endif

/// One operand or result position of an operator. Names are PIR's; slots are ProgramDesc's.
struct Port {
  enum class Kind : uint8_t {
    kOne,       ///< exactly one value
    kOptional,  ///< one value or none
    kList,      ///< any number of values
  };

  const char* name = "";
  Kind kind = Kind::kOne;
  FileName slot = {};       ///< ProgramDesc slot of a tensor
  FileName list_slot = {};  ///< ProgramDesc slot of a list of one-element tensors that makes up the value
  FileName attribute = {};  ///< ProgramDesc attribute that gives the value where no slot does (PIR: an operand)
  DType attribute_dtype = DType::kInt64;  ///< element type of that value
  bool shape_input = false;               ///< `infer` needs its elements to tell the output shape
  bool weight = false;                    ///< constant as stored in the file; never brought into another layout

  /// What messages about a run call it.
  constexpr const char* label() const { return kReadsOtherFormats && !slot.empty() ? slot.c_str() : name; }
};

constexpr Port in(const char* name, const char* slot) { return {.name = name, .slot = in_files(slot)}; }
constexpr Port optional_in(const char* name, const char* slot) {
  return {.name = name, .kind = Port::Kind::kOptional, .slot = in_files(slot)};
}
constexpr Port list_in(const char* name, const char* slot) {
  return {.name = name, .kind = Port::Kind::kList, .slot = in_files(slot)};
}
constexpr Port weight_in(const char* name, const char* slot) {
  return {.name = name, .slot = in_files(slot), .weight = true};
}
constexpr Port optional_weight_in(const char* name, const char* slot) {
  return {.name = name, .kind = Port::Kind::kOptional, .slot = in_files(slot), .weight = true};
}
/// An integer argument that PIR makes an operand and ProgramDesc an attribute which slots may override, and that
/// decides the output shape. Where the file gives none of them it is absent.
constexpr Port shape_in(const char* name, const char* attribute, const char* slot = "", const char* list_slot = "") {
  return {.name = name,
          .kind = Port::Kind::kOptional,
          .slot = in_files(slot),
          .list_slot = in_files(list_slot),
          .attribute = attribute,
          .shape_input = true};
}
/// The same for a number that does not decide the output shape.
constexpr Port value_in(const char* name, const char* attribute, const char* slot = "", DType dtype = DType::kFloat32) {
  return {.name = name,
          .kind = Port::Kind::kOptional,
          .slot = in_files(slot),
          .attribute = attribute,
          .attribute_dtype = dtype};
}
constexpr Port out(const char* name, const char* slot) { return {.name = name, .slot = in_files(slot)}; }
constexpr Port optional_out(const char* name, const char* slot) {
  return {.name = name, .kind = Port::Kind::kOptional, .slot = in_files(slot)};
}
constexpr Port list_out(const char* name, const char* slot) {
  return {.name = name, .kind = Port::Kind::kList, .slot = in_files(slot)};
}

/// How many values stand at each port of a node (flat lists are ordered by port).
using PortCounts = std::vector<int>;

/// Port-wise access to a flat list; shared by what infer and reference get.
class PortIndex {
 public:
  explicit PortIndex(std::span<const int> counts) : counts_(counts) {}
  int count(int port) const { return port < static_cast<int>(counts_.size()) ? counts_[port] : 0; }
  /// Throws where the node has no such value: which optional operands a node has is the file's choice.
  int at(int port, int i) const {
    if (i < 0 || i >= count(port)) [[unlikely]]
      fail_missing(port, i);
    int index = i;
    for (int p = 0; p < port; ++p) index += counts_[p];
    return index;
  }

 private:
  [[noreturn]] void fail_missing(int port, int i) const;

  std::span<const int> counts_;
};

/// What `infer` sees and fills: facts of the inputs, facts of the outputs.
class InferArgs {
 public:
  using InferRegion = std::function<std::vector<Fact>(int region, std::span<const Fact> inputs)>;

  InferArgs(const RunContext& context, std::span<const Fact* const> in, std::span<const int> in_counts,
            std::span<Fact> out, std::span<const int> out_counts, const InferRegion* infer_region = nullptr)
      : context_(context),
        in_(in),
        in_ports_(in_counts),
        out_(out),
        out_ports_(out_counts),
        infer_region_(infer_region) {}

  /// Of what this works for.
  const RunContext& context() const { return context_; }
  int count(int port) const { return in_ports_.count(port); }
  bool has(int port) const { return count(port) > 0; }
  const Fact& in(int port, int i = 0) const { return *in_[in_ports_.at(port, i)]; }
  const Shape& shape(int port, int i = 0) const { return in(port, i).shape; }
  DType dtype(int port, int i = 0) const { return in(port, i).dtype; }

  int out_count(int port) const { return out_ports_.count(port); }
  Fact& out(int port, int i = 0) { return out_[out_ports_.at(port, i)]; }
  /// Sets an output's type; does nothing where the node has no such output.
  void set(int port, DType dtype, const Shape& shape, int i = 0) {
    if (i < out_count(port)) out(port, i) = Fact(dtype, shape);
  }
  /// The elements of an integer operand (0-D or 1-D), or nothing while they are not known.
  std::optional<Ints> ints(int port) const;
  /// The single element of an operand, or nothing while it is not known.
  std::optional<double> number(int port) const;
  /// For operators with regions: facts of the region's results for facts of its arguments.
  std::vector<Fact> infer_region(int region, std::span<const Fact> inputs) const {
    return (*infer_region_)(region, inputs);
  }

 private:
  const RunContext& context_;
  std::span<const Fact* const> in_;
  PortIndex in_ports_;
  std::span<Fact> out_;
  PortIndex out_ports_;
  const InferRegion* infer_region_;
};

/// The facts of a node's operands and results, by port.
class NodeFacts {
 public:
  NodeFacts(std::span<const Fact* const> in, std::span<const int> in_counts, std::span<const Fact* const> out,
            std::span<const int> out_counts)
      : in_(in), in_ports_(in_counts), out_(out), out_ports_(out_counts) {}

  int count(int port) const { return in_ports_.count(port); }
  bool has(int port) const { return count(port) > 0; }
  const Fact& in(int port, int i = 0) const { return *in_[static_cast<size_t>(in_ports_.at(port, i))]; }
  const Shape& shape(int port, int i = 0) const { return in(port, i).shape; }
  /// Position of an operand in the flat list.
  int index(int port, int i = 0) const { return in_ports_.at(port, i); }
  int out_count(int port) const { return out_ports_.count(port); }
  const Fact& out(int port = 0, int i = 0) const { return *out_[static_cast<size_t>(out_ports_.at(port, i))]; }
  std::span<const Fact* const> all_in() const { return in_; }
  std::span<const Fact* const> all_out() const { return out_; }

  /// The elements of an operand; null where it is absent, or its elements are not known.
  const Tensor* value(int port) const { return has(port) ? in(port).value.get() : nullptr; }
  /// The first element of an operand, `missing` where it is absent or empty; nothing where it is not known.
  std::optional<double> number(int port, double missing) const;

 private:
  std::span<const Fact* const> in_;
  PortIndex in_ports_;
  std::span<const Fact* const> out_;
  PortIndex out_ports_;
};

/// What `reference` sees and fills. Inputs are row-major. An output whose shape `infer` knew comes with memory of that
/// shape (write its elements); any other must be assigned: a.out(0) = a.make(...).
/// Whatever may be as large as the data is charged to context(), and long loops look at its deadline.
class ReferenceArgs {
 public:
  using RunRegion = std::function<std::vector<Tensor>(int region, std::vector<Tensor> inputs)>;

  ReferenceArgs(const RunContext& context, std::span<Tensor> in, std::span<const int> in_counts, std::span<Tensor> out,
                std::span<const int> out_counts, const RunRegion* run_region = nullptr)
      : context_(context), in_(in), in_ports_(in_counts), out_(out), out_ports_(out_counts), run_region_(run_region) {}

  /// Of what this works for: the run, planning or load.
  const RunContext& context() const { return context_; }
  /// A tensor on the run's ledger; see Tensor::make.
  Tensor make(DType dtype, const Shape& shape) const { return Tensor::make(context_, dtype, shape); }

  int count(int port) const { return in_ports_.count(port); }
  bool has(int port) const { return count(port) > 0; }
  const Tensor& in(int port, int i = 0) const { return in_[in_ports_.at(port, i)]; }
  const Shape& shape(int port, int i = 0) const { return in(port, i).shape(); }
  /// The operand, handed over: in(port, i) is empty afterwards. What changes a tensor array takes it, so that the list
  /// is copied only where somebody else still needs it.
  Tensor take(int port, int i = 0) { return std::move(in_[in_ports_.at(port, i)]); }

  /// All elements of a real operand.
  Buffer<double> doubles(int port, int i = 0) const { return doubles_of(context_, in(port, i)); }
  Buffer<int64_t> integers(int port, int i = 0) const { return integers_of(context_, in(port, i)); }

  int out_count(int port) const { return out_ports_.count(port); }
  bool wants(int port) const { return out_count(port) > 0; }
  Tensor& out(int port, int i = 0) { return out_[out_ports_.at(port, i)]; }

  std::vector<Tensor> run_region(int region, std::vector<Tensor> inputs) const {
    return (*run_region_)(region, std::move(inputs));
  }

 private:
  const RunContext& context_;
  std::span<Tensor> in_;
  PortIndex in_ports_;
  std::span<Tensor> out_;
  PortIndex out_ports_;
  const RunRegion* run_region_;
};

/// Where the results of an operator have their sequence offsets (Lod) from.
enum class LodRule : uint8_t {
  kNone,     ///< they have none
  kFirst,    ///< result 0 has those of operand 0; others may have what `infer` gives them
  kDerived,  ///< `infer` and `reference` make them of the operands' offsets: none where no operand has any
  kOwn,      ///< made whatever the operands have
};

/// One operator as the rest of Coracle sees it: constant data, one per operator.
struct OpSchema {
  const char* name;                     ///< PIR name without a trailing '_'
  std::span<const char* const> legacy;  ///< ProgramDesc operator types that are this operator
  std::span<const Port> inputs;
  std::span<const Port> outputs;
  LodRule (*lod)(const void* attributes);  ///< null: LodRule::kNone
  bool pure;                               ///< same inputs, same outputs; may be folded, merged and removed
  bool any_type;  ///< `infer` takes operands of unknown type; else its results are then unknown too
  size_t arrays;  ///< so many of its first operands may be tensor arrays; with any_type, `infer` looks itself
  int regions;    ///< number of nested graphs
  /// What make() does. `schema` is this one.
  std::shared_ptr<void> (*make_attributes)(const OpSchema& schema, const void* from);
  void (*visit)(void* attributes, AttributeVisitor& visitor);
  bool (*equal)(const void* a, const void* b);
  void (*infer)(const void* attributes, InferArgs& args);          ///< null: exists in files only, see `lower`
  void (*reference)(const void* attributes, ReferenceArgs& args);  ///< null as above
  void (*lower)(Lowering& lowering);  ///< how a file's operator becomes nodes; null: one node, port by port

  // What rewriting, planning and kernels want to know. Null functions: nothing of the kind.
  bool reshapes;   ///< result 0 is operand 0 under another shape: the same elements in the same row-major order
  bool quantizes;  ///< rounds to integers of steps, which other operators then compute with
  bool of_user;    ///< a CustomOperator
  std::span<const char* const> fused_of;  ///< by rewriting: the operators that it is made of, besides its epilogue's
  /// The steps that are done to result 0 right away.
  std::vector<EpilogueStep>* (*epilogue)(void* attributes);
  /// True if result 0 is operand 0, element for element.
  bool (*identity)(const void* attributes, const NodeFacts& facts);
  /// The function that result 0 is of each element of operand 0; nothing where its numbers are not known.
  std::optional<UnaryStep> (*unary_step)(const void* attributes, const NodeFacts& facts);
  /// Of sums of products, a multiply-add counted as two; of facts that are known.
  int64_t (*flops)(const void* attributes, const NodeFacts& facts);
  /// Of what only moves elements: how result `result` (flat) lies in the memory of operand 0, which lies as x says;
  /// nothing where that is not known.
  std::optional<StridedView> (*view_of_result)(const void* attributes, const NodeFacts& facts, const StridedView& x,
                                               int result);
  /// How operand `operand` (flat) lies in the memory of result 0, which lies as y says and holds it unchanged; nothing
  /// where that is not known.
  std::optional<StridedView> (*view_of_operand)(const void* attributes, const NodeFacts& facts, const StridedView& y,
                                                int operand);

  /// A copy of the attributes `from`, or the default attributes for null.
  std::shared_ptr<void> make(const void* from) const { return make_attributes(*this, from); }
};

/// All schemas, each under its name, as generated from the folder src/ops.
std::span<const OpSchema* const> all_ops();
/// The schema of a PIR name / of a ProgramDesc type, or null.
const OpSchema* find_op(std::string_view name);
const OpSchema* find_legacy_op(std::string_view type);

/// What a struct must have to be an operator (see docs/operators.md).
template <class T>
concept OperatorStruct = requires(T t, const T c) {
  {T::kName};
  {c == c};
};

namespace op_detail {
/// The ports of kPorts, where a schema has them.
template <const auto& kPorts>
constexpr std::span<const Port> ports() {
#ifdef CORACLE_LIGHT
  return WrittenTable<kPorts>::elements();
#else
  return kPorts;
#endif
}
/// Whether this library can evaluate an operator without a kernel: in the light library those where that is needed.
constexpr bool has_reference([[maybe_unused]] std::string_view op) {
#ifdef CORACLE_LIGHT
  for (std::string_view name : kReferences) {
    if (name == op) return true;
  }
  return false;
#else
  return true;
#endif
}
template <class T>
std::shared_ptr<void> make(const OpSchema& /*schema*/, const void* from) {
  return own_opaque(from == nullptr ? new T() : new T(*static_cast<const T*>(from)));
}
template <class T>
void visit([[maybe_unused]] void* attributes, [[maybe_unused]] AttributeVisitor& visitor) {
  if constexpr (requires(T & t) { t.attributes(visitor); }) static_cast<T*>(attributes)->attributes(visitor);
}
template <class T>
bool equal(const void* a, const void* b) {
  return *static_cast<const T*>(a) == *static_cast<const T*>(b);
}
template <class T>
concept HasOwnLod = requires(const T& t) {
  { t.lod() } -> std::same_as<LodRule>;
};
template <class T>
LodRule lod([[maybe_unused]] const void* attributes) {
  if constexpr (HasOwnLod<T>) {
    return static_cast<const T*>(attributes)->lod();
  } else {
    return T::kLod;
  }
}
template <class T>
void infer(const void* attributes, InferArgs& args) {
  infer(*static_cast<const T*>(attributes), args);
}
template <class T>
void reference(const void* attributes, ReferenceArgs& args) {
  reference(*static_cast<const T*>(attributes), args);
}
template <class T>
bool identity(const void* attributes, const NodeFacts& facts) {
  return is_identity(*static_cast<const T*>(attributes), facts);
}
template <class T>
std::optional<UnaryStep> unary(const void* attributes, const NodeFacts& facts) {
  return unary_step(*static_cast<const T*>(attributes), facts);
}
template <class T>
int64_t flops(const void* attributes, const NodeFacts& facts) {
  return flops(*static_cast<const T*>(attributes), facts);
}
template <class T>
std::vector<EpilogueStep>* epilogue(void* attributes) {
  return &static_cast<T*>(attributes)->epilogue;
}
template <class T>
std::optional<StridedView> view_of_result(const void* attributes, const NodeFacts& facts, const StridedView& x,
                                          int result) {
  return view_of_result(*static_cast<const T*>(attributes), facts, x, result);
}
template <class T>
std::optional<StridedView> view_of_operand(const void* attributes, const NodeFacts& facts, const StridedView& y,
                                           int operand) {
  return view_of_operand(*static_cast<const T*>(attributes), facts, y, operand);
}
}  // namespace op_detail

/// The schema of an operator struct. Optional members of T: kLegacy, kLod or `LodRule lod() const` (default
/// LodRule::kNone), kPure (true), kAnyType (false), kArrays (0), kRegions (0), kReshapes (false), kQuantizes (false),
/// kFusedOf, epilogue, attributes(AttributeVisitor&), lower(Lowering&). Free functions: infer(const T&, InferArgs&),
/// reference(const T&, ReferenceArgs&); optional ones: is_identity, unary_step, flops, view_of_result, view_of_operand,
/// each (const T&, const NodeFacts&, ...) as OpSchema has them.
template <OperatorStruct T>
constexpr OpSchema make_op_schema() {
  OpSchema schema{};
  schema.name = T::kName;
  schema.pure = true;
  if constexpr (kReadsOtherFormats && requires { T::kLegacy; }) schema.legacy = T::kLegacy;
  if constexpr (op_detail::HasOwnLod<T> || requires { T::kLod; }) schema.lod = op_detail::lod<T>;
  if constexpr (requires { T::kPure; }) schema.pure = T::kPure;
  if constexpr (requires { T::kAnyType; }) schema.any_type = T::kAnyType;
  if constexpr (requires { T::kArrays; }) schema.arrays = T::kArrays;
  if constexpr (requires { T::kRegions; }) schema.regions = T::kRegions;
  if constexpr (requires { T::kInputs; }) schema.inputs = op_detail::ports<T::kInputs>();
  if constexpr (requires { T::kOutputs; }) schema.outputs = op_detail::ports<T::kOutputs>();
  schema.make_attributes = op_detail::make<T>;
  schema.visit = op_detail::visit<T>;
  schema.equal = op_detail::equal<T>;
  if constexpr (requires(const T& t, InferArgs& a, ReferenceArgs& r) {
                  infer(t, a);
                  reference(t, r);
                }) {
    schema.infer = op_detail::infer<T>;
    if constexpr (op_detail::has_reference(T::kName)) schema.reference = op_detail::reference<T>;
  } else {
    static_assert(
        requires(Lowering & l) { T::lower(l); }, "an operator has infer and reference, or lower");
  }
  if constexpr (kReadsOtherFormats && requires(Lowering & l) { T::lower(l); }) schema.lower = T::lower;
  if constexpr (requires { T::kReshapes; }) schema.reshapes = T::kReshapes;
  if constexpr (requires { T::kQuantizes; }) schema.quantizes = T::kQuantizes;
  if constexpr (requires { T::kFusedOf; }) schema.fused_of = T::kFusedOf;
  if constexpr (requires(T & t) {
                  { t.epilogue } -> std::same_as<std::vector<EpilogueStep>&>;
                })
    schema.epilogue = op_detail::epilogue<T>;
  if constexpr (requires(const T& t, const NodeFacts& f) { is_identity(t, f); })
    schema.identity = op_detail::identity<T>;
  if constexpr (requires(const T& t, const NodeFacts& f) { unary_step(t, f); }) schema.unary_step = op_detail::unary<T>;
  if constexpr (requires(const T& t, const NodeFacts& f) { flops(t, f); }) schema.flops = op_detail::flops<T>;
  if constexpr (requires(const T& t, const NodeFacts& f, const StridedView& v) { view_of_result(t, f, v, 0); })
    schema.view_of_result = op_detail::view_of_result<T>;
  if constexpr (requires(const T& t, const NodeFacts& f, const StridedView& v) { view_of_operand(t, f, v, 0); })
    schema.view_of_operand = op_detail::view_of_operand<T>;
  return schema;
}

/// The one schema of T; its address identifies the operator.
#ifdef CORACLE_LIGHT
/// The first call of all_ops() writes it (see graph/written_schema.h): models are made by names that are found there.
template <OperatorStruct T>
inline constinit OpSchema kOpSchema{};
#else
template <OperatorStruct T>
inline constexpr OpSchema kOpSchema = make_op_schema<T>();
#endif

/// An operator with its attributes. Immutable, cheap to copy.
class Op {
 public:
  Op() = default;
  Op(const OpSchema* schema, std::shared_ptr<const void> attributes)
      : schema_(schema), attributes_(std::move(attributes)) {}
  /// `schema` with default attributes.
  explicit Op(const OpSchema* schema) : schema_(schema), attributes_(schema->make(nullptr)) {}
  template <OperatorStruct T>
  Op(T attributes)  // NOLINT(google-explicit-constructor): an operator is its struct
      : schema_(&kOpSchema<T>), attributes_(make_opaque(std::move(attributes))) {}

  const OpSchema& schema() const { return *schema_; }
  const char* name() const { return schema_->name; }
  const void* attributes() const { return attributes_.get(); }

  template <OperatorStruct T>
  bool is() const {
    return schema_ == &kOpSchema<T>;
  }
  /// The attributes if this is a T, else null.
  template <OperatorStruct T>
  const T* as() const {
    return is<T>() ? static_cast<const T*>(attributes_.get()) : nullptr;
  }

  /// The steps of its epilogue; null where it has none.
  const std::vector<EpilogueStep>* epilogue() const {
    return schema_->epilogue == nullptr ? nullptr : schema_->epilogue(const_cast<void*>(attributes_.get()));
  }
  /// The same operator with other steps, of one that has an epilogue.
  Op with_epilogue(std::vector<EpilogueStep> steps) const {
    const std::shared_ptr<void> changed = schema_->make(attributes_.get());
    *schema_->epilogue(changed.get()) = std::move(steps);
    return {schema_, changed};
  }

  /// Where its results have their sequence offsets from.
  LodRule lod() const { return schema_->lod == nullptr ? LodRule::kNone : schema_->lod(attributes_.get()); }

  friend bool operator==(const Op& a, const Op& b) {
    return a.schema_ == b.schema_ &&
           (a.attributes_ == b.attributes_ || a.schema_->equal(a.attributes(), b.attributes()));
  }

 private:
  const OpSchema* schema_ = nullptr;
  std::shared_ptr<const void> attributes_;
};

}  // namespace coracle::internal
