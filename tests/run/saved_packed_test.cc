// SPDX-License-Identifier: Apache-2.0
// Packed weights in saved models: who finds which, and what of them is refused.
#include <gtest/gtest.h>

#include "devices/cpu/isa.h"
#include "run/packed_cases.h"
#include "run/saved_files.h"
#include "run/session_results.h"
#include "saved/schema_generated.h"
#include "support/emulated_processor.h"
#include "support/graph_model.h"
#include "support/random_graph.h"
#include "support/temporary_folder.h"

namespace coracle::internal {
namespace {

using test::content;
using test::loaded;
using test::random_tensor;
using test::refusal;
using test::run_fresh;
using test::same_bits;

constexpr const char* kGraph = R"(graph (%x "x": float32[?, 48]) {
  @w: float32[48, 33] = random(1)
  @u: float32[33, 20] = random(2)
  %1 = matmul(%x, @w)
  %2 = matmul(%1, @u)
  return %2 "y"
})";

class SavedPacked : public testing::Test {
 protected:
  SavedPacked() {
    const auto model = test::model_of(kGraph);
    expected_ = run_fresh(model, {x_});
    made_ = model->program()->packed().bytes();
    model->save(path_, true);
  }

  static const PackedWeights& packed(const std::shared_ptr<const Model>& model) { return model->program()->packed(); }

  /// What the first use of a file says whose packed weights 0 `change` has changed, behind checksums that are right.
  template <class F>
  std::string refused(const F& change, ErrorCode expected = ErrorCode::kInvalidModel) const {
    std::string bytes = content(path_);
    saved::Head head;
    std::memcpy(&head, bytes.data(), sizeof(head));
    change(*saved_file::GetModel(bytes.data() + head.head_bytes)->packed()->Get(0));
    const std::string damaged = folder_.write("damaged.coracle", test::resealed(std::move(bytes)));
    const std::string text = refusal([&] { run_fresh(loaded(damaged), {x_}); }, expected);
    EXPECT_NE(text.find("gemm.b.panels.v1"), std::string::npos) << text;
    return text;
  }

  const test::TemporaryFolder folder_;
  const std::string path_ = folder_.path("product.coracle");
  const Tensor x_ = random_tensor({3, 48}, 1);
  std::vector<Tensor> expected_;
  size_t made_ = 0;
};

TEST_F(SavedPacked, AreUsedWhereTheyAre) {
  ASSERT_GT(made_, 0U);
  const auto model = loaded(path_);
  EXPECT_TRUE(same_bits(run_fresh(model, {x_}), expected_));
  EXPECT_EQ(packed(model).bytes(), 0U);
  for (const PackedConstants& p : packed(model).all()) EXPECT_EQ(reinterpret_cast<uintptr_t>(p.data.get()) % 64, 0U);
  // Other shapes want the same here, and so do sessions under a bound.
  EXPECT_EQ(run_fresh(model, {random_tensor({70, 48}, 1)}).size(), 1U);
  EXPECT_EQ(packed(model).bytes(), 0U);
  ModelOptions none;
  none.weights_cache_bytes = 0;
  const auto bounded = loaded(path_, none);
  EXPECT_TRUE(same_bits(run_fresh(bounded, {x_}), expected_));
  EXPECT_EQ(packed(bounded).all().size(), 2U);
}

TEST_F(SavedPacked, OfAnotherInstructionSetAreNotFound) {
  ModelOptions plain;
  plain.kernels.disabled = {"linear"};
  EXPECT_NO_THROW(run_fresh(loaded(path_, plain), {x_}));
  if (!cpu::runs_on(cpu::Isa::kSse2, cpu::detected_isa()) || cpu::detected_isa() == cpu::Isa::kSse2)
    GTEST_SKIP() << "one instruction set";
  ModelOptions sse2;
  sse2.kernels.capability = cpu::Isa::kSse2;
  const auto model = loaded(path_, sse2);
  EXPECT_TRUE(same_bits(run_fresh(model, {x_}), run_fresh(test::model_of(kGraph, sse2), {x_})));
  EXPECT_GT(packed(model).bytes(), 0U);
  const std::string both = folder_.path("both.coracle");
  model->save(both, true);
  EXPECT_EQ(packed(loaded(both)).all().size(), 4U);
}

TEST_F(SavedPacked, InMemoryThatIsNotAlignedAreMadeAgain) {
  const std::string bytes = content(path_);
  std::string room(bytes.size() + 128, '\0');
  const size_t aligned = 64 - reinterpret_cast<uintptr_t>(room.data()) % 64;
  for (size_t at : {aligned, aligned + 4}) {
    std::copy(bytes.begin(), bytes.end(), room.begin() + static_cast<std::ptrdiff_t>(at));
    const FileBytes file{
        .name = "m", .owner = nullptr, .bytes = {reinterpret_cast<const uint8_t*>(room.data()) + at, bytes.size()}};
    const auto model = Model::load(ModelSource::in_memory(file, {}), {});
    EXPECT_TRUE(same_bits(run_fresh(model, {x_}), expected_));
    EXPECT_EQ(packed(model).bytes(), at == aligned ? 0U : made_);
  }
}

