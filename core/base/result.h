// SPDX-License-Identifier: GPL-3.0-or-later
// Errors of reading and writing are values. An Error names the file, the byte offset and the reason; a Result
// is either a value or an Error. Exceptions are thrown only for what callers cannot handle, in practice out
// of memory; base/caught.h converts them to an Error at the end of a worker or program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace rankscope {

enum class ErrorKind : std::uint8_t {
  Io,
  Format,
  NotATrace, // a valid file, but not a recording
  Unsupported,
  Cancelled,
  OutOfMemory,
  Fault // an internal error of the program
};

struct Error {
  ErrorKind kind = ErrorKind::Io;
  std::string message;
  std::string file;
  std::optional<std::uint64_t> byteOffset;

  // One line for the user: "file: byte 123: reason".
  [[nodiscard]] std::string text() const {
    std::string line = file;
    if (byteOffset) line += (line.empty() ? "byte " : ": byte ") + std::to_string(*byteOffset);
    if (!line.empty()) line += ": ";
    return line + message;
  }
};

template <class T> class [[nodiscard]] Result {
 public:
  Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const { return m_state.index() == 0; }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] T& value() & { return std::get<0>(m_state); }
  [[nodiscard]] const T& value() const& { return std::get<0>(m_state); }
  [[nodiscard]] T&& value() && { return std::get<0>(std::move(m_state)); }
  [[nodiscard]] T& operator*() & { return value(); }
  [[nodiscard]] const T& operator*() const& { return value(); }
  [[nodiscard]] T* operator->() { return &value(); }
  [[nodiscard]] const T* operator->() const { return &value(); }

  [[nodiscard]] const Error& error() const { return std::get<1>(m_state); }

 private:
  std::variant<T, Error> m_state;
};

} // namespace rankscope
