// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>

namespace coracle::internal {

/// A table that code writes, for a library whose size counts. In a shared library, an address among constants takes 32
/// bytes: its own 8, and 24 that tell the loader to adjust it. The instructions that write it take about 11, and what
/// is zero takes none.
///
/// kFrom is the constant array, of which nothing but the instructions remains. Next to the type of its elements stands
///   template <const auto& kFrom, size_t kIndex> void write_constant(Element& to);
/// which copies the members of kFrom[kIndex] to an element of zeros, each as a constant.
template <const auto& kFrom>
class WrittenTable {
 public:
  using Element = std::remove_cvref_t<decltype(kFrom[0])>;

  /// Where the elements are, once they have been written.
  static constexpr std::span<const Element> elements() { return {&places_[0].element, std::size(kFrom)}; }
  /// Writes them: before anybody looks at one, and by one thread. Again it changes nothing.
  static void write() noexcept { write_all(std::make_index_sequence<std::size(kFrom)>()); }

 private:
  static_assert(std::is_trivially_destructible_v<Element>);

  /// An element that is zero, whatever its members are by default.
  union Place {
    char zero = 0;
    Element element;
  };
  static_assert(sizeof(Place) == sizeof(Element));

  template <size_t... kIndex>
  static void write_all(std::index_sequence<kIndex...> /*all*/) noexcept {
    (write_constant<kFrom, kIndex>(places_[kIndex].element), ...);
  }

  static inline constinit Place places_[std::size(kFrom)] = {};
};

}  // namespace coracle::internal
