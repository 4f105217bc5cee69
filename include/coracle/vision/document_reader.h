// SPDX-License-Identifier: Apache-2.0
// Documents: a picture is turned upright and made flat, its layout, text, tables and seals
// are read. Each stage is a model and
// can be left out.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coracle/vision/text_reader.h"

namespace coracle::vision {

/// Models for tables as PaddleX's table_recognition_v2 has them: for wired tables, whose cells have lines round them,
/// and for wireless ones. For a kind with a structure alone the structure's cells count; with cells beside it the
/// detector's cells, which are fitted to the structure; with cells alone the structure comes from them.
struct TableFiles {
  std::string orientation{};  ///< tells which side of a table is up (classes 0, 90, 180, 270)
  std::string classifier{};   ///< tells both kinds apart (classes wired_table, wireless_table); empty: all are of
                              ///< the kind for which there are models
  std::string wired_structure{};
  std::string wired_cells{};  ///< finds cells: an object detector
  std::string wireless_structure{};
  std::string wireless_cells{};
};

/// Models for the text of seals, which may be bent.
struct SealFiles {
  std::string detector{};    ///< finds lines of seals: of the layout's, or without one of the page as a whole
  std::string recognizer{};  ///< empty: the one for text, if there is one
  std::string dictionary{};  ///< one character per line, where this recogniser has no inference.yml
};

/// A model for each stage; one that is empty is left out. At least one is needed.
struct DocumentReaderFiles {
  std::string orientation;  ///< tells which of its four sides is up (classes 0, 90, 180, 270)
  std::string unwarper;     ///< makes a bent page flat
  std::string layout;       ///< finds regions: an object detector
  std::string table;        ///< tells the structure of tables: of the layout's, or without one of the page as a whole
  TextReaderFiles text;     ///< a detector, a recogniser or both, with or without a classifier of lines
  TableFiles tables{};      ///< instead of `table`; its orientation also beside it
  SealFiles seals{};
};

struct Table {
  std::array<float, 4> box{};               ///< left, top, right, bottom on the page
  std::vector<std::array<float, 4>> cells;  ///< likewise
  std::string html;                         ///< with the text of the lines
  float score = 0;
};

struct Seal {
  std::array<float, 4> box{};   ///< left, top, right, bottom on the page
  std::vector<TextLine> lines;  ///< from top to bottom
};

/// Where the text of a block begins and ends, by which paragraphs go on from block to block. In pixels along its lines.
struct BlockFlow {
  int start = 0;  ///< of the block
  int end = 0;
  double width = 0;        ///< of the block, across the page
  int lines = 1;           ///< how many it has
  double first_start = 0;  ///< of the first line; infinity where it has none
  double last_end = 0;     ///< of the last line; minus infinity where it has one or none
};

/// A part of a page as one reads it: a paragraph, a title, a table, a picture.
struct Block {
  std::string label;           ///< the class of its region, or what the page tells it to be; "text" without layout
  std::string text;            ///< its lines joined to paragraphs; of a table its HTML
  std::array<int, 4> box{};    ///< left, top, right, bottom on the page
  std::optional<int> order{};  ///< its number among those that are read, from 1 on; pictures and margins have none
  BlockFlow flow{};
};

struct Document {
  int turned = 0;               ///< by how many degrees the picture was turned anticlockwise
  Image page;                   ///< the picture upright and flat, to which all coordinates belong
  std::vector<Object> regions;  ///< in the order of reading
  std::vector<TextLine> lines;  ///< from top to bottom
  std::vector<Table> tables;    ///< in the order of their regions
  std::vector<Seal> seals;      ///< likewise, one for each region
  std::vector<Block> blocks;    ///< the page in the order of reading, as PP-StructureV3 cuts it into blocks
};

/// Which stages a document goes through, of those that there are, and how its text is read.
struct DocumentReading {
  bool orientation = true;
  bool unwarping = true;
  bool layout = true;
  bool tables = true;
  TextReading text{};  ///< `cancelled` ends all stages
  bool seals = true;
  bool split_lines = true;  ///< lines that go through several detected cells of a table are read in parts
};

/// For one thread at a time. Throws as Predictor does.
class CORACLE_VISION_API DocumentReader {
 public:
  explicit DocumentReader(const DocumentReaderFiles& files, int threads = 0);
  DocumentReader(const DocumentReaderFiles& files, const ReaderOptions& options);
  DocumentReader(DocumentReader&&) noexcept;
  DocumentReader& operator=(DocumentReader&&) noexcept;
  ~DocumentReader();

  /// Lines whose score is at least `min_score`.
  Document read(const Image& image, double min_score = 0);
  /// The same, which others may end as Predictor::predict.
  Document read(const Image& image, double min_score, const std::atomic<std::uint32_t>* cancelled);
  Document read(const Image& image, const DocumentReading& how);

 private:
  struct State;
  /// Tells whether the regions are in the order of reading.
  Document read_stages(const Image& image, const DocumentReading& how, bool& ordered);
  std::unique_ptr<State> state_;
};

/// A page of HTML: regions with their lines in the order of reading, tables as such, then lines in no region.
CORACLE_VISION_API std::string to_html(const Document& document, const std::string& title);

/// The page with the outlines of regions and lines, lines with their numbers.
CORACLE_VISION_API Image draw(const Document& document);

}  // namespace coracle::vision
