// SPDX-License-Identifier: Apache-2.0
#include "vision/model_place.h"

#include <filesystem>

#include "base/system/native_path.h"

namespace coracle::vision {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{16} << 20;

/// Gives an archive in memory by whatever name it is asked for.
int give(void* user, const char* name, const void** data, std::size_t* size) {
  const auto& [path, bytes] = *static_cast<const std::pair<std::string, ModelBytes>*>(user);
  if (path != name) return 1;
  *data = bytes.data;
  *size = bytes.size;
  return 0;
}

}  // namespace

std::string ModelPlace::beside(const std::string& name) const {
  std::error_code error;
  const std::filesystem::path path = internal::native_path(path_);
  const std::string ending = internal::path_text(path.extension());
  const bool is_archive = bytes_ || ending == ".tar" || ending == ".tgz" || ending == ".gz" || ending == ".zip";
  const bool is_file = !is_archive && std::filesystem::is_regular_file(path, error);
  return internal::path_text((is_file ? path.parent_path() : path) / internal::native_path(name));
}

std::optional<std::string> ModelPlace::read(const std::string& name) const {
  char* data = nullptr;
  std::size_t size = 0;
  if (bytes_) {
    std::pair<std::string, ModelBytes> given(path_, *bytes_);
    coracle::check(coracle_model_file(path_.c_str(), name.c_str(), kMaxFileBytes, give, &given, &data, &size));
  } else {
    coracle::check(coracle_model_file(path_.c_str(), name.c_str(), kMaxFileBytes, nullptr, nullptr, &data, &size));
  }
  const std::unique_ptr<char, void (*)(char*)> owner(data, coracle_string_free);
  if (data == nullptr) return std::nullopt;
  return std::string(data, size);
}

coracle::Model ModelPlace::load(const std::string& params) const {
  if (!bytes_) return coracle::Model(path_, params);
  const auto read = [&](const std::string& name) -> std::optional<coracle::Span<const std::byte>> {
    if (name != path_) return std::nullopt;
    return coracle::Span<const std::byte>(static_cast<const std::byte*>(bytes_->data), bytes_->size);
  };
  return {read, path_, params};
}

}  // namespace coracle::vision
