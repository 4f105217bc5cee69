// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <random>
#include <regex>

#include "graph/text.h"
#include "loading/write_saved.h"
#include "ops/logic/logical_not.h"
#include "run/saved_files.h"
#include "run/session_results.h"
#include "support/archive_writer.h"
#include "support/graph_model.h"
#include "support/memory_file.h"
#include "support/sanitized.h"
#include "support/small_models.h"
#include "support/survivor.h"
#include "support/temporary_folder.h"

namespace coracle::internal {
namespace {

using test::content;
using test::loaded;
using test::refusal;
using test::resealed;
using test::results;
using test::with_head;

class SavedModel : public testing::TestWithParam<test::ModelBytes> {
 protected:
  std::string saved(const ModelOptions& options = {}) const {
    const std::string path = folder_.path("model.coracle");
    loaded(GetParam(), options)->save(path);
    return path;
  }
  /// With the packed weights of a run.
  std::string saved_packed() const {
    const std::string path = folder_.path("packed.coracle");
    const auto model = loaded(GetParam());
    results(model, GetParam().inputs);
    model->save(path, true);
    return path;
  }

  const test::TemporaryFolder folder_;
};

TEST_P(SavedModel, GivesTheSameBits) {
  ModelOptions plain;
  plain.passes.disabled = {"all"};
  for (const ModelOptions& options : {ModelOptions{}, plain}) {
    const auto model = loaded(GetParam(), options);
    const std::string path = saved(options);
    const std::vector<Tensor> expected = results(model, GetParam().inputs);
    for (Weights weights : {Weights::kCopied, Weights::kMapped}) {
      ModelOptions how;
      how.load.weights = weights;
      how.load.check_weights = true;
      const auto again = loaded(path, how);
      EXPECT_EQ(print(again->program()->graph()), print(model->program()->graph()));
      EXPECT_TRUE(test::same_bits(results(again, GetParam().inputs), expected));
      EXPECT_TRUE(test::same_bits(results(again, GetParam().inputs, {.threads = 1, .memory_limit = size_t{64} << 20U}),
                                  expected));
    }
    // From memory, at any address.
    const std::string bytes = "xyz" + content(path);
    const FileBytes odd{
        .name = "m", .owner = nullptr, .bytes = {reinterpret_cast<const uint8_t*>(bytes.data()) + 3, bytes.size() - 3}};
    const auto in_memory = Model::load(ModelSource::in_memory(odd, {}), {});
    EXPECT_TRUE(test::same_bits(results(in_memory, GetParam().inputs), expected));
    // Saved again it is the same file.
    const std::string second = folder_.path("second");
    in_memory->save(second);
    EXPECT_EQ(content(second), content(path));
  }
}

/// Name scopes come back; a file without them is as files were before there were some, whose minor number was 1.
TEST(SavedScopes, AreInTheFile) {
  const char* const lines = R"(graph (%x0: float32[2], %x1: bool[1]) {
  %0: float32[2] = relu(%x0) scope "/a/b/"
  [%1: float32[2]] = if(%x1, [%0]) SCOPE graph (%x0: float32[2]) {
    %0: float32[2] = exp(%x0) SCOPE
    return %0
  } graph (%x0: float32[2]) {
    return %x0
  }
  return %1
})";
  const test::TemporaryFolder folder;
  const std::regex place("SCOPE|scope .*");
  for (const char* scope : {"scope \"/if \\\"c\\\"/\"", ""}) {
    const auto model = test::model_of(std::regex_replace(lines, place, scope));
    const std::string path = folder.path(*scope == '\0' ? "without" : "with");
    model->save(path);
    const std::string text = print(loaded(path)->program()->graph());
    EXPECT_EQ(text, print(model->program()->graph()));
    EXPECT_EQ(text.find("scope") != std::string::npos, *scope != '\0') << text;
  }
  const std::string before = with_head(content(folder.path("without")), [](saved::Head& h) { h.minor = 1; });
  EXPECT_NO_THROW(loaded(folder.write("before", before)));
}

