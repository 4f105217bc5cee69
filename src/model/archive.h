// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "archive/members.h"
#include "model/byte_source.h"

namespace coracle::internal {

/// The bytes of an archive that was opened, and what is in them.
struct ArchiveIndex {
  File bytes;  ///< of a .tar.gz what it unpacks to
  bool is_zip = false;
  std::vector<ArchiveMember> members;
};

/// The files in a .tar, .tar.gz or .zip as those of a folder with the archive's name, read where they are. Names that
/// lead out of it are left out, as are those that macOS adds.
class ArchiveSource : public ByteSource {
 public:
  /// Nothing if the file, which is one of `outer`, is no archive. Throws Error where it is a damaged one.
  static std::shared_ptr<const ArchiveSource> of(const File& file, std::shared_ptr<const ByteSource> outer);
  ArchiveSource(ArchiveIndex index, std::string path, std::shared_ptr<const ByteSource> outer);

  std::optional<File> open(const std::string& name) const override;
  std::optional<File> open_weights(const std::string& name, Weights weights) const override;
  bool is_folder(const std::string& name) const override;
  std::vector<std::string> list(const std::string& folder) const override;

  /// Folders that have files, the archive itself among them, sorted.
  std::vector<std::string> folders() const;
  /// Paths of all files in the archive, sorted.
  std::vector<std::string> files() const;

 private:
  bool is_inside(const std::string& name) const;

  File bytes_;
  bool is_zip_;
  std::map<std::string, ArchiveMember> members_;  ///< by their paths
  std::string path_;                              ///< of the archive
  std::shared_ptr<const ByteSource> outer_;
};

/// True if the name ends as archives' names do.
bool is_archive_name(std::string_view name);

}  // namespace coracle::internal
