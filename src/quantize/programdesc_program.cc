// SPDX-License-Identifier: Apache-2.0
#include "quantize/program.h"

#include <algorithm>
#include <deque>

#include "model/programdesc.h"
#include "model/programdesc_write.h"

// Programs in the format ProgramDesc.
namespace coracle::internal::quantize {
namespace {

class ProgramDescWriter : public ProgramWriter {
 public:
  explicit ProgramDescWriter(FileBytes file) : file_(programdesc::parse(std::move(file))) {}

  const programdesc::Program& file() const { return file_; }
  ProgramFormat format() const override { return ProgramFormat::kProgramDesc; }

  std::string bytes_of(const Program& program) const override {
    const programdesc::Block& block = file_.blocks.front();
    std::deque<std::string> made;  // where they are stays
    std::vector<std::string_view> variables;
    for (const ProgramVariable& v : program.variables) {
      variables.push_back(
          v.original ? block.variables[*v.original].bytes
                     : made.emplace_back(programdesc::bytes_of(NewVariable{v.name, v.dtype, v.dims, v.persistable})));
    }
    std::vector<std::string_view> operators;
    for (const ProgramOperator& o : program.operators) {
      if (!o.original) {
        operators.push_back(made.emplace_back(programdesc::bytes_of(o.made)));
      } else if (o.replaced.empty()) {
        operators.push_back(block.operators[*o.original].bytes);
      } else {
        operators.push_back(made.emplace_back(changed(block.operators[*o.original], o)));
      }
    }
    return programdesc::file_with(file_, variables, operators);
  }

 private:
  static std::string changed(const programdesc::Operator& original, const ProgramOperator& o) {
    return programdesc::with_inputs(original, [&](const programdesc::Slot& slot) {
      const bool changes =
          std::any_of(o.replaced.begin(), o.replaced.end(), [&](const auto& r) { return r.slot == slot.name; });
      return changes ? &o.inputs.at(std::string(slot.name)) : nullptr;
    });
  }

  programdesc::Program file_;
};

ProgramSlots slots_of(const std::vector<programdesc::Slot>& slots) {
  ProgramSlots named;
  for (const programdesc::Slot& s : slots) {
    named.try_emplace(std::string(s.name), s.variables.begin(), s.variables.end());
  }
  return named;
}

}  // namespace

Program parse_programdesc(FileBytes file) {
  const auto writer = std::make_shared<const ProgramDescWriter>(std::move(file));
  const std::vector<programdesc::Block>& blocks = writer->file().blocks;
  Program program;
  for (const programdesc::Variable& v : blocks.front().variables) {
    program.variables.push_back({program.variables.size(), std::string(v.name), v.dtype.value_or(DType::kUnknown),
                                 v.dims, v.persistable, v.is_stored()});
  }
  for (const programdesc::Operator& o : blocks.front().operators) {
    program.operators.push_back({.original = program.operators.size(),
                                 .type = std::string(o.type),
                                 .inputs = slots_of(o.inputs),
                                 .outputs = slots_of(o.outputs),
                                 .attributes = {writer, &o.attributes},
                                 .replaced = {},
                                 .made = {}});
  }
  for (size_t b = 1; b < blocks.size(); ++b) {
    for (const programdesc::Operator& o : blocks[b].operators) {
      for (const programdesc::Slot& s : o.inputs) {
        program.read_by_others.insert(program.read_by_others.end(), s.variables.begin(), s.variables.end());
      }
    }
  }
  program.writer = writer;
  return program;
}

}  // namespace coracle::internal::quantize
