// SPDX-License-Identifier: Apache-2.0
#include "model/paddle_lite.h"

#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <set>

#include "base/counted.h"
#include "base/dtypes.h"
#include "base/error.h"
#include "base/printable.h"
#include "model/import_programdesc.h"
#include "model/paddle_lite_operators.h"
#include "model/paddle_lite_schema.h"

static_assert(std::endian::native == std::endian::little, "the files are little-endian and used in place");

namespace coracle::internal::paddle_lite {
namespace {

constexpr size_t kVersionText = 16;
constexpr size_t kHeader = sizeof(uint16_t) + kVersionText + sizeof(uint64_t);

/// Bytes of a file in memory of their own, which tensors may share.
struct Held {
  std::shared_ptr<const void> owner;
  std::span<const uint8_t> bytes;
};

/// Reads a file from front to back.
class Reader {
 public:
  explicit Reader(const File& file) : file_(file) {}

  size_t left() const { return file_.size() - at_; }

  template <class T>
  T number(std::string_view what) {
    T value{};
    take({reinterpret_cast<uint8_t*>(&value), sizeof(T)}, what);
    return value;
  }

  void skip(uint64_t count, std::string_view what) {
    need(count, what);
    at_ += static_cast<size_t>(count);
  }

  Held hold(uint64_t count, std::string_view what) {
    need(count, what);
    const auto size = static_cast<size_t>(count);
    const auto bytes = std::shared_ptr<uint8_t[]>(new uint8_t[size]);  // NOLINT(modernize-avoid-c-arrays)
    take({bytes.get(), size}, what);
    return {bytes, {bytes.get(), size}};
  }

  void take(std::span<uint8_t> to, std::string_view what) {
    need(to.size(), what);
    const size_t got = file_.read(at_, to);
    require(got == to.size(), ErrorCode::kIo, "the file was cut short while it was read: ", what, " has ",
            counted(to.size(), "byte"), " from byte ", at_, " on, found ", got, " of them");
    at_ += got;
  }

 private:
  void need(uint64_t count, std::string_view what) const {
    require(count <= left(), "the file ends within ", what, " at byte ", at_, ": ", counted(count, "byte"), " needed, ",
            left(), " left: was it cut short?");
  }

