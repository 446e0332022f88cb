// SPDX-License-Identifier: GPL-3.0-or-later
// Exceptions as an Error. Code that runs work on a separate thread, and both programs' main, end it
// with one of these, so that running out of memory is a message and never ends the program.
#pragma once

#include "core/base/result.h"

#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace rankscope {

// Of the exception that is being handled. toDo names the failed action, as in "to read this file". Needs no
// memory when there is none. REQUIRES: within a handler.
[[nodiscard]] Error caughtError(std::string_view toDo = {}) noexcept;

namespace detail {
template <class T> struct Attempted { using Type = Result<T>; };
template <class T> struct Attempted<Result<T>> { using Type = Result<T>; };
template <> struct Attempted<void> { using Type = std::optional<Error>; };
template <> struct Attempted<std::optional<Error>> { using Type = std::optional<Error>; };
} // namespace detail

// What work() gives, or an Error for what it throws: a Result, or where nothing is given an optional Error.
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