TEST_F(SavedPacked, ThatAreDamagedAreFoundWhereAsked) {
  std::string bytes = content(path_);
  bytes.back() ^= 1;
  const std::string damaged = folder_.write("damaged.coracle", bytes);
  EXPECT_NO_THROW(loaded(damaged));
  ModelOptions options;
  options.load.check_weights = true;
  const std::string text = refusal([&] { loaded(damaged, options); }, ErrorCode::kInvalidModel);
  EXPECT_NE(text.find("its packed weights 1 (gemm.b.panels.v1) are damaged"), std::string::npos) << text;
  const auto model = loaded(damaged);
  model->program()->packed().check_every_use(true);
  EXPECT_THROW(run_fresh(model, {x_}), Error);
}

TEST_F(SavedPacked, AreRefusedByName) {
  using Packed = saved_file::PackedWeights;
  const auto set_bytes = [](const Packed& p, uint64_t bytes) {
    reinterpret_cast<flatbuffers::Table*>(const_cast<Packed*>(&p))->SetField<uint64_t>(Packed::VT_BYTES, bytes, 0);
  };
  const auto set_constant = [](const Packed& p, uint32_t value) {
    const_cast<flatbuffers::Vector<uint32_t>*>(p.constants())->Mutate(0, value);
  };
  const auto says = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  // Only who packs knows the size.
  says(refused([&](const Packed& p) { set_bytes(p, p.bytes() - 4); }, ErrorCode::kUnsupported),
       "bytes, this version of Coracle makes ");
  says(refused([&](const Packed& p) { set_bytes(p, uint64_t{1} << 40U); }),
       "cannot have 1099511627776 bytes from byte 0");
  says(refused([&](const Packed& p) { set_constant(p, 0); }), "are of value 0, which is none of the constants");
  says(refused([&](const Packed& p) { set_constant(p, 99); }), "are of value 99, which is none of the constants");
  says(refused([&](const Packed& p) { set_constant(p, 2); }), "are not of the weights in the file");
}

/// A file of the format before packed weights, which has minor number 0 and is otherwise one without any.
TEST_F(SavedPacked, OfAFileBeforeThereWereSome) {
  const std::string plain = folder_.path("plain.coracle");
  test::model_of(kGraph)->save(plain);
  const std::string old = test::with_head(content(plain), [](saved::Head& h) { h.minor = 0; });
  const auto model = loaded(folder_.write("old.coracle", old));
  EXPECT_TRUE(same_bits(run_fresh(model, {x_}), expected_));
  EXPECT_EQ(packed(model).bytes(), made_);
}

/// What was packed as on one processor is right on each other: it is used where a kernel there asks for the same, made
/// again where not, and the answers are those of a model without packed weights.
class SavedOnAnotherProcessor : public testing::TestWithParam<test::Case> {};

TEST_P(SavedOnAnotherProcessor, GivesTheAnswersOfThisOne) {
  const test::Case& c = GetParam();
  const std::vector<const cpu::Processor*> processors = test::emulated_processors();
  const test::TemporaryFolder folder;
  const Tensor x = random_tensor(c.shapes.at(1), 1);
  for (const cpu::Processor* p : processors) {
    const test::EmulatedProcessor emulated(*p);
    const auto model = test::model_of(c.graph, test::options_of(c));
    run_fresh(model, {x});
    model->save(folder.path(std::string(p->name)), true);
  }
  for (const cpu::Processor* p : processors) {
    const test::EmulatedProcessor emulated(*p);
    const std::vector<Tensor> expected = run_fresh(test::model_of(c.graph, test::options_of(c)), {x});
    for (const cpu::Processor* other : processors) {
      const auto model = loaded(folder.path(std::string(other->name)));
      model->program()->packed().check_every_use(true);
      EXPECT_TRUE(same_bits(run_fresh(model, {x}), expected)) << "saved on " << other->name << ", run on " << p->name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, SavedOnAnotherProcessor, testing::ValuesIn(test::kCases),
                         [](const auto& c) { return std::string(c.param.name); });

/// Loops and branches have constants of their own.
TEST(SavedPackedOfRegions, BelongToTheirGraph) {
  for (const test::ModelBytes& m : test::small_program_models()) {
    const auto model = loaded(m);
    const std::vector<const Graph*> graphs = numbered_graphs(model->program()->graph());
    for (size_t i = 0; i < graphs.size(); ++i) {
      EXPECT_EQ(model->program()->info(*graphs[i]).number, static_cast<int32_t>(i)) << m;
    }
  }
}

}  // namespace
}  // namespace coracle::internal
