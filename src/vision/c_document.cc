// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdlib>

#include "coracle/vision/document_output.h"
#include "vision/c_interface.h"
#include "vision/c_use.h"

namespace coracle::vision {
namespace {

coracle_document_reader_options default_document_reader_options() {
  coracle_document_reader_options options{};
  options.min_score = 0.5F;
  return options;
}

DocumentReaderFiles files_of(const coracle_document_reader_options& c) {
  DocumentReaderFiles files;
  files.orientation = or_empty(c.orientation);
  files.unwarper = or_empty(c.unwarper);
  files.layout = or_empty(c.layout);
  files.table = or_empty(c.table);
  files.text.detector = or_empty(c.detector);
  files.text.classifier = or_empty(c.classifier);
  files.text.recognizer = or_empty(c.recognizer);
  files.text.dictionary = or_empty(c.dictionary);
  files.tables.orientation = or_empty(c.table_orientation);
  files.tables.classifier = or_empty(c.table_classifier);
  files.tables.wired_structure = or_empty(c.wired_structure);
  files.tables.wired_cells = or_empty(c.wired_cells);
  files.tables.wireless_structure = or_empty(c.wireless_structure);
  files.tables.wireless_cells = or_empty(c.wireless_cells);
  files.seals.detector = or_empty(c.seal_detector);
  files.seals.recognizer = or_empty(c.seal_recognizer);
  files.seals.dictionary = or_empty(c.seal_dictionary);
  return files;
}

std::array<Point, 4> corners_of_box(const std::array<float, 4>& box) {
  std::array<int, 4> side{};
  for (std::size_t i = 0; i < side.size(); ++i) side.at(i) = static_cast<int>(std::lround(box.at(i)));
  const auto [left, top, right, bottom] = side;
  return {Point{left, top}, Point{right, top}, Point{right, bottom}, Point{left, bottom}};
}

std::unique_ptr<coracle_prediction> table_on(const Image& page, const Table& table) {
  auto made = prediction_of(page, task_name(Task::kTableStructure));
  made->prediction.task = Task::kTableStructure;
  made->prediction.table.tokens = {table.html};
  made->prediction.table.score = table.score;
  for (const std::array<float, 4>& cell : table.cells) made->prediction.table.cells.push_back(corners_of_box(cell));
  add_items(*made);
  const auto& [left, top, right, bottom] = table.box;
  made->items.front().outline = {left, top, right, top, right, bottom, left, bottom};
  return made;
}

std::unique_ptr<coracle_prediction> seal_on(const Image& page, const Seal& seal) {
  auto made = prediction_of(page, seal.lines);
  coracle_prediction::Item whole{};
  whole.item.id = -1;
  for (const TextLine& line : seal.lines) whole.text += (whole.text.empty() ? "" : "\n") + line.text;
  const auto& [left, top, right, bottom] = seal.box;
  whole.outline = {left, top, right, top, right, bottom, left, bottom};
  made->items.insert(made->items.begin(), std::move(whole));
  return made;
}

/// As coracle_string_free gives it back.
char* copied(const std::string& text) {
  char* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

MarkdownOptions with_pictures(const char* pictures) {
  MarkdownOptions options;
  if (pictures != nullptr) options.pictures = pictures;
  return options;
}

}  // namespace
}  // namespace coracle::vision

using coracle::vision::guard;
using coracle::vision::refuse;
using coracle::vision::require_pointer;

struct coracle_document {
  coracle::vision::Document document;
};

struct coracle_document_reader : coracle::vision::ReaderInUse<coracle::vision::DocumentReader> {
  using ReaderInUse::ReaderInUse;
};

extern "C" {

void coracle_document_reader_options_init(coracle_document_reader_options* options, size_t struct_size) {
  coracle::vision::init_options(options, struct_size, coracle::vision::default_document_reader_options());
}

coracle_status coracle_document_reader_create(const coracle_document_reader_options* options,
                                              coracle_document_reader** reader) {
  return guard([&] {
    require_pointer(options, "options");
    require_pointer(reader, "reader");
    const coracle_document_reader_options c = coracle::vision::read_options(
        options, coracle::vision::default_document_reader_options(), "coracle_document_reader_options");
    coracle::vision::check_threads(c.threads);
    coracle::vision::check_min_score(c.min_score);
    *reader = new coracle_document_reader(coracle::vision::files_of(c), c.threads, c.min_score);
  });
}

coracle_status coracle_document_reader_read(coracle_document_reader* reader, const coracle_image* image,
                                            coracle_document** document) {
  return guard([&] {
    require_pointer(reader, "reader");
    require_pointer(image, "image");
    require_pointer(document, "document");
    *document = new coracle_document{reader->read("document reader", image->image)};
  });
}

coracle_status coracle_document_reader_cancel(coracle_document_reader* reader) {
  return guard([&] {
    require_pointer(reader, "reader");
    reader->use.cancel();
  });
}

void coracle_document_reader_free(coracle_document_reader* reader) { delete reader; }

int32_t coracle_document_turned(const coracle_document* document) {
  return document == nullptr ? 0 : document->document.turned;
}

coracle_status coracle_document_page(const coracle_document* document, coracle_image** page) {
  return guard([&] {
    require_pointer(document, "document");
    require_pointer(page, "page");
    *page = new coracle_image{document->document.page};
  });
}

coracle_status coracle_document_regions(const coracle_document* document, coracle_prediction** regions) {
  return guard([&] {
    using coracle::vision::Task;
    require_pointer(document, "document");
    require_pointer(regions, "regions");
    auto made =
        coracle::vision::prediction_of(document->document.page, coracle::vision::task_name(Task::kObjectDetection));
    made->prediction.task = Task::kObjectDetection;
    made->prediction.objects = document->document.regions;
    coracle::vision::add_items(*made);
    *regions = made.release();
  });
}

coracle_status coracle_document_lines(const coracle_document* document, coracle_prediction** lines) {
  return guard([&] {
    require_pointer(document, "document");
    require_pointer(lines, "lines");
    *lines = coracle::vision::prediction_of(document->document.page, document->document.lines).release();
  });
}

size_t coracle_document_tables(const coracle_document* document) {
  return document == nullptr ? 0 : document->document.tables.size();
}

coracle_status coracle_document_table(const coracle_document* document, size_t index, coracle_prediction** table) {
  return guard([&] {
    require_pointer(document, "document");
    require_pointer(table, "table");
    const std::vector<coracle::vision::Table>& tables = document->document.tables;
    if (index >= tables.size()) {
      refuse("there is no table " + std::to_string(index) + ", the document has " + std::to_string(tables.size()));
    }
    *table = coracle::vision::table_on(document->document.page, tables[index]).release();
  });
}

size_t coracle_document_seals(const coracle_document* document) {
  return document == nullptr ? 0 : document->document.seals.size();
}

coracle_status coracle_document_seal(const coracle_document* document, size_t index, coracle_prediction** seal) {
  return guard([&] {
    require_pointer(document, "document");
    require_pointer(seal, "seal");
    const std::vector<coracle::vision::Seal>& seals = document->document.seals;
    if (index >= seals.size()) {
      refuse("there is no seal " + std::to_string(index) + ", the document has " + std::to_string(seals.size()));
    }
    *seal = coracle::vision::seal_on(document->document.page, seals[index]).release();
  });
}

coracle_status coracle_document_html(const coracle_document* document, const char* title, char** html) {
  return guard([&] {
    require_pointer(document, "document");
    require_pointer(html, "html");
    *html = coracle::vision::copied(coracle::vision::to_html(document->document, coracle::vision::or_empty(title)));
  });
}

coracle_status coracle_document_markdown(const coracle_document* document, const char* pictures, char** markdown) {
  return guard([&] {
    require_pointer(document, "document");
    require_pointer(markdown, "markdown");
    *markdown = coracle::vision::copied(
        coracle::vision::to_markdown(document->document, coracle::vision::with_pictures(pictures)).text);
  });
}

size_t coracle_document_pictures(const coracle_document* document) {
  if (document == nullptr) return 0;
  size_t count = 0;
  const coracle_status status =
      guard([&] { count = coracle::vision::to_markdown(document->document).pictures.size(); });
  return status == CORACLE_OK ? count : 0;
}

coracle_status coracle_document_picture(const coracle_document* document, size_t index, char** name,
                                        coracle_image** picture) {
  return guard([&] {
    require_pointer(document, "document");
    require_pointer(name, "name");
    require_pointer(picture, "picture");
    coracle::vision::Markdown page =
        coracle::vision::to_markdown(document->document, coracle::vision::with_pictures(""));
    if (index >= page.pictures.size()) {
      refuse("there is no picture " + std::to_string(index) + ", the document has " +
             std::to_string(page.pictures.size()));
    }
    auto made = std::make_unique<coracle_image>(coracle_image{std::move(page.pictures[index].image)});
    *name = coracle::vision::copied(page.pictures[index].path);
    *picture = made.release();
  });
}

coracle_status coracle_documents_markdown(const coracle_document* const* documents, size_t count, const char* pictures,
                                          char** markdown) {
  return guard([&] {
    if (count > 0) require_pointer(documents, "documents");
    require_pointer(markdown, "markdown");
    std::vector<coracle::vision::Markdown> pages;
    for (size_t i = 0; i < count; ++i) {
      require_pointer(documents[i], "documents");
      coracle::vision::MarkdownOptions options = coracle::vision::with_pictures(pictures);
      options.pictures += "page_" + std::to_string(i + 1) + "_";
      pages.push_back(coracle::vision::to_markdown(documents[i]->document, options));
      pages.back().pictures.clear();
    }
    *markdown = coracle::vision::copied(coracle::vision::joined_text(pages));
  });
}

coracle_status coracle_document_json(const coracle_document* document, const char* path, char** json) {
  return guard([&] {
    require_pointer(document, "document");
    require_pointer(json, "json");
    *json = coracle::vision::copied(
        coracle::vision::to_json(document->document, {.path = coracle::vision::or_empty(path)}));
  });
}

coracle_status coracle_document_draw(const coracle_document* document, coracle_image** drawing) {
  return guard([&] {
    require_pointer(document, "document");
    require_pointer(drawing, "drawing");
    *drawing = new coracle_image{coracle::vision::draw(document->document)};
  });
}

void coracle_document_free(coracle_document* document) { delete document; }

}  // extern "C"
