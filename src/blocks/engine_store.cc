// SPDX-License-Identifier: Apache-2.0
#include "blocks/engine_store.h"

#include "base/crc32.h"
#include "base/log.h"
#include "base/printable.h"
#include "blocks/engine_key.h"

namespace coracle::internal {

const std::vector<SavedCompiled>& EngineStore::in_file(const Graph& region) const {
  static const std::vector<SavedCompiled> kNone;
  const auto found = in_file_.find(&region);
  return found == in_file_.end() ? kNone : found->second;
}

/// Once: blocks of a file are of one making.
void EngineStore::log_unfit(const UsedEngine& used, std::string_view reason) {
  if (told_.exchange(true)) return;
  log(LogLevel::kWarning, "the block that the model's file has compiled for ", used.name,
      " cannot be used and is compiled again: ", printable(reason));
}

/// Null where the file has none of use.
std::shared_ptr<const CompiledBlock> EngineStore::load_of_file(const UsedEngine& used, const BlockToCompile& block,
                                                               const SavedCompiled::Key& key) {
  for (const SavedCompiled& c : in_file(block.graph)) {
    if (c.key != key) {
      if (const std::string version = used.engine->version(); c.version != version) {
        log_unfit(used, text("it is of ", c.version, ", this is ", version));
      } else if (const std::string processor = processor_name(); c.processor != processor) {
        log_unfit(used, text("it is for ", c.processor, ", this is ", processor));
      }
      continue;  // sizes, threads and options differ from run to run
    }
    const uint32_t checksum = crc32(c.content());
    if (checksum != c.checksum) {
      log_unfit(used, text("it is damaged: the checksum is ", checksum, ", expected ", c.checksum));
      continue;
    }
    try {
      return used.engine->load(block,
                               Tensor::share(DType::kUint8, {static_cast<int64_t>(c.bytes)}, c.data, c.data.get()));
    } catch (const std::exception& e) {
      log_unfit(used, e.what());
    }
  }
  return nullptr;
}

/// Null where the cache has none of use.
std::shared_ptr<const CompiledBlock> EngineStore::load_kept(const UsedEngine& used, const BlockToCompile& block,
                                                            const std::string& key) const {
  const std::optional<Tensor> saved = cache_.find(key);
  if (!saved) return nullptr;
  try {
    return used.engine->load(block, *saved);
  } catch (const std::exception& e) {
    log(LogLevel::kInfo, "a block for ", used.name,
        " is compiled again, the cached one cannot be used: ", printable(e.what()));
    return nullptr;
  }
}

EngineStore::Made EngineStore::make(const UsedEngine& used, const BlockToCompile& of_run, const RunContext& context) {
  BlockToCompile block = of_run;
  block.context = &context;
  if (!used.engine->saves_blocks()) return {.block = used.engine->compile(block)};
  const std::string key = engine_key(*used.engine, block);
  Made made{.block = nullptr, .key = sum_of(key)};
  made.block = load_of_file(used, block, made.key);
  if (made.block == nullptr) made.block = load_kept(used, block, key);
  if (made.block != nullptr) return made;
  // One process compiles what many need. One that is late compiles too: the other may have been stopped.
  const FileCache::Lock lock = cache_.lock(key, waits_, context);
  context.check();
  if (lock.state() == FileCache::Lock::State::kLate && waits_.exchange(false)) {
    log(LogLevel::kInfo, "a block for ", used.name,
        " is compiled here: another process did not finish compiling it in time");
  }
  if (lock.waited()) made.block = load_kept(used, block, key);
  if (made.block != nullptr) return made;
  made.block = used.engine->compile(block);
  if (!cache_.on()) return made;
  try {
    cache_.keep(key, made.block->save());
  } catch (const std::exception& e) {
    log(LogLevel::kInfo, "a block of ", used.name, " is not cached on disk: ", printable(e.what()));
  }
  return made;
}

SavedCompiled saved_form(const UsedEngine& used, const EngineStore::Made& made) {
  SavedCompiled saved{.version = used.engine->version(), .processor = processor_name(), .key = made.key};
  const auto bytes = std::make_shared<const std::vector<uint8_t>>(made.block->save());
  saved.checksum = crc32(*bytes);
  saved.bytes = bytes->size();
  saved.data = std::shared_ptr<const void>(bytes, bytes->data());
  return saved;
}

}  // namespace coracle::internal
