// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "serve/failure.h"
#include "serve/pipelines.h"
#include "serve/yaml_json.h"
#include "support/temporary_folder.h"

namespace coracle::serve {
namespace {

std::string json_of(const std::string& yaml) {
  const internal::JsonDocument document = parse_yaml("a.yaml", yaml);
  return internal::json_text([&](internal::JsonWriter& json) { document.Accept(json); });
}

std::string yaml_error(const std::string& yaml) {
  try {
    return json_of(yaml);
  } catch (const Failure& failure) {
    return failure.what();
  }
}

TEST(YamlJson, PlainWordsAreWhatTheyMean) {
  EXPECT_EQ(
      json_of("{a: True, b: 'True', c: null, d: ~, e: 5, f: 0.5, g: -1e3, h: text, i: [1, x], j: {k: No}, l: None}"),
      R"({"a":true,"b":"True","c":null,"d":null,"e":5,"f":0.5,"g":-1000.0,"h":"text","i":[1,"x"],"j":{"k":false},)"
      R"("l":"None"})");
  EXPECT_EQ(json_of("a: &b {c: 1}\nd: *b\n"), R"({"a":{"c":1},"d":{"c":1}})");
}

TEST(YamlJson, DamageIsNamedWithItsLine) {
  EXPECT_NE(yaml_error("a: 1\nb: [").find("a.yaml:3: not YAML"), std::string::npos) << yaml_error("a: 1\nb: [");
  EXPECT_EQ(yaml_error("a: 1\na: 2\n"), "a.yaml:2: 'a' is there twice");
  EXPECT_EQ(yaml_error(""), "a.yaml: the file is empty");
  EXPECT_NE(yaml_error(std::string(40, '[') + std::string(40, ']')).find("nested more than 32 deep"),
            std::string::npos);
  std::string bomb = "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (char c = 'b'; c < 'j'; ++c) {
    bomb += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 10; ++i) bomb += std::string(i == 0 ? "*" : ", *") + static_cast<char>(c - 1);
    bomb += "]\n";
  }
  EXPECT_NE(yaml_error(bomb).find("more than 100000 values"), std::string::npos);
}

TEST(PipelineConfig, ModelsAreServedOnceEach) {
  PipelineConfig first = read_pipeline("OCR:det=/a,rec=/b,dict=/c");
  PipelineConfig second = read_pipeline("table_recognition:det=/a,rec=/d,table=/e");
  std::vector<std::pair<std::string, std::string>> models{{"mine", "/b"}};
  add_models(first, models);
  add_models(second, models);
  EXPECT_EQ(first.names, (std::map<std::string, std::string>{{"det", "OCR.det"}, {"rec", "mine"}}));
  EXPECT_EQ(second.names,
            (std::map<std::string, std::string>{
                {"det", "OCR.det"}, {"rec", "table_recognition.rec"}, {"table", "table_recognition.table"}}));
  EXPECT_EQ(models.size(), 4U);
  EXPECT_EQ(first.detection.length, 64);
  EXPECT_EQ(second.detection.length, 736);
}

TEST(PipelineConfig, TablesOfPaddleXByKindOrByOneModel) {
  const internal::test::TemporaryFolder folder;
  const auto file = [&](const std::string& tables) {
    return folder.write(
        "tables.yaml",
        "{pipeline_name: PP-StructureV3, use_seal_recognition: False, use_doc_preprocessor: False, "
        "SubModules: {LayoutDetection: {model_dir: /layout}}, SubPipelines: {GeneralOCR: "
        "{use_textline_orientation: False, SubModules: {TextDetection: {model_dir: /det}, "
        "TextRecognition: {model_dir: /rec}}}, TableRecognition: {use_layout_detection: False, SubModules: {" +
            tables + "}}}}");
  };
  EXPECT_EQ(read_pipeline(file("TableStructureRecognition: {model_dir: /one}")).model("table"), "/one");
  const PipelineConfig kinds = read_pipeline(
      file("TableClassification: {model_dir: /kinds}, WiredTableStructureRecognition: {model_dir: /wired}, "
           "WirelessTableStructureRecognition: {model_dir: /wireless}, WiredTableCellsDetection: {model_dir: /cells}"));
  EXPECT_EQ(kinds.models, (std::map<std::string, std::string>{{"det", "/det"},
                                                              {"layout", "/layout"},
                                                              {"rec", "/rec"},
                                                              {"table-cls", "/kinds"},
                                                              {"wired", "/wired"},
                                                              {"wired-cells", "/cells"},
                                                              {"wireless", "/wireless"}}));
  const auto problem = [&](const std::string& tables) -> std::string {
    try {
      read_pipeline(file(tables));
      return "";
    } catch (const Failure& failure) {
      return failure.what();
    }
  };
  EXPECT_NE(problem("").find("TableStructureRecognition.model_dir is not given"), std::string::npos) << problem("");
  EXPECT_NE(problem("TableClassification: {model_dir: null}").find("TableClassification.model_dir is not given"),
            std::string::npos);
  EXPECT_EQ(read_pipeline("PP-StructureV3:det=/a,rec=/b,layout=/c,seal-det=/d").model("seal-det"), "/d");
}

}  // namespace
}  // namespace coracle::serve
