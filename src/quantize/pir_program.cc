// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <unordered_map>

#include "base/error.h"
#include "model/pir.h"
#include "model/pir_write.h"
#include "quantize/pir_names.h"
#include "quantize/program.h"

// Programs in PIR (inference.json).
namespace coracle::internal::quantize {
namespace {

/// In place of the number of a parameter that stands in a region of an operation, and stays there.
constexpr size_t kInside = SIZE_MAX;

/// Ids of values by name; new names have new ids.
struct Ids {
  std::unordered_map<std::string, int64_t> of_names;
  int64_t next = 1;  ///< an id that no value has

  int64_t of(const std::string& name) {
    const auto [it, is_new] = of_names.try_emplace(name, next);
    if (is_new) ++next;
    return it->second;
  }
};

class PirWriter : public ProgramWriter {
 public:
  explicit PirWriter(const FileBytes& file)
      : file_(pir::parse(file)),
        bytes_(file.owner),
        text_(pir::file_text({reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()})) {}

  const pir::Program& file() const { return file_; }
  ProgramFormat format() const override { return ProgramFormat::kPir; }

  /// Parameters first, those without a content in the files last of them.
  std::string bytes_of(const Program& program) const override {
    Ids numbers = ids;
    std::deque<std::string> made;  // where they are stays
    std::vector<std::string_view> all;
    Variables variables;
    for (const ProgramVariable& v : program.variables) {
      variables[v.name] = &v;
      if (!v.is_parameter) continue;
      if (!v.original) {
        all.push_back(made.emplace_back(pir::parameter_text(type_of(v), numbers.of(v.name), file_.trainable)));
      } else if (*v.original != kInside) {
        all.push_back(text_.operations[*v.original]);
      }
    }
    for (const pir::Parameter& p : file_.parameters) {
      if (!p.persistable && p.index) all.push_back(text_.operations[*p.index]);
    }
    for (const ProgramOperator& o : program.operators) {
      if (!o.original) {
        all.push_back(made.emplace_back(new_text(o.made, variables, numbers)));
        continue;
      }
      const std::string_view original = text_.operations[file_.main.operations[*o.original].index];
      all.push_back(o.replaced.empty() ? original : made.emplace_back(changed(original, o, numbers)));
    }
    return pir::file_with(text_, all);
  }

  Ids ids;  ///< of the main block's values

 private:
  using Variables = std::unordered_map<std::string_view, const ProgramVariable*>;

  static NewVariable type_of(const ProgramVariable& v) { return {v.name, v.dtype, v.dims, v.persistable}; }

  std::string new_text(const NewOperator& made, const Variables& variables, Ids& numbers) const {
    static const std::vector<int64_t> kOne{1};
    std::vector<int64_t> operands;
    for (const auto& [slot, name] : made.inputs) operands.push_back(name.empty() ? 0 : numbers.of(name));
    std::vector<pir::NewResult> results;
    for (const auto& [slot, name] : made.outputs) {
      // A result that nothing reads has a type nevertheless: Paddle looks at it.
      const auto found = variables.find(name);
      results.push_back({name.empty() ? numbers.next++ : numbers.of(name),
                         found == variables.end() ? NewVariable{{}, DType::kFloat32, kOne} : type_of(*found->second)});
    }
    return pir::operation_text(made, operands, results, file_.trainable);
  }

  std::string changed(std::string_view original, const ProgramOperator& o, Ids& numbers) const {
    const PirOperation* known = find_pir_operation(file_.main.operations[*o.original].name);
    return pir::with_operands(original, [&](size_t at) {
      std::optional<int64_t> id;
      const std::string slot = input_slot(known, at);
      for (const ProgramOperator::Replaced& r : o.replaced) {
        if (r.slot == slot) id = numbers.of(r.to);
      }
      return id;
    });
  }

  pir::Program file_;
  std::shared_ptr<const void> bytes_;  ///< what the text is of
  pir::FileText text_;
};

/// Whether results are named after the operation's number.
bool is_counted(const pir::Operation& op) {
  if (op.dialect == "builtin" || (op.dialect == "cf" && op.name == "yield")) return false;
  return op.dialect != "pd_op" || (op.name != "data" && op.name != "feed" && op.name != "fetch");
}

/// Names the values of a program.
class Reader {
 public:
  Reader(const std::shared_ptr<PirWriter>& writer, Program& program) : writer_(writer), program_(program) {}

  void read() {
    const pir::Program& file = writer_->file();
    for (const pir::Parameter& p : file.parameters) {
      const std::string name = define(p.value.id, p.name);
      add(name, p.value.type, p.index.value_or(kInside), p.persistable);
    }
    for (const pir::Operation& op : file.main.operations) operation(op);
    writer_->ids.next = largest_ + 1;
  }

