// SPDX-License-Identifier: Apache-2.0
#include "loading/model_cache.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <mutex>

#include "base/checksum.h"
#include "base/kept_folder.h"
#include "base/log.h"
#include "base/new_file.h"
#include "base/printable.h"
#include "base/process.h"
#include "base/system/environment.h"
#include "base/system/files.h"
#include "base/system/kept_files.h"
#include "base/system/library.h"
#include "loading/write_saved.h"
#include "saved/format.h"
#include "saved/read.h"

namespace coracle::internal {
namespace {

constexpr char kCacheMagic[8] = {'c', 'o', 'r', 'a', 'c', 'l', 'e', 'm'};
constexpr char kCachedEnding[] = ".coracle";
constexpr size_t kLongestKey = size_t{1} << 20U;

/// Seconds within which a file may change again without another time of change.
constexpr int64_t kClockSteps = 2;

/// Begin of each file; key, stamps and contents follow, then zeros up to a multiple of saved::kSectionAlignment, then
/// the saved model.
struct CacheHead {
  char magic[8];
  uint64_t key_bytes;
  uint64_t stamps_bytes;
  uint64_t contents_bytes;

  uint64_t begin() const {
    return saved::aligned(sizeof(CacheHead) + key_bytes + stamps_bytes + contents_bytes, saved::kSectionAlignment);
  }
};

std::atomic<bool> warned{false};

void warn_once(const std::string& folder, std::string_view why) noexcept {
  if (warned.exchange(true)) return;
  log(LogLevel::kWarning, "the cache of models ", in_quotes(folder), " (CORACLE_CACHE) is of no use for a model: ", why,
      "; the model is loaded without it. This is told once");
}

std::string hexadecimal(const std::array<uint64_t, 2>& sum) {
  std::string digits(32, '0');
  for (size_t i = 0; i < digits.size(); ++i) digits[i] = "0123456789abcdef"[sum[i / 16] >> (60 - i % 16 * 4) & 15U];
  return digits;
}

std::string about(const FileStatus& status) {
  return text(status.size, " ", status.device, " ", status.number, " ", status.modified.seconds, ".",
              status.modified.nanoseconds);
}

/// A sum over all bytes.
std::string content_of(const File& file) {
  constexpr size_t kAtATime = size_t{256} << 10U;
  std::vector<uint8_t> buffer(kAtATime);
  Checksum sum;
  for (size_t at = 0; at < file.size();) {
    const size_t got = file.read(at, buffer);
    if (got == 0) break;
    sum.add(buffer.data(), got);
    at += got;
  }
  return hexadecimal(sum.value());
}

/// Whatever is not known here to be the same in every process keeps a model out of the cache.
bool may_be_kept(const ModelOptions& options) {
  return options.engines.engines.empty() && options.engines.marks.empty() && options.device.empty() &&
         options.kernels.devices.empty() && options.keep_tensors.empty() && options.load.operators.empty() &&
         registered_operators() == 0 && options.passes.max_rewrites < 0 && options.passes.after_pass == nullptr;
}

std::string all_of(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list.append(text(" ", name.size(), ":", name));
  return list;
}

void append_options(std::string& key, const ModelOptions& options) {
  key.append(text("kernels ", int{host_device().capabilities->best().value()}, " ",
                  int{options.kernels.capability.value()}, " ", static_cast<int64_t>(options.kernels.precision), " ",
                  options.kernels.emulates_modes, all_of(options.kernels.disabled), "\n"));
  key.append(text("passes ", options.passes.integers, " ", options.passes.stored_weights,
                  all_of(options.passes.disabled), "\n"));
  key.append(text("sizes ", options.declared_sizes_bind, "\n"));
}

uint64_t bytes_from_environment() {
  uint64_t bytes = ModelCache::kDefaultBytes;
  if (const std::optional<std::string> given = trusted_variable("CORACLE_CACHE_BYTES")) {
    std::from_chars(given->data(), given->data() + given->size(), bytes);
  }
  return bytes;
}

/// A model that is to be kept.
struct KeptLater {
  std::shared_ptr<const Model> model;
  ModelCache cache;
  int64_t process = this_process();
};

/// All that are. Programs in Python end without freeing their models.
class AllKeptLater {
 public:
  /// There until the very end, for models that are freed by then.
  static AllKeptLater& get() {
    static auto* const all = new AllKeptLater();
    static const AtExit at_exit;
    return *all;
  }
  void add(KeptLater* later) {
    const std::lock_guard lock(mutex_);
    all_.push_back(later);
  }
  /// False: it was kept at the end of the process.
  bool remove(KeptLater* later) {
    const std::lock_guard lock(mutex_);
    return std::erase(all_, later) > 0;
  }

