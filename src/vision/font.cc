// SPDX-License-Identifier: Apache-2.0
#include "vision/font.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/system/library.h"
#include "base/system/native_path.h"

#ifdef CORACLE_HAVE_FREETYPE
#include <ft2build.h>
#include FT_FREETYPE_H
#endif

namespace coracle::vision {

std::u32string characters_of(const std::string& utf8) {
  constexpr char32_t kNone = 0xFFFD;
  std::u32string text;
  for (std::size_t i = 0; i < utf8.size();) {
    const auto first = static_cast<unsigned char>(utf8[i]);
    const std::size_t more = first < 0x80 ? 0 : first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 4;
    char32_t character = more == 0 ? first : first & (0x3FU >> more);
    bool whole = more < 4 && i + more < utf8.size();
    for (std::size_t k = 1; whole && k <= more; ++k) {
      const auto byte = static_cast<unsigned char>(utf8[i + k]);
      whole = (byte & 0xC0U) == 0x80;
      character = character << 6U | (byte & 0x3FU);
    }
    text += whole ? character : kNone;
    i += whole ? more + 1 : 1;
  }
  return text;
}

std::string utf8_of(char32_t c) {
  const auto byte = [](char32_t value) { return static_cast<char>(static_cast<unsigned char>(value)); };
  if (c < 0x80) return {byte(c)};
  if (c < 0x800) return {byte(0xC0 | c >> 6U), byte(0x80 | (c & 0x3FU))};
  if (c < 0x10000) return {byte(0xE0 | c >> 12U), byte(0x80 | (c >> 6U & 0x3FU)), byte(0x80 | (c & 0x3FU))};
  return {byte(0xF0 | c >> 18U), byte(0x80 | (c >> 12U & 0x3FU)), byte(0x80 | (c >> 6U & 0x3FU)),
          byte(0x80 | (c & 0x3FU))};
}

std::vector<std::string> installed_fonts() {
  namespace fs = std::filesystem;
  // Those with Chinese, Japanese and Korean first: they have Latin letters besides.
  const char* const kNames[] = {"NotoSansCJK-Regular.ttc",
                                "NotoSansCJKsc-Regular.otf",
                                "SourceHanSansSC-Regular.otf",
                                "wqy-microhei.ttc",
                                "wqy-zenhei.ttc",
                                "DroidSansFallbackFull.ttf",
                                "uming.ttc",
                                "NotoSans-Regular.ttf",
                                "DejaVuSans.ttf",
                                "LiberationSans-Regular.ttf"};
  std::vector<fs::path> folders = {"/usr/local/share/fonts", "/usr/share/fonts"};
  if (const char* home = std::getenv("HOME")) {
    folders.insert(folders.begin(), internal::native_path(home) / ".fonts");
    folders.insert(folders.begin(), internal::native_path(home) / ".local/share/fonts");
  }
  std::map<std::string, std::string> found;  // Paths by name.
  for (const fs::path& folder : folders) {
    std::error_code error;
    for (fs::recursive_directory_iterator i(folder, fs::directory_options::skip_permission_denied, error), end;
         !error && i != end; i.increment(error)) {
      found.emplace(internal::path_text(i->path().filename()), internal::path_text(i->path()));
    }
  }
  std::vector<std::string> fonts;
  for (const char* name : kNames) {
    const auto at = found.find(name);
    if (at != found.end()) fonts.push_back(at->second);
  }
  return fonts;
}

#ifdef CORACLE_HAVE_FREETYPE

namespace {

constexpr int kLargest = 1000;  // Pixels of a font.
constexpr FT_Int32 kLoad = FT_LOAD_NO_BITMAP;

/// The functions of FreeType that are needed; null where there is no library.
struct FreeType {
  decltype(&FT_Init_FreeType) init = nullptr;
  decltype(&FT_Done_FreeType) done = nullptr;
  decltype(&FT_New_Face) open = nullptr;
  decltype(&FT_Done_Face) close = nullptr;
  decltype(&FT_Set_Pixel_Sizes) size = nullptr;
  decltype(&FT_Get_Char_Index) index = nullptr;
  decltype(&FT_Load_Glyph) load = nullptr;
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(internal::symbol_of(library, name));
  return function != nullptr;
}

const FreeType* free_type() {
  static const FreeType* loaded = []() -> const FreeType* {
    void* library = internal::load_library("libfreetype.so.6");
    static FreeType f;
    const bool whole = library != nullptr && find(library, "FT_Init_FreeType", f.init) &&
                       find(library, "FT_Done_FreeType", f.done) && find(library, "FT_New_Face", f.open) &&
                       find(library, "FT_Done_Face", f.close) && find(library, "FT_Set_Pixel_Sizes", f.size) &&
                       find(library, "FT_Get_Char_Index", f.index) && find(library, "FT_Load_Glyph", f.load);
    return whole ? &f : nullptr;
  }();
  return loaded;
}

}  // namespace

struct Font::Face {
  explicit Face(const std::string& path) {
    if (type == nullptr) {
      throw Error(Problem::kFile,
                  "writing text into a picture needs FreeType, libfreetype.so.6, which cannot be loaded (Debian: "
                  "libfreetype6)");
    }
    if (type->init(&library) != 0) throw Error(Problem::kFile, "FreeType cannot be started");
    if (type->open(library, path.c_str(), 0, &face) != 0 || !FT_IS_SCALABLE(face)) {
      if (face != nullptr) type->close(face);
      type->done(library);
      std::error_code error;
      throw Error(Problem::kFile, path + (std::filesystem::is_regular_file(internal::native_path(path), error)
                                              ? ": is not a font that FreeType reads, or one of dots"
                                              : ": there is no such file"));
    }
  }
  ~Face() {
    type->close(face);
    type->done(library);
  }
  Face(const Face&) = delete;
  Face& operator=(const Face&) = delete;

