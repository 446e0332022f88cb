// SPDX-License-Identifier: GPL-3.0-or-later
// Converts exceptions to Error. Thread entry points and main of both programs use it, so that running out of
// memory is reported as a message and does not terminate the program.
#pragma once

#include "core/base/result.h"

#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace rankscope {

// Describes the exception that is being handled. toDo names the failed action, as in "to read this file".
// Works when no memory is left. REQUIRES: called within a catch block.
[[nodiscard]] Error caughtError(std::string_view toDo = {}) noexcept;

namespace detail {
template <class T> struct Attempted { using Type = Result<T>; };
template <class T> struct Attempted<Result<T>> { using Type = Result<T>; };
template <> struct Attempted<void> { using Type = std::optional<Error>; };
template <> struct Attempted<std::optional<Error>> { using Type = std::optional<Error>; };
} // namespace detail

// The result of work(), or an Error if it throws: a Result, or optional<Error> for void work.
template <class Work> [[nodiscard]] auto attempt(Work&& work, std::string_view toDo = {}) noexcept {
  using T = std::invoke_result_t<Work>;
  using Answer = typename detail::Attempted<T>::Type;
  try {
    if constexpr (std::is_void_v<T>) {
      std::forward<Work>(work)();
      return Answer();
    } else {
      return Answer(std::forward<Work>(work)());
    }
  } catch (...) {
    return Answer(caughtError(toDo));
  }
}

} // namespace rankscope