 private:
  struct AtExit {
    ~AtExit() { get().keep_all(); }
  };

  void keep_all() noexcept try {
    warned = true;  // who gets messages may be gone
    const std::lock_guard lock(mutex_);
    for (const KeptLater* later : all_) {
      if (later->process == this_process()) later->cache.keep(*later->model);
    }
    all_.clear();
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): a forked child whose parent was here keeps nothing
  }

  ProcessMutex mutex_;
  std::vector<KeptLater*> all_;
};

}  // namespace

std::shared_ptr<const Model> kept_at_its_end(std::shared_ptr<const Model> model, ModelCache cache) {
  if (!cache.is_of_files_as_they_are()) return model;
  const Model* const same = model.get();
  auto later = std::make_unique<KeptLater>(KeptLater{std::move(model), std::move(cache)});
  AllKeptLater::get().add(later.get());
  const auto end = [](KeptLater* l) noexcept {
    try {
      if (l->process == this_process() && AllKeptLater::get().remove(l)) l->cache.keep(*l->model);
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): then it is not kept
    }
    delete l;
  };
  const std::shared_ptr<KeptLater> held(later.release(), end);
  return {held, same};
}

std::optional<ModelCache> ModelCache::place_of(const RunContext& context, const ModelSource& source,
                                               const ModelOptions& options, std::string_view version, int64_t now) {
  std::optional<std::string> folder = trusted_variable("CORACLE_CACHE");
  if (!folder || folder->empty() || !may_be_kept(options)) return std::nullopt;
  ModelCache cache;
  cache.folder_ = std::move(*folder);
  cache.bytes_ = bytes_from_environment();
  ModelFiles files = find_model_files({within(context, source.files), source.model, source.params});
  if (files.saved || files.paddle_lite || !files.program_stamp) return std::nullopt;
  const std::optional<File> parameters = files.open_combined();
  if (!parameters || !parameters->stamp()) return std::nullopt;

  std::string key = text("coracle ", version, " ", saved::kMajor, " ", saved::kMinor, " ", saved::kOperators, "\n");
  const std::string library = library_file_of(reinterpret_cast<const void*>(&write_saved_model));
  FileStatus status;
  if (library.empty() || !status_of(library, status)) return std::nullopt;
  key.append(text("library ", about(status), "\n"));
  // In the order in which loading notes them.
  cache.files_ = {*parameters->stamp(), *files.program_stamp};
  cache.sources_ = {*parameters, File(files.program)};
  bool settled = true;
  for (const FileStamp& file : cache.files_) {
    FileTime changed;
    if (!status_of(file.path, status)) return std::nullopt;
    settled = settled && time_of_change(file.path, changed) && changed.seconds + kClockSteps < now;
    key.append(text("file ", status.size, " ", file.path, "\n"));
    cache.stamps_.append(text(about(status), " ", changed.seconds, ".", changed.nanoseconds, "\n"));
  }
  if (!settled) cache.stamps_.clear();
  append_options(key, options);
  if (key.size() > kLongestKey) return std::nullopt;
  Checksum name;
  name.add(key.data(), key.size());
  cache.path_ = text(cache.folder_, "/", hexadecimal(name.value()), kCachedEnding);
  cache.key_ = std::move(key);
  cache.program_ = files.program.name;
  cache.passed_over_ = std::move(files.passed_over);
  return cache;
}

void ModelCache::read_files() {
  if (has_read_files()) return;
  std::string contents;
  for (const File& file : sources_) contents.append(content_of(file)).push_back('\n');
  for (const FileStamp& file : files_) require_unchanged(file);
  contents_ = std::move(contents);
}

