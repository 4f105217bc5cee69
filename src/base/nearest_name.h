// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace coracle::internal {

/// How many letters two words differ in: left out, added, exchanged for another or for the next one.
inline size_t name_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

/// The one of `names` that was probably meant by a word that is none of them; empty where none is like it.
template <class Names>
std::string nearest_name(std::string_view word, const Names& names) {
  constexpr size_t kLongestWord = 64;
  if (word.size() > kLongestWord) return {};
  std::string best;
  size_t least = std::max<size_t>(1, word.size() / 3) + 1;
  for (const std::string_view name : names) {
    // The beginning of a longer name is one that was not finished.
    const bool begun = word.size() > 3 && name.starts_with(word);
    const size_t d = begun ? 1 : name_distance(word, name);
    if (d >= least) continue;
    least = d;
    best = name;
  }
  return best;
}

/// "; did you mean 'conv2d'?", or nothing where no name is like the word: for the end of a message.
template <class Names>
std::string suggestion(std::string_view word, const Names& names) {
  const std::string meant = nearest_name(word, names);
  return meant.empty() ? meant : "; did you mean '" + meant + "'?";
}

}  // namespace coracle::internal
