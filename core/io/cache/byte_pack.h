// SPDX-License-Identifier: GPL-3.0-or-later
// Serializes numbers, texts, lists and structs. A function template `describe(archive, value)` lists the
// members of a struct once; Packer and Unpacker use it to write and read them in that order. Numbers are in
// native byte order. An Unpacker never reads out of bounds: missing values become 0 or empty, and ok() is
// false afterwards.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace rankscope {

// T is Struct (reading) or const Struct (writing).
template <class T, class Struct>
concept Described = std::same_as<std::remove_const_t<T>, Struct>;

template <class T>
concept PackedNumber = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class Packer {
 public:
  [[nodiscard]] const std::string& bytes() const { return m_bytes; }

  template <class... Values> void operator()(const Values&... values) { (add(values), ...); }

  template <PackedNumber T> void add(const T& value) {
    m_bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void add(const std::string& text) {
    add(std::uint64_t{text.size()});
    m_bytes += text;
  }
  template <class T> void add(const std::optional<T>& value) {
    add(value.has_value());
    if (value) add(*value);
  }
  template <class T> void add(const std::vector<T>& values) {
    add(std::uint64_t{values.size()});
    if constexpr (PackedNumber<T>) {
      m_bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    } else {
      for (const T& value : values) add(value);
    }
  }
  template <class T>
  requires(!PackedNumber<T>) void add(const T& value) { describe(*this, value); }

 private:
  std::string m_bytes;
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : m_rest(bytes) {}

  // Whether all values so far were present.
  [[nodiscard]] bool ok() const { return m_ok; }
  [[nodiscard]] bool atEnd() const { return m_rest.empty(); }

  template <class... Values> void operator()(Values&... values) { (get(values), ...); }

  template <PackedNumber T> void get(T& value) {
    const std::string_view bytes = next(sizeof value);
    value = T{};
    if constexpr (std::same_as<T, bool>) {
      value = !bytes.empty() && bytes.front() != 0;
    } else {
      if (!bytes.empty()) std::memcpy(&value, bytes.data(), bytes.size());
    }
  }
  void get(std::string& text) { text = next(count()); }
  template <class T> void get(std::optional<T>& value) {
    bool has = false;
    get(has);
    value.reset();
    if (has) get(value.emplace());
  }
  template <class T> void get(std::vector<T>& values) {
    const std::uint64_t size = count();
    values.clear();
    if constexpr (PackedNumber<T>) {
      const std::string_view bytes = next(size * sizeof(T));
      values.resize(bytes.size() / sizeof(T));
      if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    } else {
      for (std::uint64_t i = 0; i < size && m_ok; ++i) get(values.emplace_back());
    }
  }
  template <class T>
  requires(!PackedNumber<T>) void get(T& value) { describe(*this, value); }

 private:
  // The next bytes; empty if there are fewer.
  std::string_view next(std::uint64_t size) {
    if (size > m_rest.size()) m_ok = false;
    if (!m_ok) return {};
    const std::string_view bytes = m_rest.substr(0, size);
    m_rest.remove_prefix(size);
    return bytes;
  }
  // Number of list elements; rejects more than there are bytes, so damage causes no large allocation.
  std::uint64_t count() {
    std::uint64_t size = 0;
    get(size);
    if (size > m_rest.size()) m_ok = false;
    return m_ok ? size : 0;
  }

  std::string_view m_rest;
  bool m_ok = true;
};

} // namespace rankscope
