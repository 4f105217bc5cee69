// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

namespace coracle::internal::text_detail {
namespace {

void append_word(std::string& to, Part part, uint64_t word) {
  const auto* const address = reinterpret_cast<const void*>(static_cast<uintptr_t>(word));
  switch (part) {
    case Part::kText: to.append(static_cast<const char*>(address)); break;
    case Part::kView: to.append(*static_cast<const std::string_view*>(address)); break;
    case Part::kString: to.append(*static_cast<const std::string*>(address)); break;
    case Part::kCharacter: to.push_back(static_cast<char>(word)); break;
    case Part::kBool: append_text(to, word != 0); break;
    case Part::kSigned: append_text(to, static_cast<int64_t>(word)); break;
    case Part::kUnsigned: append_text(to, word); break;
    case Part::kReal: append_text(to, std::bit_cast<double>(word)); break;
    case Part::kType: append_text(to, static_cast<DType>(word)); break;
    case Part::kOther: {
      const auto& other = *static_cast<const Appender*>(address);
      other.append(to, other.part);
      break;
    }
  }
}

}  // namespace

std::string join(const char* parts, const uint64_t* words) {
  std::string out;
  for (int i = 0; i < parts[0]; ++i) append_word(out, static_cast<Part>(parts[i + 1]), words[i]);
  return out;
}

void fail_with(ErrorCode code, const char* parts, const uint64_t* words) { throw Error(code, join(parts, words)); }

}  // namespace coracle::internal::text_detail