  const File& file_;
  size_t at_ = 0;
};

Tensor tensor_of(const schema::Param& param, std::string_view name, const Held& held) {
  const std::optional<schema::LoDTensor> lod_tensor = param.tensor();
  require(lod_tensor.has_value(), "the parameter ", in_quotes(name), " is not a tensor");
  const int64_t number = lod_tensor->data_type();
  const std::optional<DType> dtype = dtype_of_var_type(number);
  require(dtype.has_value(), "the parameter ", in_quotes(name), " has the element type number ", number,
          ", which is not known");
  const std::vector<int64_t> dims = lod_tensor->dims();
  require(dims.size() <= static_cast<size_t>(Shape::kMaxRank), "the parameter ", in_quotes(name), " has ",
          counted(dims.size(), "dimension"), ", at most ", Shape::kMaxRank, " are possible");
  const std::span<const uint8_t> data = lod_tensor->data();
  uint64_t count = 1;  // no more than the bytes that there are, so that it cannot overflow
  for (int64_t d : dims) {
    require(d >= 0, "the parameter ", in_quotes(name), " has the dimension ", d);
    require(d == 0 || count <= data.size() / static_cast<uint64_t>(d), "the parameter ", in_quotes(name), " has ",
            counted(data.size(), "byte"), ", fewer than its shape ", Shape(dims), " needs");
    count *= static_cast<uint64_t>(d);
  }
  require(count * size_of(*dtype) == data.size(), "the parameter ", in_quotes(name), " has ",
          counted(data.size(), "byte"), ", expected ", count * size_of(*dtype), " for ", *dtype, Shape(dims));
  if (reinterpret_cast<uintptr_t>(data.data()) % size_of(*dtype) == 0) {
    return Tensor::share(*dtype, Shape(dims), held.owner, data.data());
  }
  Tensor copy = Tensor::make(*dtype, Shape(dims));
  if (!data.empty()) std::memcpy(copy.raw(), data.data(), data.size());
  return copy;
}

void add_parameter(Model& model, const schema::Param& param, const Held& held) {
  const std::string name(param.name());
  const bool added = model.parameters.emplace(name, tensor_of(param, name, held)).second;
  require(added, "the parameter ", in_quotes(name), " is there twice");
}

/// Version 1: all parameters are one FlatBuffer.
void read_one_list(Reader& reader, Model& model) {
  const Held held = reader.hold(reader.left(), "the parameters");
  const schema::Budget budget(held.bytes.size());
  const auto all = schema::root<schema::Params>(held.bytes).params();
  budget.spend(uint64_t{all.size()} * sizeof(uint32_t));
  for (uint32_t i = 0; i < all.size(); ++i) {
    budget.spend(all[i].cost());
    add_parameter(model, all[i], held);
  }
}

/// Version 2: each is a FlatBuffer behind its size.
void read_list_of_each(Reader& reader, Model& model) {
  const auto version = reader.number<uint16_t>("the version of the parameters");
  require(version == 0, ErrorCode::kUnsupported, "it has parameters of version ", version,
          ", and version 0 is known here");
  reader.skip(reader.number<uint16_t>("what is said of the parameters"), "what is said of the parameters");
  constexpr size_t kCounted = sizeof(uint16_t) + sizeof(uint32_t);
  const auto header = reader.number<uint16_t>("the header of the parameters");
  require(header >= kCounted, "the header of the parameters has ", counted(header, "byte"), ", expected at least ",
          kCounted);
  const auto count = reader.number<uint16_t>("the number of parameters");
  reader.number<uint32_t>("the size of the greatest parameter");
  reader.skip(header - kCounted, "the header of the parameters");
  for (uint32_t i = 0; i < count; ++i) {
    const std::string what = text("parameter ", i, " of ", count);
    const auto total = reader.number<uint32_t>(what);
    const auto offset = reader.number<uint32_t>(what);
    require(offset >= sizeof(uint32_t) && offset <= total, what, " is said to begin ", offset, " of ",
            counted(total, "byte"), " behind its size");
    reader.skip(offset - sizeof(uint32_t), what);
    const Held held = reader.hold(total - offset, what);
    add_parameter(model, schema::root<schema::Param>(held.bytes), held);
  }
  require(reader.left() == 0, "it has ", counted(reader.left(), "byte"), " more than its ", counted(count, "parameter"),
          " take");
}

/// The program gives parameters the types that they had before `opt` made them smaller: what the file holds counts.
void take_types_of_parameters(Model& model) {
  for (programdesc::Block& block : model.program.blocks) {
    for (programdesc::Variable& v : block.variables) {
      const auto found = v.is_stored() ? model.parameters.find(v.name) : model.parameters.end();
      if (found == model.parameters.end()) continue;
      v.described = true;
      v.dtype = found->second.dtype();
      v.dims.assign(found->second.shape().begin(), found->second.shape().end());
    }
  }
}

/// Paddle Lite has one scope for all blocks, and each declares what it uses: what a block around it declares is that
/// one's.
void leave_to_outer_blocks(programdesc::Program& program) {
  std::vector<std::set<std::string_view>> declared(program.blocks.size());
  for (size_t b = 0; b < program.blocks.size(); ++b) {
    programdesc::Block& block = program.blocks[b];
    std::erase_if(block.variables, [&](const programdesc::Variable& v) {
      for (size_t inner = b; inner > 0;) {
        const int64_t outer = program.blocks[inner].parent;
        if (outer < 0 || outer >= static_cast<int64_t>(inner)) break;  // no tree, which is said elsewhere
        inner = static_cast<size_t>(outer);
        if (declared[inner].count(v.name) != 0) return true;
      }
      return false;
    });
    for (const programdesc::Variable& v : block.variables) declared[b].insert(v.name);
  }
}

/// Why an operator that Paddle does not have cannot be run.
std::string refusal_of(const Model& model, std::string_view type) {
  const bool is_other = type == "subgraph" || type.starts_with("__xpu__");
  return text("opt ", printable(model.producer), " of Paddle Lite made it",
              is_other ? " for another chip: give the model that opt read" : ", and Coracle does not have it");
}

bool is_printable(uint8_t c) { return c > ' ' && c < 0x7F; }

}  // namespace

bool is_model(const File& file) {
  std::array<uint8_t, kHeader> head{};
  if (file.read(0, head) < head.size()) return false;
  constexpr uint8_t kMostVersions = 9;
  return head[0] <= kMostVersions && head[1] == 0 && is_printable(head[2]) && is_printable(head[3]) &&
         head[kHeader - 1] == 0;
}

Model read(const File& file) {
  Reader reader(file);
  Model model;
  model.format = reader.number<uint16_t>("its version");
  std::array<uint8_t, kVersionText + 1> producer{};
  reader.take(std::span(producer).first(kVersionText), "the version of opt");
  model.producer = reinterpret_cast<const char*>(producer.data());
  try {
    require(model.format == 1 || model.format == 2, ErrorCode::kUnsupported, "versions 1 and 2 are known here",
            model.format == 0 ? ": write it again with Paddle Lite's opt of version 2.7 or later" : "");
    const auto size = reader.number<uint64_t>("the program");
    const Held topology = reader.hold(size, "the program");
    model.program = schema::program_of(topology.bytes);
    model.program.file = {.name = file.name(), .owner = topology.owner, .bytes = topology.bytes};
    model.format == 1 ? read_one_list(reader, model) : read_list_of_each(reader, model);
    file.require_unchanged();
    leave_to_outer_blocks(model.program);
    take_types_of_parameters(model);
    use_operators_of_paddle(model);
  } catch (Error& error) {
    error.add_context(text("reading ", in_quotes(file.name()), ", a file of version ", model.format, " that opt ",
                           in_quotes(model.producer), " of Paddle Lite wrote"));
    throw;
  }
  return model;
}

ModelInfo describe(const Model& model, const OperatorSet& operators) {
  ModelInfo info = internal::describe(model.program, operators);
  info.format = text("Paddle Lite ", model.format);
  info.producer = model.producer;
  for (Unsupported& u : info.unsupported) {
    if (operators.find_legacy(u.type) == nullptr && u.type != "feed" && u.type != "(parameter)") {
      u.reason = refusal_of(model, u.type);
    }
  }
  return info;
}

Graph import(const RunContext& context, const Model& model, const ModelInfo& info, std::vector<Tensor> parameters,
             const OperatorSet& operators) {
  return internal::import(context, model.program, info, std::move(parameters), operators);
}

std::vector<Tensor> parameters_of(const Model& model, const std::vector<TensorInfo>& declared) {
  std::vector<Tensor> tensors;
  for (const TensorInfo& info : declared) {
    const auto found = model.parameters.find(info.name);
    require(found != model.parameters.end(), "the file ", in_quotes(model.program.file.name), " has no parameter ",
            in_quotes(info.name), ", which its program declares");
    tensors.push_back(found->second);
  }
  return tensors;
}

}  // namespace coracle::internal::paddle_lite
