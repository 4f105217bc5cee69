// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loading/model.h"

namespace coracle::internal {

/// Where a model is kept as it is after the passes, with its packed weights, so that the next process that loads it
/// needs neither the passes nor packing (docs/saved-models.md). Of models whose files lie on a disk. What cannot be
/// read or written is as if it were not there; the first such failure of the process is a warning.
class ModelCache {
 public:
  static constexpr uint64_t kDefaultBytes = uint64_t{8} << 30U;

  /// The place of a model in the folder that CORACLE_CACHE names; nothing where it names none, and for models that are
  /// not kept. `version`: of Coracle; `now`: seconds since 1970.
  static std::optional<ModelCache> place_of(const RunContext& context, const ModelSource& source,
                                            const ModelOptions& options, std::string_view version, int64_t now);

  /// What is kept of exactly this by this user: in the file, which is mapped. Reads the model's files unless the one
  /// that is kept was made of the same files, unchanged since.
  std::optional<LoadedModel> find();
  /// Keeps the model with the packed weights that there are now; of one that was found, only if there are more than
  /// then. Others that were not used for longest go where all take more than CORACLE_CACHE_BYTES.
  void keep(const Model& model) const noexcept;

  const std::string& key() const { return key_; }
  bool is_of_files_as_they_are() const;
  bool has_read_files() const { return !contents_.empty(); }

 private:
  ModelCache() = default;
  std::optional<LoadedModel> read();
  void read_files();

  std::string folder_;
  std::string path_;
  uint64_t bytes_ = kDefaultBytes;
  std::string program_;  ///< name of the file, for messages
  std::vector<std::string> passed_over_;
  std::vector<FileStamp> files_;
  std::vector<File> sources_;
  // All that the content is made of, as text.
  std::string key_;       ///< but what follows
  std::string stamps_;    ///< by which the files are known to be unchanged; empty where they may change within them
  std::string contents_;  ///< sums over the bytes of files; empty while they were not read
  std::string kept_contents_;  ///< of what was found
  bool found_ = false;
  bool stamped_ = false;  ///< what was found has these stamps
};

/// The same model, which is kept when its last user is gone, or when the process ends in order before that; not where
/// its files have changed since they were looked at.
std::shared_ptr<const Model> kept_at_its_end(std::shared_ptr<const Model> model, ModelCache cache);

}  // namespace coracle::internal