bool ModelCache::is_of_files_as_they_are() const try {
  for (const FileStamp& file : files_) require_unchanged(file);
  return true;
} catch (const Error&) {
  return false;
}

std::optional<LoadedModel> ModelCache::find() {
  std::optional<LoadedModel> loaded;
  try {
    loaded = read();
  } catch (const Error& e) {
    warn_once(folder_, e.text());
  }
  found_ = loaded.has_value();
  if (!found_) read_files();  // as they are before they are loaded
  sources_.clear();
  return loaded;
}

std::optional<LoadedModel> ModelCache::read() {
  FileStatus status;
  if (!status_of_link(path_, status)) return std::nullopt;
  require(status.is_regular && status.is_private, ErrorCode::kIo, in_quotes(path_),
          " is not a file of this user that nobody else may write");
  const std::optional<File> file = File::open(path_);
  if (!file) return std::nullopt;
  CacheHead head{};
  require(file->read(0, {reinterpret_cast<uint8_t*>(&head), sizeof(head)}) == sizeof(head) &&
              std::memcmp(head.magic, kCacheMagic, sizeof(kCacheMagic)) == 0 && head.key_bytes <= kLongestKey &&
              head.stamps_bytes <= kLongestKey && head.contents_bytes <= kLongestKey && head.begin() < file->size(),
          ErrorCode::kInvalidModel, in_quotes(path_), " is damaged: its head is not that of a kept model");
  size_t at = sizeof(head);
  const auto next = [&](uint64_t bytes) {
    std::string part(bytes, '\0');
    const size_t got = file->read(at, {reinterpret_cast<uint8_t*>(part.data()), part.size()});
    require(got == part.size(), ErrorCode::kInvalidModel, in_quotes(path_), " is damaged: it ends within its key");
    at += part.size();
    return part;
  };
  if (next(head.key_bytes) != key_) return std::nullopt;
  const std::string stamps = next(head.stamps_bytes);
  const std::string contents = next(head.contents_bytes);
  stamped_ = !stamps_.empty() && stamps == stamps_;
  if (!stamped_) read_files();
  if (!stamped_ && contents != contents_) return std::nullopt;
  kept_contents_ = contents;
  File model = file->part(path_, head.begin(), file->size() - head.begin());
  model.map_as(Weights::kMapped);
  require(is_saved_model(model), ErrorCode::kInvalidModel, in_quotes(path_), " is damaged: it has no saved model");
  LoadedModel loaded = load_saved_model(model);
  loaded.info.file = program_;
  loaded.info.passed_over = passed_over_;
  loaded.files = files_;
  if (const int used = open_plain_to_read(path_); used >= 0) {
    mark_used(used);
    close_file(used);
  }
  return loaded;
}

void ModelCache::keep(const Model& model) const noexcept try {
  const PackedWeights& packed = model.program()->packed();
  const bool newer_stamps = !stamped_ && !stamps_.empty();
  if (found_ && packed.bytes() == 0 && !newer_stamps) return;
  const std::string& contents = found_ ? kept_contents_ : contents_;
  if (contents.empty()) return;
  require(make_folders(folder_), ErrorCode::kIo, "the folder cannot be made: ", std::strerror(errno));
  CacheHead head{{}, key_.size(), stamps_.size(), contents.size()};
  std::memcpy(head.magic, kCacheMagic, sizeof(kCacheMagic));
  std::string before(reinterpret_cast<const char*>(&head), sizeof(head));
  before.append(key_).append(stamps_).append(contents);
  before.resize(head.begin());
  const std::vector<PackedConstants> all = packed.all();
  write_saved_model(path_, model.program()->graph(), model.info(), saving_record_of(model), all, {},
                    {.before = {reinterpret_cast<const uint8_t*>(before.data()), before.size()},
                     .whom = NewFile::For::kOwner,
                     .most_bytes = bytes_});
  trim_kept_files(folder_, kCachedEnding, bytes_, path_);
} catch (const Error& e) {
  warn_once(folder_, e.text());
} catch (...) {
  warn_once(folder_, "there is no memory to write it");
}

}  // namespace coracle::internal