TEST_P(SavedModel, SaysTheSameOfItself) {
  const auto model = loaded(GetParam());
  const auto again = loaded(saved());
  const auto declared = [](const std::vector<TensorInfo>& list) {
    std::string out;
    for (const TensorInfo& t : list) out.append(text(t.name, Fact(t.dtype, t.shape), t.lod_levels, ";"));
    return out;
  };
  EXPECT_EQ(declared(again->info().inputs), declared(model->info().inputs));
  EXPECT_EQ(declared(again->info().outputs), declared(model->info().outputs));
  EXPECT_EQ(declared(again->info().parameters), declared(model->info().parameters));
  EXPECT_EQ(again->info().producer, model->info().producer);
  EXPECT_EQ(again->pass_counts().size(), model->pass_counts().size());
  ASSERT_TRUE(again->info().saved.has_value());
  EXPECT_EQ(again->info().saved->source_format, model->info().format);
}

TEST_P(SavedModel, NeedsNotPackWhatItHas) {
  const auto model = loaded(GetParam());
  const std::vector<Tensor> expected = results(model, GetParam().inputs);
  const std::string path = saved_packed();
  for (Weights weights : {Weights::kCopied, Weights::kMapped}) {
    ModelOptions how;
    how.load.weights = weights;
    how.load.check_weights = true;
    const auto again = loaded(path, how);
    again->program()->packed().check_every_use(true);
    EXPECT_TRUE(test::same_bits(results(again, GetParam().inputs), expected));
    EXPECT_EQ(again->program()->packed().bytes(), 0U);
    EXPECT_EQ(again->program()->packed().all().size(), model->program()->packed().all().size());
    const std::string second = folder_.path("second");
    again->save(second, true);
    EXPECT_EQ(content(second), content(path));
    again->save(second);
    EXPECT_EQ(content(second), content(saved()));
  }
}

TEST_P(SavedModel, OfWhichAPartIsThereIsRefused) {
  const std::string bytes = content(saved_packed());
  constexpr size_t kPrefixes = 97;
  for (size_t i = 0; i < kPrefixes; ++i) {
    const std::string part = bytes.substr(0, bytes.size() * i / kPrefixes);
    EXPECT_EQ(test::load_and_run(part, "", GetParam().inputs, 200), test::Fate::kRefused) << "prefix " << i;
  }
}

TEST_P(SavedModel, ThatIsDamagedIsRefusedOrRuns) {
  const std::string bytes = content(saved_packed());
  saved::Head head;
  std::memcpy(&head, bytes.data(), sizeof(head));
  const size_t structure = sizeof(head) + static_cast<size_t>(head.structure_bytes);
  std::mt19937 random(20240517);
  constexpr int kFlips = test::as_time_allows(5000);
  for (int i = 0; i < kFlips; ++i) {
    std::string damaged = bytes;
    damaged[random() % structure] ^= static_cast<char>(1 + random() % 255);
    EXPECT_EQ(test::load_and_run(damaged, "", GetParam().inputs, 50), test::Fate::kRefused) << "flip " << i;
    // Behind a checksum that is right all else has to be found by looking.
    std::string sealed = bytes;
    sealed[sizeof(head) + random() % (structure - sizeof(head))] ^= static_cast<char>(1 + random() % 255);
    test::load_and_run(resealed(std::move(sealed)), "", GetParam().inputs, 50);
  }
}