 private:
  void operation(const pir::Operation& op) {
    const bool builtin = op.dialect == "builtin";
    const PirOperation* known = builtin ? nullptr : find_pir_operation(op.name);
    ProgramOperator o;
    o.original = program_.operators.size();
    o.type = known == nullptr ? op.name : known->type;
    o.attributes = {writer_, &op.attributes};
    std::vector<std::string> read;
    for (const int64_t id : op.operands) {
      read.push_back(name_of(id));
      if (!read.back().empty()) o.inputs[input_slot(known, read.size() - 1)].push_back(read.back());
    }
    std::string base;
    if (o.type == "feed" && o.text("name") != nullptr) base = *o.text("name");
    if (is_counted(op)) base = text(op.name, "_", count_++);
    results(op, base, builtin ? elements_of(o, read) : std::vector<std::string>(), known, o);
    if (builtin && op.name == "combine" && !o.outputs.empty()) lists_[o.output("Out")] = read;
    for (const pir::Region& region : op.regions) nested(region);
    program_.operators.push_back(std::move(o));
  }

  /// Names of what builtin operations take out of a list.
  std::vector<std::string> elements_of(const ProgramOperator& o, const std::vector<std::string>& read) const {
    const auto list = read.empty() ? lists_.end() : lists_.find(read[0]);
    if (list == lists_.end() || (o.type != "split" && o.type != "slice")) return {};
    const auto first = static_cast<size_t>(o.type == "slice" ? std::max<int64_t>(o.integer("index", 0), 0) : 0);
    if (first >= list->second.size()) return {};
    return {list->second.begin() + static_cast<std::ptrdiff_t>(first), list->second.end()};
  }

  void results(const pir::Operation& op, const std::string& base, const std::vector<std::string>& taken,
               const PirOperation* known, ProgramOperator& o) {
    size_t number = 0;  // among all elements of the results
    const auto numbered = [&](size_t n) { return n == 0 ? base : text(base, ".", n); };
    for (size_t at = 0; at < op.results.size(); ++at) {
      const auto& [id, type] = op.results[at];
      std::string name = at < taken.size() ? taken[at] : text("#", id);
      if (type.kind == pir::Type::Kind::kList) {
        for (size_t i = type.elements.size(); i > 0; --i) lists_[name].push_back(numbered(number++));
      } else if (!base.empty()) {
        name = numbered(number++);
      }
      if (id == 0) continue;
      name = define(id, name);
      o.outputs[output_slot(known, at)].push_back(name);
      add(name, type, program_.variables.size(), false);
    }
  }

  /// Counts the operations of a region, and notes what they read.
  void nested(const pir::Region& region) {
    for (const pir::Definition& argument : region.arguments) largest_ = std::max(largest_, argument.id);
    for (const pir::Operation& op : region.operations) {
      if (is_counted(op)) ++count_;
      for (const int64_t id : op.operands) {
        const std::string name = name_of(id);
        if (!name.empty()) program_.read_by_others.push_back(name);
      }
      for (const pir::Definition& result : op.results) largest_ = std::max(largest_, result.id);
      for (const pir::Region& inner : op.regions) nested(inner);
    }
  }

  void add(const std::string& name, const pir::Type& type, size_t original, bool parameter) {
    ProgramVariable v{original, name, DType::kUnknown, {}, parameter, parameter};
    if (type.kind == pir::Type::Kind::kTensor) {
      v.dtype = type.dtype.value_or(DType::kUnknown);
      v.dims = type.dims;
    }
    program_.variables.push_back(std::move(v));
  }

  std::string name_of(int64_t id) const {
    const auto found = names_.find(id);
    return found == names_.end() ? std::string() : found->second;
  }

  /// Calls a value by that name, or by one that no other has. Elements of lists are called as in the list.
  std::string define(int64_t id, std::string name) {
    largest_ = std::max(largest_, id);
    while (!writer_->ids.of_names.try_emplace(name, id).second) name += '\'';
    names_[id] = name;
    return name;
  }

  std::shared_ptr<PirWriter> writer_;
  Program& program_;
  std::unordered_map<int64_t, std::string> names_;
  std::unordered_map<std::string, std::vector<std::string>> lists_;
  int64_t count_ = 0;
  int64_t largest_ = 0;
};

}  // namespace

Program parse_pir(const FileBytes& file) {
  const auto writer = std::make_shared<PirWriter>(file);
  Program program;
  Reader(writer, program).read();
  program.writer = writer;
  return program;
}

}  // namespace coracle::internal::quantize
