// SPDX-License-Identifier: Apache-2.0
// A plug-in for qemu-aarch64 (-plugin FILE,out=RESULT): counts the instructions of a program, by kind and by block.
// RESULT gets a line for each block that ran: how often, where it lies (file and offset in it), and its instructions in
// hexadecimal. Of several threads counts may be lost: programs run with one.
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

// QEMU's interface for plug-ins, version 1, of which Debian has no header.
extern "C" {
struct qemu_info_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
using qemu_plugin_id_t = uint64_t;
using TranslatedFunction = void (*)(qemu_plugin_id_t, qemu_plugin_tb*);
using EndFunction = void (*)(qemu_plugin_id_t, void*);

__attribute__((visibility("default"))) extern int qemu_plugin_version;
int qemu_plugin_version = 1;
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, TranslatedFunction function);
void qemu_plugin_register_vcpu_tb_exec_inline(qemu_plugin_tb* block, int operation, void* number, uint64_t by);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, EndFunction function, void* user);
size_t qemu_plugin_tb_n_insns(const qemu_plugin_tb* block);
qemu_plugin_insn* qemu_plugin_tb_get_insn(const qemu_plugin_tb* block, size_t index);
const void* qemu_plugin_insn_data(const qemu_plugin_insn* instruction);
void* qemu_plugin_insn_haddr(const qemu_plugin_insn* instruction);
__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info, int count,
                                                               char** arguments);
}

namespace {

struct Block {
  uint64_t runs = 0;
  uintptr_t address = 0;  // in this process
  std::vector<uint32_t> instructions;
};

struct State {
  std::mutex mutex;
  std::vector<std::unique_ptr<Block>> blocks;
  std::string result;
};

State& state() {
  static State the_state;
  return the_state;
}

// The part of a file that is mapped at [begin, end).
struct Mapping {
  uintptr_t begin = 0;
  uintptr_t end = 0;
  uintptr_t offset = 0;
  std::string file;
};

std::vector<Mapping> mappings() {
  std::vector<Mapping> all;
  FILE* maps = fopen("/proc/self/maps", "r");
  char line[4096];
  while (maps != nullptr && fgets(line, sizeof(line), maps) != nullptr) {
    Mapping m;
    char file[4096] = "";
    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %" SCNxPTR " %*s %*s %4095s", &m.begin, &m.end, &m.offset, file) <
        3) {
      continue;
    }
    m.file = file;
    all.push_back(m);
  }
  if (maps != nullptr) fclose(maps);
  return all;
}

void translated(qemu_plugin_id_t /*id*/, qemu_plugin_tb* from) {
  auto block = std::make_unique<Block>();
  const size_t count = qemu_plugin_tb_n_insns(from);
  for (size_t i = 0; i < count; ++i) {
    const qemu_plugin_insn* instruction = qemu_plugin_tb_get_insn(from, i);
    if (i == 0) block->address = reinterpret_cast<uintptr_t>(qemu_plugin_insn_haddr(instruction));
    uint32_t word = 0;
    memcpy(&word, qemu_plugin_insn_data(instruction), sizeof(word));
    block->instructions.push_back(word);
  }
  qemu_plugin_register_vcpu_tb_exec_inline(from, 0, &block->runs, 1);
  const std::lock_guard lock(state().mutex);
  state().blocks.push_back(std::move(block));
}

void ended(qemu_plugin_id_t /*id*/, void* /*user*/) {
  const std::lock_guard lock(state().mutex);
  FILE* to = fopen(state().result.c_str(), "w");
  if (to == nullptr) return perror(state().result.c_str());
  const std::vector<Mapping> all = mappings();
  for (const std::unique_ptr<Block>& block : state().blocks) {
    if (block->runs == 0) continue;
    const Mapping* in = nullptr;
    for (const Mapping& m : all) {
      if (m.begin <= block->address && block->address < m.end) in = &m;
    }
    fprintf(to, "%" PRIu64 " %s %" PRIxPTR, block->runs, in != nullptr && !in->file.empty() ? in->file.c_str() : "-",
            in != nullptr ? block->address - in->begin + in->offset : block->address);
    for (const uint32_t word : block->instructions) fprintf(to, " %08" PRIx32, word);
    fprintf(to, "\n");
  }
  fclose(to);
}

}  // namespace

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* /*info*/, int count, char** arguments) {
  for (int i = 0; i < count; ++i) {
    if (strncmp(arguments[i], "out=", 4) == 0) state().result = arguments[i] + 4;
  }
  if (state().result.empty()) {
    fprintf(stderr, "instruction_counter: out=FILE is missing\n");
    return -1;
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  qemu_plugin_register_atexit_cb(id, ended, nullptr);
  return 0;
}
