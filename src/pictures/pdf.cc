// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <utility>

#include "pictures/program.h"
#include "pictures/stream.h"

namespace coracle::pictures {
namespace {

using vision::Error;
using vision::Problem;

constexpr const char* kPoppler = "poppler-utils";
constexpr size_t kMostDocumentInfo = size_t{1} << 25;
/// Sizes of more pages are not asked for, and then checked only once they are made.
constexpr int64_t kMostSizes = 100'000;
constexpr double kPointsPerInch = 72;

struct Size {
  double width = 0;
  double height = 0;
};

/// What pdfinfo says of a document.
struct Document {
  int64_t pages = 0;
  std::map<int64_t, Size> sizes;  ///< in points
};

Document document_info(const Given& file, int64_t first, int64_t last) {
  Program program(file.path, {"pdfinfo", "-f", std::to_string(first), "-l", std::to_string(last), as_path(file.path)},
                  kPoppler);
  Document document;
  std::istringstream lines(program.text(kMostDocumentInfo));
  for (std::string line; std::getline(lines, line);) {
    long long page = 0;
    Size size;
    if (std::sscanf(line.c_str(), "Pages: %lld", &page) == 1) document.pages = page;
    if (std::sscanf(line.c_str(), "Page %lld size: %lf x %lf", &page, &size.width, &size.height) == 3)
      document.sizes[page] = size;
  }
  if (document.pages < 1) throw Error(Problem::kPicture, file.path + ": the document has no pages");
  return document;
}

/// A page that is being made.
struct Page {
  int64_t number = 0;
  std::string problem;
  std::unique_ptr<Program> program;
};

class Pdf final : public Source {
 public:
  Pdf(const Given& file, const StreamOptions& options) : file_(file), dpi_(options.dpi), ranges_(options.pages) {
    if (ranges_.empty()) ranges_.push_back({});
    int64_t first = INT64_MAX;
    int64_t last = 0;
    for (const PageRange& range : ranges_) {
      first = std::min(first, range.first);
      last = std::max(last, range.last);
    }
    // pdfinfo refuses a first page that is not there before it says how many there are.
    document_ = document_info(file_, 1, 1);
    for (PageRange& range : ranges_) {
      if (range.first > document_.pages || (range.last > document_.pages && range.last != INT64_MAX)) {
        throw Error(Problem::kPicture, file_.path + ": has " + std::to_string(document_.pages) + " pages; page " +
                                           std::to_string(range.first > document_.pages ? range.first : range.last) +
                                           " was asked for");
      }
      range.last = std::min(range.last, document_.pages);
      left_ += static_cast<size_t>(range.last - range.first + 1);
    }
    last = std::min(last, document_.pages);
    if (last > 1) document_ = document_info(file_, first, std::min(last, first + kMostSizes));
    digits_ = std::to_string(document_.pages).size();
    number_ = ranges_.front().first;
    ahead_ = begin();
  }

  std::optional<Picture> next() override {
    if (!ahead_) return std::nullopt;
    Page page = std::move(*ahead_);
    ahead_ = begin();  // works while this one is used
    --left_;
    Picture picture{{.file = file_.path, .stem = stem_of(page.number), .page = page.number}, {}, page.problem};
    if (!picture.problem.empty()) return picture;
    try {
      PpmReader reader(*page.program);
      const bool found = reader.next(picture.image);
      page.program->finish();
      if (!found) {
        const std::string why = last_line(page.program->child().messages());
        page.program->fail("gave no picture" + (why.empty() ? "" : ": " + why));
      }
    } catch (const Error& e) {
      picture.problem = picture.place.name() + std::string(e.what()).substr(file_.path.size());
    }
    return picture;
  }

  size_t left() const override { return left_; }

 private:
  std::string stem_of(int64_t page) const {
    std::string number = std::to_string(page);
    number.insert(0, digits_ > number.size() ? digits_ - number.size() : 0, '0');
    return file_.stem + "_page" + number;
  }

  /// Starts to make the next page; nothing after the last.
  std::optional<Page> begin() {
    if (range_ == ranges_.size()) return std::nullopt;
    Page page{number_, {}, nullptr};
    if (number_ == ranges_[range_].last) {
      if (++range_ < ranges_.size()) number_ = ranges_[range_].first;
    } else {
      ++number_;
    }
    if (const auto size = document_.sizes.find(page.number); size != document_.sizes.end()) {
      const double width = std::ceil(size->second.width * dpi_ / kPointsPerInch);
      const double height = std::ceil(size->second.height * dpi_ / kPointsPerInch);
      if (!(width * height <= static_cast<double>(kMostPixels))) {
        std::array<char, 200> text{};
        std::snprintf(text.data(), text.size(),
                      ", page %lld: has %.0f x %.0f pixels at %d dpi; %lld are allowed, a smaller --dpi makes fewer",
                      static_cast<long long>(page.number), width, height, dpi_, static_cast<long long>(kMostPixels));
        page.problem = file_.path + text.data();
        return page;
      }
    }
    const std::string number = std::to_string(page.number);
    page.program =
        std::make_unique<Program>(file_.path,
                                  std::vector<std::string>{"pdftoppm", "-cropbox", "-r", std::to_string(dpi_), "-f",
                                                           number, "-l", number, as_path(file_.path)},
                                  kPoppler);
    return page;
  }

  Given file_;
  int dpi_;
  std::vector<PageRange> ranges_;
  Document document_;
  size_t digits_ = 1;
  size_t left_ = 0;
  size_t range_ = 0;
  int64_t number_ = 1;
  std::optional<Page> ahead_;
};

}  // namespace

std::unique_ptr<Source> open_pdf(const Given& file, const StreamOptions& options) {
  return std::make_unique<Pdf>(file, options);
}

}  // namespace coracle::pictures
