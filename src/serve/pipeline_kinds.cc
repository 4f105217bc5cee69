// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "serve/failure.h"
#include "serve/pipeline.h"

namespace coracle::serve {
namespace {

constexpr PipelineStage kOrientation{"orientation", "DocPreprocessor/DocOrientationClassify",
                                     "use_doc_preprocessor DocPreprocessor/use_doc_orientation_classify"};
constexpr PipelineStage kUnwarping{"unwarp", "DocPreprocessor/DocUnwarping",
                                   "use_doc_preprocessor DocPreprocessor/use_doc_unwarping"};
constexpr PipelineStage kDictionary{"dict", "", "", false, false};
constexpr PipelineStage kLabels{"labels", "", "", false, false};

// Tables by kind, and seals, of which PaddleX's files say more than is done here.
constexpr const char* kTableSwitch = "use_table_recognition";
constexpr std::string_view kTableKinds = "TableRecognition/TableClassification";
constexpr PipelineStage of_tables(std::string_view name, std::string_view module) {
  return {.name = name, .module = module, .switches = kTableSwitch, .if_there = true};
}

constexpr std::array kOcr{
    PipelineStage{"det", "TextDetection", "", true},
    PipelineStage{"rec", "TextRecognition", "", true},
    PipelineStage{"cls", "TextLineOrientation", "use_textline_orientation"},
    kDictionary,
    kOrientation,
    kUnwarping,
};
constexpr std::array kPreprocessing{
    PipelineStage{"orientation", "DocOrientationClassify", "use_doc_orientation_classify"},
    PipelineStage{"unwarp", "DocUnwarping", "use_doc_unwarping"},
};
constexpr std::array kTables{
    PipelineStage{"table", "TableStructureRecognition", "", true},
    PipelineStage{"layout", "LayoutDetection", "use_layout_detection"},
    PipelineStage{"det", "GeneralOCR/TextDetection", "use_ocr_model", true},
    PipelineStage{"rec", "GeneralOCR/TextRecognition", "use_ocr_model", true},
    PipelineStage{"cls", "GeneralOCR/TextLineOrientation", "use_ocr_model GeneralOCR/use_textline_orientation"},
    kDictionary,
    kOrientation,
    kUnwarping,
};
constexpr std::array kLayout{
    PipelineStage{"layout", "LayoutDetection", "", true},
    PipelineStage{"det", "GeneralOCR/TextDetection", "", true},
    PipelineStage{"rec", "GeneralOCR/TextRecognition", "", true},
    PipelineStage{"cls", "GeneralOCR/TextLineOrientation", "GeneralOCR/use_textline_orientation"},
    PipelineStage{"table", "TableRecognition/TableStructureRecognition", kTableSwitch, false, true, kTableKinds},
    of_tables("table-cls", kTableKinds),
    of_tables("wired", "TableRecognition/WiredTableStructureRecognition"),
    of_tables("wireless", "TableRecognition/WirelessTableStructureRecognition"),
    of_tables("wired-cells", "TableRecognition/WiredTableCellsDetection"),
    of_tables("wireless-cells", "TableRecognition/WirelessTableCellsDetection"),
    of_tables("table-orientation", "TableRecognition/TableOrientationClassify"),
    PipelineStage{"seal-det", "", ""},
    PipelineStage{"seal-rec", "", ""},
    kDictionary,
    kOrientation,
    kUnwarping,
};
constexpr std::array kClassification{PipelineStage{"model", "ImageClassification", "", true}, kLabels};
constexpr std::array kMultilabel{PipelineStage{"model", "ImageMultiLabelClassification", "", true}, kLabels};
constexpr std::array kObjects{PipelineStage{"model", "ObjectDetection", "", true}, kLabels};
constexpr std::array kSmallObjects{PipelineStage{"model", "SmallObjectDetection", "", true}, kLabels};
constexpr std::array kTurnedObjects{PipelineStage{"model", "RotatedObjectDetection", "", true}, kLabels};
constexpr std::array kInstances{PipelineStage{"model", "InstanceSegmentation", "", true}, kLabels};
constexpr std::array kSegmentation{PipelineStage{"model", "SemanticSegmentation", "", true}, kLabels};
constexpr std::array kAnomalies{PipelineStage{"model", "AnomalyDetection", "", true}, kLabels};

const std::array kKinds{
    PipelineKind{"OCR", "ocr", kOcr, open_ocr},
    PipelineKind{"doc_preprocessor", "document-preprocessing", kPreprocessing, open_document_preprocessing},
    PipelineKind{"table_recognition", "table-recognition", kTables, open_table_recognition},
    PipelineKind{"layout_parsing", "layout-parsing", kLayout, open_layout_parsing},
    PipelineKind{"PP-StructureV3", "layout-parsing", kLayout, open_layout_parsing},
    PipelineKind{"image_classification", "image-classification", kClassification, open_classification},
    PipelineKind{"image_multilabel_classification", "multilabel-image-classification", kMultilabel, open_multilabel},
    PipelineKind{"object_detection", "object-detection", kObjects, open_object_detection},
    PipelineKind{"small_object_detection", "small-object-detection", kSmallObjects, open_object_detection},
    PipelineKind{"rotated_object_detection", "rotated-object-detection", kTurnedObjects, open_object_detection},
    PipelineKind{"instance_segmentation", "instance-segmentation", kInstances, open_instance_segmentation},
    PipelineKind{"semantic_segmentation", "semantic-segmentation", kSegmentation, open_semantic_segmentation},
    PipelineKind{"anomaly_detection", "image-anomaly-detection", kAnomalies, open_anomaly_detection},
};

}  // namespace

std::span<const PipelineKind> pipeline_kinds() { return kKinds; }

const PipelineKind& pipeline_kind(std::string_view name) {
  const auto* const found = std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& k) { return k.name == name; });
  if (found != kKinds.end()) return *found;
  std::string names;
  for (const PipelineKind& kind : kKinds) names.append(names.empty() ? "" : ", ").append(kind.name);
  throw Failure(Code::kInvalidArgument,
                "there is no pipeline '" + std::string(name) + "' here; the pipelines are " + names);
}

const PipelineStage& pipeline_stage(const PipelineKind& kind, std::string_view name) {
  return *std::find_if(kind.stages.begin(), kind.stages.end(), [&](const PipelineStage& s) { return s.name == name; });
}

}  // namespace coracle::serve
