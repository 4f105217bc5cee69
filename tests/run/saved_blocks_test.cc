// SPDX-License-Identifier: Apache-2.0
// Blocks for engines in saved models, and what engines have compiled of them.
#include <gtest/gtest.h>

#include <algorithm>

#include "blocks/engine_key.h"
#include "model/load.h"
#include "run/saved_files.h"
#include "run/session_results.h"
#include "saved/schema_generated.h"
#include "support/chance_engine.h"
#include "support/graph_model.h"
#include "support/random_graph.h"
#include "support/sanitized.h"
#include "support/temporary_folder.h"
#include "support/warnings.h"

namespace coracle::internal::test {
namespace {

class SavedBlocksTest : public ::testing::Test {
 protected:
  ModelOptions options() const {
    ModelOptions o;
    o.engines = {.engines = {use(*engine_)}, .min_ops = 2, .cache = FileCache({}, 0)};
    o.passes.disabled = {"engine_cost"};
    return o;
  }
  /// Of a load that asks for no blocks of its own; the engine is given since only this test has it.
  ModelOptions from_file() const {
    ModelOptions o;
    o.engines = {.engines = {use(*engine_)}, .cache = FileCache({}, 0)};
    o.engines.engines[0].automatic = false;
    return o;
  }
  /// Saved after a run, with what the engine has compiled.
  std::string save(bool compiled = true, const ModelOptions* with = nullptr) {
    const auto model = model_of(Graph(graph_), with != nullptr ? *with : options());
    expected_ = run_fresh(model, {x_});
    report_ = model->engine_report();
    model->save(path_, compiled);
    return path_;
  }
  static std::vector<std::pair<std::string, std::string>> blocks_of(const CutReport& report) {
    std::vector<std::pair<std::string, std::string>> all;
    for (const CutNode& n : report.nodes) all.emplace_back(n.graph + "/" + n.node, n.block);
    return all;
  }
  /// The file with its compiled block 0 changed, behind checksums that are right.
  template <class F>
  std::string changed(const F& change) const {
    std::string bytes = content(path_);
    saved::Head head;
    std::memcpy(&head, bytes.data(), sizeof(head));
    change(*saved_file::GetModel(bytes.data() + head.head_bytes));
    return folder_.write("changed.coracle", resealed(std::move(bytes)));
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.path("m.coracle");
  std::shared_ptr<ChanceEngine> engine_ = ChanceEngine::make("chance", 1, 50);
  Graph graph_ = random_graph(4, 60);
  Tensor x_ = random_tensor({1, 4, 6, 6}, 1);
  std::vector<Tensor> expected_;
  CutReport report_;
};

TEST_F(SavedBlocksTest, AreTheSameInWhatIsLoaded) {
  save();
  ASSERT_GT(report_.blocks, 1);
  const int compiled = engine_->counts().compiled;
  ASSERT_EQ(compiled, report_.blocks);
  const auto model = loaded(path_, from_file());
  EXPECT_EQ(blocks_of(model->engine_report()), blocks_of(report_));
  EXPECT_TRUE(same_bits(run_fresh(model, {x_}), expected_));
  EXPECT_EQ(engine_->counts().compiled, compiled) << "all are in the file";
  EXPECT_EQ(engine_->counts().loaded, compiled);
  EXPECT_EQ(model->info().saved->blocks, report_.blocks);
  EXPECT_EQ(model->info().saved->compiled, compiled);
  run_fresh(model, {random_tensor({1, 4, 6, 7}, 1)});
  EXPECT_EQ(engine_->counts().compiled, 2 * compiled) << "another size";
  run_fresh(loaded(path_, from_file()), {x_}, {.threads = 1});
  EXPECT_EQ(engine_->counts().compiled, 3 * compiled) << "other threads";
}

TEST_F(SavedBlocksTest, AreSavedAgainWithWhatWasAdded) {
  save();
  const int compiled = engine_->counts().compiled;
  const std::string again = folder_.path("again.coracle");
  {
    const auto model = loaded(path_, from_file());
    run_fresh(model, {random_tensor({1, 4, 6, 7}, 1)});
    model->save(again, true);
  }
  EXPECT_EQ(engine_->counts().compiled, 2 * compiled);
  const auto model = loaded(again, from_file());
  EXPECT_EQ(model->info().saved->compiled, 2 * compiled);
  EXPECT_TRUE(same_bits(run_fresh(model, {x_}), expected_));
  run_fresh(model, {random_tensor({1, 4, 6, 7}, 1)});
  EXPECT_EQ(engine_->counts().compiled, 2 * compiled);
}

TEST_F(SavedBlocksTest, RunNativelyWhereTheEngineIsMissing) {
  save();
  const Warnings warnings;
  const auto model = loaded(path_);
  EXPECT_EQ(model->engine_report().blocks, 0);
  ASSERT_EQ(warnings.lines(), 1) << warnings.all();
  EXPECT_NE(warnings.all().find("chance"), std::string::npos) << warnings.all();
  EXPECT_TRUE(same_bits(run_fresh(model, {x_}), expected_)) << "this engine has the kernels' bits";
  // Who saves it there keeps what others have.
  const std::string again = folder_.path("again.coracle");
  model->save(again, true);
  EXPECT_EQ(blocks_of(loaded(again, from_file())->engine_report()), blocks_of(report_));
  EXPECT_EQ(loaded(again, from_file())->info().saved->compiled, report_.blocks);
}

TEST_F(SavedBlocksTest, AreLeftOutWhereOthersAreAskedFor) {
  save();
  ModelOptions other = options();
  other.engines.min_ops = 1;
  const CutReport direct = model_of(Graph(graph_), other)->engine_report();
  EXPECT_NE(blocks_of(direct), blocks_of(report_));
  EXPECT_EQ(blocks_of(loaded(path_, other)->engine_report()), blocks_of(direct));
  ModelOptions none;
  none.passes.disabled = {"engine_saved"};
  const Warnings warnings;
  EXPECT_EQ(loaded(path_, none)->engine_report().blocks, 0);
  EXPECT_EQ(warnings.all(), "");
}

TEST_F(SavedBlocksTest, WithoutWhatIsCompiled) {
  save(/*compiled=*/false);
  const int compiled = engine_->counts().compiled;
  const auto model = loaded(path_, from_file());
  EXPECT_EQ(blocks_of(model->engine_report()), blocks_of(report_));
  EXPECT_EQ(model->info().saved->compiled, 0);
  EXPECT_TRUE(same_bits(run_fresh(model, {x_}), expected_));
  EXPECT_EQ(engine_->counts().compiled, 2 * compiled);
}

TEST_F(SavedBlocksTest, KeepTheRangesOfTheirSizes) {
  engine_->set_varies(100);
  ModelOptions ranged = options();
  ranged.engines.shapes = {
      {.input = graph_.value(graph_.inputs()[0]).name, .min = {1, 4, 6, 2}, .opt = {1, 4, 6, 6}, .max = {1, 4, 6, 60}}};
  save(true, &ranged);
  const int compiled = engine_->counts().compiled;
  const auto model = loaded(path_, from_file());
  EXPECT_TRUE(same_bits(run_fresh(model, {x_}), expected_));
  EXPECT_EQ(run_fresh(model, {random_tensor({1, 4, 6, 33}, 1)}).size(), expected_.size());
  EXPECT_EQ(engine_->counts().compiled, compiled);
  const std::string damaged = changed([](const saved_file::Model& m) {
    const_cast<flatbuffers::Vector<int64_t>*>(m.ranges()->Get(0)->min())->Mutate(3, -5);
  });
  const std::string text = refusal([&] { loaded(damaged, from_file()); }, ErrorCode::kInvalidModel);
  EXPECT_NE(text.find("changed.coracle: what it was saved with does not fit it: shapes gives dimension 3"),
            std::string::npos)
      << text;
}

TEST_F(SavedBlocksTest, OfNoUseAreCompiledAnewWithOneNotice) {
  save();
  const auto told = [&](const std::string& path) {
    const int before = engine_->counts().compiled;
    const Warnings warnings;
    EXPECT_TRUE(same_bits(run_fresh(loaded(path, from_file()), {x_}), expected_));
    EXPECT_GT(engine_->counts().compiled, before);
    EXPECT_EQ(warnings.lines(), 1) << warnings.all();
    return warnings.all();
  };
  const auto says = [](const std::string& all, const std::string& part) {
    EXPECT_NE(all.find(part), std::string::npos) << all;
  };
  const auto change_key = [](const saved_file::Model& m) {
    for (const auto* c : *m.compiled()) {
      const_cast<flatbuffers::Vector<uint64_t>*>(c->key())->Mutate(1, 7);
      const_cast<char&>(c->version()->c_str()[0]) = 'X';
    }
  };
  says(told(changed(change_key)), "it is of X");
  const auto change_processor = [](const saved_file::Model& m) {
    for (const auto* c : *m.compiled()) {
      const_cast<flatbuffers::Vector<uint64_t>*>(c->key())->Mutate(1, 7);
      const_cast<char&>(c->processor()->c_str()[0]) = '?';
    }
  };
  says(told(changed(change_processor)), "this is " + processor_name());
  std::string damaged = content(path_);
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  says(told(folder_.write("damaged.coracle", damaged)), "it is damaged: the checksum is ");
  engine_->set_faults({.load = engine_->counts().loaded + 1});
  says(told(path_), "cannot be used and is compiled again: ");
}

TEST_F(SavedBlocksTest, ThatAreDamagedAreFoundWhereAsked) {
  save();
  std::string bytes = content(path_);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  const std::string damaged = folder_.write("damaged.coracle", bytes);
  ModelOptions options = from_file();
  options.load.check_weights = true;
  const std::string text = refusal([&] { loaded(damaged, options); }, ErrorCode::kInvalidModel);
  EXPECT_NE(text.find("is damaged: its checksum is"), std::string::npos) << text;
}

TEST_F(SavedBlocksTest, AreRefusedByName) {
  save();
  const auto refused = [&](const auto& change) {
    return refusal([&] { loaded(changed(change), from_file()); }, ErrorCode::kInvalidModel);
  };
  const auto says = [](const std::string& all, const char* part) {
    EXPECT_NE(all.find(part), std::string::npos) << all;
  };
  using Nodes = flatbuffers::Vector<uint32_t>;
  const auto set_node = [](const saved_file::Model& m, uint32_t block, uint32_t at, uint32_t node) {
    const_cast<Nodes*>(m.blocks()->Get(block)->nodes())->Mutate(at, node);
  };
  says(refused([&](const auto& m) { set_node(m, 0, 0, 1000); }), "its block 0 cannot have node 1000 of ");
  says(refused([&](const auto& m) { set_node(m, 0, 1, m.blocks()->Get(0)->nodes()->Get(0)); }), "its block 0 cannot");
  says(refused([&](const auto& m) { set_node(m, 1, 0, m.blocks()->Get(0)->nodes()->Get(0)); }), "its block 1 cannot");
  using Compiled = saved_file::CompiledBlock;
  const auto set = [](const auto& m, auto field, auto value) {
    auto* table = reinterpret_cast<flatbuffers::Table*>(const_cast<Compiled*>(m.compiled()->Get(1)));
    table->SetField(field, value, decltype(value){});
  };
  says(refused([&](const auto& m) { set(m, Compiled::VT_BYTES, uint64_t{1} << 60U); }),
       "its compiled block 1 cannot have 1152921504606846976 bytes from byte ");
  says(refused([&](const auto& m) { set(m, Compiled::VT_BLOCK, uint32_t{77}); }),
       "its compiled block 1 is of block 77");
}

/// Nodes that wait for each other through what lies between them, or that no engine may run, make no block.
TEST_F(SavedBlocksTest, OfAnyNodesGiveAnswersOrAreRefused) {
  engine_ = ChanceEngine::make("chance", 1, 97);
  const auto plain = model_of(random_graph(4, 12));
  expected_ = run_fresh(plain, {x_});
  const Graph& graph = plain->program()->graph();
  const auto count = static_cast<int32_t>(graph.order().size());
  int ran = 0;
  int refused = 0;
  for (int seed = 0; seed < 100; ++seed) {
    SavedBlocks blocks;
    unsigned state = static_cast<unsigned>(seed) * 2654435761U + 1;
    for (int32_t n = 0; n < count; ++n) {
      state = state * 1664525U + 1013904223U;
      const unsigned pick = (state >> 16U) % 4;
      if (pick == 0) continue;
      while (blocks.blocks.size() < pick) blocks.blocks.push_back({.engine = "chance", .graph = 0, .nodes = {}});
      blocks.blocks[pick - 1].nodes.push_back(n);
    }
    std::erase_if(blocks.blocks, [](const SavedBlock& b) { return b.nodes.empty(); });
    LoadedModel with;
    with.graph = Graph(graph);
    with.info = plain->info();
    with.info.saved.emplace();
    with.blocks = blocks;
    try {
      EXPECT_TRUE(same_bits(run_fresh(Model::make(std::move(with), from_file()), {x_}), expected_)) << seed;
      ++ran;
    } catch (const Error& e) {
      EXPECT_NE(e.text().find("in a cycle"), std::string::npos) << e.text();
      EXPECT_NE(e.text().find(" was saved with"), std::string::npos) << e.text();
      ++refused;
    }
  }
  EXPECT_GT(ran, 0);
  EXPECT_GT(refused, 0);
  EXPECT_GT(engine_->counts().runs, 0);
}

/// Flips of bits anywhere in a file with blocks: the same answers, or an error.
TEST_F(SavedBlocksTest, FlippedAnywhere) {
  save();
  const std::string whole = content(path_);
  unsigned state = 1;
  for (int i = 0; i < as_time_allows(5000); ++i) {
    state = state * 1664525U + 1013904223U;
    std::string flipped = whole;
    flipped[(state >> 4U) % flipped.size()] ^= static_cast<char>(1U << (state % 8));
    ModelOptions options = from_file();
    options.load.check_weights = true;
    try {
      const auto model = Model::load(ModelSource::in_memory(memory_file(flipped), {}), options);
      EXPECT_TRUE(same_bits(run_fresh(model, {x_}), expected_)) << i;
    } catch (const Error&) {
    }
  }
  for (size_t size = 0; size < whole.size(); size += 97) {
    EXPECT_THROW(Model::load(ModelSource::in_memory(memory_file(whole.substr(0, size)), {}), from_file()), Error);
  }
}

}  // namespace
}  // namespace coracle::internal::test
