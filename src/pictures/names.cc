// SPDX-License-Identifier: Apache-2.0
#include "pictures/names.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <stdexcept>
#include <system_error>

#include "base/system/native_path.h"
#include "coracle/vision/image.h"

namespace coracle::pictures {
namespace {

namespace fs = std::filesystem;
using internal::native_path;
using internal::path_text;

constexpr std::string_view kPictures[] = {".png", ".jpg", ".jpeg", ".bmp", ".webp"};
constexpr std::string_view kVideos[] = {".mp4",  ".m4v", ".mov", ".avi", ".mkv", ".webm", ".mpg",
                                        ".mpeg", ".wmv", ".flv", ".ogv", ".3gp", ".mts",  ".m2ts"};

bool same_letters(char a, char b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return lower(a) == lower(b);
}

bool ends_with(std::string_view path, std::string_view ending) {
  return path.size() >= ending.size() &&
         std::equal(ending.begin(), ending.end(), path.end() - static_cast<std::ptrdiff_t>(ending.size()),
                    same_letters);
}

template <class Endings>
bool has_one_of(std::string_view path, const Endings& endings) {
  return std::any_of(std::begin(endings), std::end(endings), [&](std::string_view e) { return ends_with(path, e); });
}

/// What one folder holds, by name.
struct Listing {
  std::vector<std::string> names;
  std::error_code error;
};

Listing list(const std::string& folder) {
  Listing found;
  fs::directory_iterator i(native_path(folder), found.error);
  for (const fs::directory_iterator end; !found.error && i != end; i.increment(found.error))
    found.names.push_back(path_text(i->path().filename()));
  std::sort(found.names.begin(), found.names.end());
  return found;
}

std::string joined(const std::string& folder, const std::string& name) {
  return folder.empty() ? name : path_text(native_path(folder) / native_path(name));
}

/// Finds files below a folder.
class Search {
 public:
  explicit Search(std::vector<Given>& found) : found_(found) {}

  /// Nothing where the folder was listed before, else how the listing went.
  std::optional<std::error_code> folder(const std::string& path, const std::string& inside) {
    std::error_code unknown;
    const fs::path place = fs::canonical(native_path(path), unknown);
    if (!unknown && !listed_.insert(place).second) return std::nullopt;
    const Listing listing = list(path);
    for (const std::string& name : listing.names) {
      if (!name.starts_with('.')) entry(joined(path, name), joined(inside, name));
    }
    return listing.error;
  }

 private:
  void entry(const std::string& path, const std::string& inside) {
    std::error_code unknown;
    const fs::file_status status = fs::status(native_path(path), unknown);
    if (fs::is_directory(status)) {
      const std::optional<std::error_code> error = folder(path, inside);
      if (error && *error) found_.push_back({path, inside, "cannot be listed: " + error->message()});
    } else if (fs::is_regular_file(status) && (names_picture(path) || kind_of(path) != Kind::kPicture)) {
      found_.push_back({path, path_text(native_path(inside).replace_extension()), {}});
    }
  }

  std::vector<Given>& found_;
  std::set<fs::path> listed_;
};

}  // namespace

Kind kind_of(std::string_view path) {
  if (ends_with(path, ".pdf")) return Kind::kPdf;
  return has_one_of(path, kVideos) ? Kind::kVideo : Kind::kPicture;
}

bool names_picture(std::string_view path) { return has_one_of(path, kPictures); }

std::vector<Given> files_of(const std::vector<std::string>& given) {
  std::vector<Given> files;
  for (const std::string& path : given) {
    std::error_code error;
    if (!fs::is_directory(native_path(path), error)) {
      files.push_back({path, path_text(native_path(path).stem()), {}});
      continue;
    }
    const size_t before = files.size();
    if (const std::optional<std::error_code> problem = Search(files).folder(path, {}); problem && *problem)
      throw vision::Error(vision::Problem::kFile, path + ": cannot be listed: " + problem->message());
    if (files.size() == before) {
      throw vision::Error(vision::Problem::kFile,
                          path +
                              ": there is no picture (.png, .jpg, .jpeg, .bmp, .webp), PDF or video in the folder "
                              "or below it");
    }
  }
  return files;
}

std::vector<PageRange> parse_pages(const std::string& text) {
  std::vector<PageRange> ranges;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto fail = [&] {
    throw std::invalid_argument("'" + text +
                                "' are no pages: expected numbers from 1 on and ranges, as in 1-3,5 or 7-");
  };
  const auto number = [&](int64_t& value) {
    const auto [rest, error] = std::from_chars(at, end, value);
    if (error != std::errc() || value < 1) fail();
    at = rest;
  };
  do {
    if (!ranges.empty()) ++at;  // the comma
    PageRange range;
    number(range.first);
    if (at == end || *at != '-') {
      range.last = range.first;
    } else if (++at != end && *at != ',') {
      number(range.last);
    }
    if (range.last < range.first) fail();
    ranges.push_back(range);
  } while (at != end && *at == ',');
  if (at != end) fail();
  return ranges;
}

}  // namespace coracle::pictures
