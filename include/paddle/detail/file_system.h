// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(_WIN32)
#include <direct.h>
#include <wchar.h>
#endif
#include <sys/stat.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <ios>
#include <string>

namespace paddle {
namespace detail {

// Paths are UTF-8 on Windows, as the library takes them, and any bytes elsewhere.

#if defined(_WIN32)
/// UTF-16, with U+FFFD, which no file's name has, for what is no UTF-8.
inline std::wstring system_path(const std::string& utf8) {
  std::wstring wide;
  for (size_t i = 0; i < utf8.size();) {
    const unsigned char first = static_cast<unsigned char>(utf8[i]);
    const size_t bytes = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    uint32_t c = bytes == 1 ? first : first & (0x7FU >> bytes);
    bool whole = (first < 0x80 || first >= 0xC2) && first < 0xF5 && i + bytes <= utf8.size();
    for (size_t k = 1; whole && k < bytes; ++k) {
      const unsigned char next = static_cast<unsigned char>(utf8[i + k]);
      whole = (next & 0xC0U) == 0x80;
      c = c << 6 | (next & 0x3FU);
    }
    if (!whole || c > 0x10FFFF) c = 0xFFFD;
    i += whole ? bytes : 1;
    if (c >= 0x10000) {
      wide += static_cast<wchar_t>(0xD800 + ((c - 0x10000) >> 10));
      c = 0xDC00 + (c & 0x3FFU);
    }
    wide += static_cast<wchar_t>(c);
  }
  return wide;
}
#else
inline const std::string& system_path(const std::string& path) { return path; }
#endif

inline bool file_exists(const std::string& path) { return std::ifstream(system_path(path).c_str()).good(); }

inline bool is_folder(const std::string& path) {
#if defined(_WIN32)
  struct _stat64 info;
  return _wstat64(system_path(path).c_str(), &info) == 0 && (info.st_mode & _S_IFMT) == _S_IFDIR;
#else
  struct stat info;
  return stat(path.c_str(), &info) == 0 && (info.st_mode & S_IFMT) == S_IFDIR;
#endif
}

inline bool is_empty_or_missing(const std::string& path) {
  std::ifstream file(system_path(path).c_str(), std::ios::binary);
  return file.peek() == std::ifstream::traits_type::eof();
}

/// The folder of a file, with what stands behind it; "." where the path has none.
inline std::string folder_of(const std::string& path) {
#if defined(_WIN32)
  const size_t slash = path.find_last_of("/\\");
#else
  const size_t slash = path.rfind('/');
#endif
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

/// Does nothing where there is one, or where there cannot be one.
inline void make_folder(const std::string& path) {
#if defined(_WIN32)
  _wmkdir(system_path(path).c_str());
#else
  mkdir(path.c_str(), 0777);
#endif
}

/// Whether there can be a file of that name; what is there stays as it is.
inline bool can_be_written(const std::string& path) {
  const bool is_there = file_exists(path);
  const bool can = std::ofstream(system_path(path).c_str(), std::ios::app).good();
#if defined(_WIN32)
  if (can && !is_there) _wremove(system_path(path).c_str());
#else
  if (can && !is_there) std::remove(path.c_str());
#endif
  return can;
}

}  // namespace detail
}  // namespace paddle