  /// The glyph of a character, rendered if asked for; null where the font is damaged.
  FT_GlyphSlot glyph(char32_t c, FT_Int32 flags) const {
    return type->load(face, type->index(face, c), kLoad | flags) == 0 ? face->glyph : nullptr;
  }

  const FreeType* type = free_type();
  FT_Library library = nullptr;
  FT_Face face = nullptr;
};

Font::Font(const std::string& path) : path_(path), face_(std::make_unique<Face>(path)) {}
Font::~Font() = default;

bool Font::has(char32_t character) const { return face_->type->index(face_->face, character) != 0; }

void Font::set_size(int pixels) {
  face_->type->size(face_->face, 0, static_cast<FT_UInt>(std::clamp(pixels, 1, kLargest)));
}

double Font::width(const std::u32string& text) const {
  double sum = 0;
  for (const char32_t c : text) {
    const FT_GlyphSlot glyph = face_->glyph(c, 0);
    if (glyph != nullptr) sum += static_cast<double>(glyph->advance.x) / 64;
  }
  return sum;
}

int Font::height(char32_t character) const {
  const FT_GlyphSlot glyph = face_->glyph(character, 0);
  return glyph != nullptr ? static_cast<int>((glyph->metrics.height + 63) / 64) : 0;
}

void Font::write(Image& onto, const std::u32string& text, int x, int y) const {
  const int baseline = y + static_cast<int>(face_->face->size->metrics.ascender / 64);
  double place = x;
  for (const char32_t c : text) {
    const FT_GlyphSlot glyph = face_->glyph(c, FT_LOAD_RENDER);
    if (glyph == nullptr) continue;
    const FT_Bitmap& dots = glyph->bitmap;
    const int left = static_cast<int>(place) + glyph->bitmap_left;
    const int top = baseline - glyph->bitmap_top;
    const bool grey = dots.pixel_mode == FT_PIXEL_MODE_GRAY;
    for (int v = std::max(0, -top); grey && v < std::min(static_cast<int>(dots.rows), onto.height - top); ++v) {
      const unsigned char* row = dots.buffer + static_cast<std::ptrdiff_t>(v) * dots.pitch;
      for (int u = std::max(0, -left); u < std::min(static_cast<int>(dots.width), onto.width - left); ++u) {
        std::uint8_t* pixel = onto.row(top + v) + 3 * (left + u);
        for (int k = 0; k < 3; ++k) pixel[k] = static_cast<std::uint8_t>(pixel[k] * (255 - row[u]) / 255);
      }
    }
    place += static_cast<double>(glyph->advance.x) / 64;
  }
}

#else

struct Font::Face {};
Font::Font(const std::string&) {
  throw Error(Problem::kFile,
              "writing text into a picture needs FreeType, whose headers were absent when this was built (Debian: "
              "libfreetype-dev)");
}
Font::~Font() = default;
bool Font::has(char32_t) const { return false; }
void Font::set_size(int) {}
double Font::width(const std::u32string&) const { return 0; }
int Font::height(char32_t) const { return 0; }
void Font::write(Image&, const std::u32string&, int, int) const {}

#endif

}  // namespace coracle::vision
