// SPDX-License-Identifier: Apache-2.0
#include "model/archive.h"

#include <algorithm>
#include <array>
#include <set>

#include "archive/inflated.h"
#include "base/error.h"
#include "base/printable.h"

namespace coracle::internal {
namespace {

constexpr size_t kHead = 512;

/// The member's path in the form "folder/file"; empty for one that is left out.
std::string path_of(std::string_view name) {
  while (name.starts_with("./")) name.remove_prefix(2);
  const std::string_view file = name.substr(name.rfind('/') + 1);
  if (!stays_below(name) || name.size() > kMostArchiveName || file.starts_with("._") || name.starts_with("__MACOSX/"))
    return {};
  return std::string(name);
}

std::optional<ArchiveIndex> read_index(const File& file) {
  std::array<uint8_t, kHead> bytes;
  const auto starts_with = [&](const File& f, std::string_view magic) {
    const size_t got = f.read(0, bytes);
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), got).starts_with(magic);
  };
  const bool is_zip = starts_with(file, "PK\x03\x04") || starts_with(file, "PK\x05\x06");
  if (is_zip) return ArchiveIndex{.bytes = file, .is_zip = true, .members = zip_members(file)};
  const bool is_gzip = starts_with(file, "\x1f\x8b\x08");
  const size_t most = is_gzip ? most_unpacked(file.size()) : 0;
  const File tar =
      is_gzip ? file.made(file.name(), most, inflated({.bytes = file, .is_gzip = true, .size = most, .checksum = 0}))
              : file;
  const size_t got = tar.read(0, bytes);
  if (!starts_tar(std::span(bytes).first(got))) return std::nullopt;
  ArchiveIndex index{.bytes = tar, .is_zip = false, .members = tar_members(tar)};
  if (is_gzip) tar.read(most - 1, std::span(bytes).first(1));  // to its end, where its checksum is
  return index;
}

}  // namespace

bool is_archive_name(std::string_view name) {
  constexpr std::array<std::string_view, 4> kSuffixes{".tar", ".tgz", ".tar.gz", ".zip"};
  return std::any_of(kSuffixes.begin(), kSuffixes.end(), [&](std::string_view s) { return name.ends_with(s); });
}

std::shared_ptr<const ArchiveSource> ArchiveSource::of(const File& file, std::shared_ptr<const ByteSource> outer) {
  std::optional<ArchiveIndex> index = read_index(file);
  if (!index) return nullptr;
  return std::make_shared<ArchiveSource>(*std::move(index), file.name(), std::move(outer));
}

ArchiveSource::ArchiveSource(ArchiveIndex index, std::string path, std::shared_ptr<const ByteSource> outer)
    : bytes_(std::move(index.bytes)), is_zip_(index.is_zip), path_(std::move(path)), outer_(std::move(outer)) {
  for (ArchiveMember& member : index.members) {
    const std::string inside = path_of(member.name);
    // Of the same name the last one holds: that is how archives are added to.
    if (!inside.empty()) members_.insert_or_assign(join_path(path_, inside), std::move(member));
  }
}

bool ArchiveSource::is_inside(const std::string& name) const {
  return name.starts_with(path_) && (name.size() == path_.size() || name[path_.size()] == '/');
}

std::optional<File> ArchiveSource::open(const std::string& name) const {
  if (!is_inside(name)) return outer_->open(name);
  const auto it = members_.find(name);
  if (it == members_.end()) return std::nullopt;
  const ArchiveMember& member = it->second;
  return is_zip_ ? open_zip_member(bytes_, member, name) : bytes_.part(name, member.offset, member.size);
}

std::optional<File> ArchiveSource::open_weights(const std::string& name, Weights weights) const {
  if (!is_inside(name)) return outer_->open_weights(name, weights);
  std::optional<File> file = open(name);
  if (file) file->map_as(weights);
  return file;
}

bool ArchiveSource::is_folder(const std::string& name) const {
  if (!is_inside(name)) return outer_->is_folder(name);
  const std::string start = join_path(name, "");
  const auto it = members_.lower_bound(start);
  return name == path_ || (it != members_.end() && it->first.starts_with(start));
}

std::vector<std::string> ArchiveSource::list(const std::string& folder) const {
  if (!is_inside(folder)) return outer_->list(folder);
  const std::string start = join_path(folder, "");
  std::vector<std::string> names;
  for (auto it = members_.lower_bound(start); it != members_.end() && it->first.starts_with(start); ++it) {
    if (it->first.rfind('/') < start.size()) names.push_back(it->first.substr(start.size()));
  }
  return names;
}

std::vector<std::string> ArchiveSource::files() const {
  std::vector<std::string> paths;
  for (const auto& [path, member] : members_) paths.push_back(path.substr(path_.size() + 1));
  return paths;
}

std::vector<std::string> ArchiveSource::folders() const {
  std::set<std::string> found{path_};
  for (const auto& [path, member] : members_) found.insert(path.substr(0, path.rfind('/')));
  return {found.begin(), found.end()};
}

}  // namespace coracle::internal