INSTANTIATE_TEST_SUITE_P(ProgramDesc, SavedModel, testing::ValuesIn(test::small_program_models()),
                         [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(Pir, SavedModel, testing::ValuesIn(test::small_pir_models()),
                         [](const auto& info) { return info.param.name; });

class SavedProduct : public testing::Test {
 protected:
  SavedProduct() { loaded(test::product_model())->save(path_); }

  std::string refused(const std::string& bytes, ErrorCode expected, const ModelOptions& options = {}) const {
    return refusal([&] { loaded(folder_.write("damaged.coracle", bytes), options); }, expected);
  }

  const test::TemporaryFolder folder_;
  const std::string path_ = folder_.path("product.coracle");
};

TEST_F(SavedProduct, IsToldByItsContent) {
  const std::vector<Tensor> expected = results(loaded(path_), test::product_model().inputs);
  const std::string bytes = content(path_);
  for (const char* name : {"inference.pdmodel", "weights.bin", "anything", "__model__", "x.json", "photo.png"}) {
    EXPECT_TRUE(test::same_bits(results(loaded(folder_.write(name, bytes)), test::product_model().inputs), expected))
        << name;
  }
  EXPECT_EQ(loaded(path_)->info().format, "Coracle");
  EXPECT_EQ(inspect_model(ModelSource::on_disk(path_)).saved->rewrites.size(), loaded(path_)->pass_counts().size());
}

TEST_F(SavedProduct, LoadsFromFoldersAndArchives) {
  const std::string bytes = content(path_);
  const std::vector<Tensor> expected = results(loaded(path_), test::product_model().inputs);
  const std::string folder = std::filesystem::path(folder_.write("alone/net.coracle", bytes)).parent_path();
  EXPECT_TRUE(test::same_bits(results(loaded(folder), test::product_model().inputs), expected));
  const std::string tar = folder_.write("net.tar", test::tar_archive({{"net/m.coracle", bytes}}));
  EXPECT_TRUE(test::same_bits(results(loaded(tar), test::product_model().inputs), expected));
  const std::string zip = folder_.write("net.zip", test::zip_archive({{"m.coracle", bytes}}, true));
  EXPECT_TRUE(test::same_bits(results(loaded(zip), test::product_model().inputs), expected));
  // Beside a program it is left alone.
  folder_.write("both/net.coracle", bytes);
  folder_.write("both/inference.pdiparams", test::product_model().params);
  folder_.write("both/inference.pdmodel", test::product_model().program);
  EXPECT_EQ(loaded(folder_.path("both"))->info().format, "ProgramDesc");
}

TEST_F(SavedProduct, IsMappedAsItStands) {
  const auto model = loaded(path_);
  EXPECT_EQ(::access(path_.c_str(), R_OK), 0);
  struct stat info {};
  ASSERT_EQ(::stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0222U, 0U);
  EXPECT_EQ(model->mapped_bytes(), 16U);  // w [2, 2]
  model->check_files();
  model->save(path_);  // over itself, mapped
  EXPECT_TRUE(test::same_bits(results(model, test::product_model().inputs),
                              results(loaded(path_), test::product_model().inputs)));
}

TEST_F(SavedProduct, KeepsItsRewrites) {
  ModelOptions options;
  options.passes.disabled = {"all"};
  const std::string plain = folder_.path("plain");
  loaded(test::product_model(), options)->save(plain);
  EXPECT_NO_THROW(loaded(plain, options));
  const auto model = loaded(path_);
  ASSERT_FALSE(model->pass_counts().empty());
  const std::string text = refusal([&] { loaded(path_, options); }, ErrorCode::kInvalidArgument);
  EXPECT_NE(text.find("cannot be undone"), std::string::npos) << text;
  EXPECT_NE(text.find(model->pass_counts().front().name), std::string::npos) << text;
  options.passes.disabled = {"fuse_attention"};  // of which there was nothing
  EXPECT_NO_THROW(loaded(path_, options));
  options.passes.max_rewrites = 0;
  refusal([&] { loaded(path_, options); }, ErrorCode::kInvalidArgument);
}

TEST_F(SavedProduct, KeepsTensorsThatItWasSavedWith) {
  ModelOptions options;
  options.keep_tensors = {"*"};
  const std::string kept = folder_.path("kept");
  const auto model = loaded(test::product_model(), options);
  model->save(kept);
  const auto again = loaded(kept);
  EXPECT_EQ(again->program()->graph().output_names(), model->program()->graph().output_names());
}

TEST_F(SavedProduct, TakesNoParameters) {
  const std::string params = folder_.write("p", "x");
  const std::string text =
      refusal([&] { Model::load(ModelSource::on_disk(path_, params), {}); }, ErrorCode::kInvalidArgument);
  EXPECT_NE(text.find("contains its weights"), std::string::npos) << text;
  EXPECT_NO_THROW(Model::load(ModelSource::on_disk(path_, folder_.write("empty", "")), {}));
}

TEST_F(SavedProduct, OfALaterFormatIsRefusedWithAdvice) {
  const std::string bytes = content(path_);
  std::string text = refused(with_head(bytes, [](saved::Head& h) { h.major = 2; }), ErrorCode::kUnsupported);
  EXPECT_NE(text.find(coracle::internal::text("its format is 2.", saved::kMinor)), std::string::npos) << text;
  EXPECT_NE(text.find("damaged.coracle"), std::string::npos) << text;
  EXPECT_NE(text.find("use the Coracle that wrote it or a later one"), std::string::npos) << text;
  text = refused(with_head(bytes, [](saved::Head& h) { h.operators = 7; }), ErrorCode::kUnsupported);
  EXPECT_NE(text.find("its operators are of version 7"), std::string::npos) << text;
  // A later minor number has what may be passed over.
  EXPECT_NO_THROW(loaded(folder_.write("minor", with_head(bytes, [](saved::Head& h) { h.minor = 9; }))));
}

TEST_F(SavedProduct, SaysWhatIsDamaged) {
  std::string bytes = content(path_);
  const std::string longer = refused(bytes + "x", ErrorCode::kInvalidModel);
  EXPECT_NE(longer.find(text("it has ", bytes.size() + 1, " bytes, and its head says ", bytes.size())),
            std::string::npos)
      << longer;
  const std::string shorter = refused(bytes.substr(0, bytes.size() - 1), ErrorCode::kInvalidModel);
  EXPECT_NE(shorter.find("it was cut short"), std::string::npos) << shorter;
  std::string structure = bytes;
  structure[sizeof(saved::Head) + 9] ^= 1;
  EXPECT_NE(refused(structure, ErrorCode::kInvalidModel).find("its structure is damaged"), std::string::npos);
  bytes.back() ^= 1;  // of w
  const std::string weights = folder_.write("weights", bytes);
  EXPECT_NO_THROW(loaded(weights));
  ModelOptions options;
  options.load.check_weights = true;
  const std::string text = refusal([&] { loaded(weights, options); }, ErrorCode::kInvalidModel);
  EXPECT_NE(text.find("the weights of its constant 'w' are damaged"), std::string::npos) << text;
}

TEST(SavedConditions, AreZerosAndOnes) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path("condition.coracle");
  Graph graph;
  Tensor condition = Tensor::make(DType::kBool, {3});
  condition.assign(std::span<const double>(std::vector<double>{1, 0, 1}));
  graph.add_output(graph.add(LogicalNot{}, {{graph.add_constant(std::move(condition), "c")}}), "y");
  ModelInfo info;
  info.outputs.push_back({.name = "y", .dtype = DType::kBool, .shape = {3}, .lod_levels = 0});
  write_saved_model(path, graph, info, {});
  EXPECT_NO_THROW(loaded(path));
  std::string bytes = content(path);
  bytes.back() = 3;
  const std::string text = refusal([&] { loaded(folder.write("damaged.coracle", bytes)); }, ErrorCode::kInvalidModel);
  EXPECT_NE(text.find("its constant 'c' of type bool has the byte 3, expected 0 or 1"), std::string::npos) << text;
}

TEST_F(SavedProduct, IsThereWholeOrNotAtAll) {
  const auto model = loaded(path_);
  const std::string before = content(path_);
  const auto names = [&] {
    size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_.path())) ++count;
    return count;
  };
  EXPECT_NE(refusal([&] { model->save(folder_.path("no/where")); }, ErrorCode::kIo).find("no/where"),
            std::string::npos);
  EXPECT_NE(refusal([&] { model->save("/dev/full"); }, ErrorCode::kIo).find("not a regular file"), std::string::npos);
  refusal([&] { model->save(folder_.path()); }, ErrorCode::kIo);
  // A disk without room, as a limit on the size of files.
  const size_t there = names();
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit small{.rlim_cur = 1000, .rlim_max = limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string text = refusal([&] { model->save(path_); }, ErrorCode::kIo);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_NE(text.find("cannot write"), std::string::npos) << text;
  EXPECT_EQ(content(path_), before);
  EXPECT_EQ(names(), there);
}

}  // namespace
}  // namespace coracle::internal
