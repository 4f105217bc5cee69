// SPDX-License-Identifier: Apache-2.0
#include "vision/description_parts.h"

namespace coracle::vision {

void table_label_encode(const Yaml& a, Description& d) {
  check_known(
      a, "TableLabelEncode",
      {"learn_empty_box", "loc_reg_num", "max_text_length", "merge_no_span_structure", "replace_empty_cell_token"});
  d.table.merge = flag(a, "merge_no_span_structure", true);
}

void resize_table_image(const Yaml& a, Description& d) {
  check_known(a, "ResizeTableImage", {"max_len", "resize_bboxes", "infer_mode"});
  const Yaml* length = a.find("max_len");
  d.steps.emplace_back(Resize{.to = Resize::To::kLong, .width = length != nullptr ? side(*length) : kTableSide});
}

void padding_table_image(const Yaml& a, Description& d) {
  check_known(a, "PaddingTableImage", {"size", "pad_value"});
  if (number(a, "pad_value", 0) != 0) unsupported(a.at("pad_value"), "step PaddingTableImage: only zeros are added");
  const Yaml* size = a.find("size");
  const int length =
      size != nullptr ? sides(*size)[0] : kTableSide;  // The picture is square, whatever the second says.
  d.steps.emplace_back(PadTo{length, length});
}

void table_label_decode(const Yaml& a, Description& d) {
  check_known(a, "TableLabelDecode", {"name", "merge_no_span_structure", "character_dict", "character"});
  d.task = Task::kTableStructure;
  const Yaml* list = a.find("character_dict");
  d.labels = names(list != nullptr ? *list : a.at("character"));
}

void read_table(const Yaml& root, Description& d) { d.table.of_picture = paddlex_model(root) == "SLANet"; }

}  // namespace coracle::vision
