// SPDX-License-Identifier: GPL-3.0-or-later
// Serializes numbers, texts, lists and structs. A function template `describe(archive, value)` lists the
// members of a struct once; Packer and Unpacker use it to write and read them in that order. Numbers are in
// native byte order. An Unpacker never reads out of bounds: missing values become 0 or empty, and ok() is
// false afterwards. An archive with overloads of its own derives from BasicPacker or BasicUnpacker, with
// itself as Self.
#pragma once

#include "core/base/strong_index.h"
#include "core/base/time_range.h"

#include <array>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace rankscope {

// T is Struct (reading) or const Struct (writing).
template <class T, class Struct>
concept Described = std::same_as<std::remove_const_t<T>, Struct>;

template <class T>
concept PackedNumber = std::is_arithmetic_v<T> || std::is_enum_v<T>;

template <class Archive, class Tag> void describe(Archive& archive, const StrongIndex<Tag>& index) {
  archive(index.value);
}
template <class Archive, class Tag> void describe(Archive& archive, StrongIndex<Tag>& index) {
  archive(index.value);
}

template <class Archive, Described<TimeRange> T> void describe(Archive& archive, T& range) {
  auto& [begin, end] = range;
  archive(begin, end);
}

template <class Self> class BasicPacker {
 public:
  [[nodiscard]] const std::string& bytes() const { return m_bytes; }
  [[nodiscard]] std::string takeBytes() { return std::move(m_bytes); }

  template <class... Values> void operator()(const Values&... values) { (self().add(values), ...); }

  template <PackedNumber T> void add(const T& value) {
    m_bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void add(const std::string& text) {
    add(std::uint64_t{text.size()});
    m_bytes += text;
  }
  template <class T> void add(const std::optional<T>& value) {
    add(value.has_value());
    if (value) self().add(*value);
  }
  template <class T> void add(const std::vector<T>& values) {
    add(std::uint64_t{values.size()});
    if constexpr (PackedNumber<T>) {
      m_bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    } else {
      for (const T& value : values) self().add(value);
    }
  }
  template <class T, std::size_t Count> void add(const std::array<T, Count>& values) {
    for (const T& value : values) self().add(value);
  }
  template <class T>
  requires(!PackedNumber<T>) void add(const T& value) { describe(self(), value); }

 private:
  [[nodiscard]] Self& self() { return static_cast<Self&>(*this); }

  std::string m_bytes;
};

class Packer : public BasicPacker<Packer> {};

template <class Self> class BasicUnpacker {
 public:
  explicit BasicUnpacker(std::string_view bytes) : m_rest(bytes) {}

  // Whether all values so far were present.
  [[nodiscard]] bool ok() const { return m_ok; }
  [[nodiscard]] bool atEnd() const { return m_rest.empty(); }

  template <class... Values> void operator()(Values&... values) { (self().get(values), ...); }

  template <PackedNumber T> void get(T& value) {
    const std::string_view bytes = next(sizeof value);
    value = T{};
    if constexpr (std::same_as<T, bool>) {
      value = !bytes.empty() && bytes.front() != 0;
    } else {
      if (!bytes.empty()) std::memcpy(&value, bytes.data(), bytes.size());
      if constexpr (std::is_enum_v<T>) self().check(value);
    }
  }
  void get(std::string& text) { text = next(count()); }
  // A text without copying it.
  void get(std::string_view& text) { text = next(count()); }
  template <class T> void get(std::optional<T>& value) {
    bool has = false;
    get(has);
    value.reset();
    if (has) self().get(value.emplace());
  }
  template <class T> void get(std::vector<T>& values) {
    const std::uint64_t size = count();
    values.clear();
    if constexpr (PackedNumber<T>) {
      const std::string_view bytes = next(size * sizeof(T));
      values.resize(bytes.size() / sizeof(T));
      if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    } else {
      for (std::uint64_t i = 0; i < size && m_ok; ++i) self().get(values.emplace_back());
      values.shrink_to_fit(); // results of thousands of ranks are read so
    }
  }
  template <class T, std::size_t Count> void get(std::array<T, Count>& values) {
    for (T& value : values) self().get(value);
  }
  template <class T>
  requires(!PackedNumber<T>) void get(T& value) { describe(self(), value); }

  // Enumerators are taken as they are; an archive may refuse those that do not exist.
  template <class T> void check(T& /*value*/) {}

 protected:
  void fail() { m_ok = false; }

 private:
  [[nodiscard]] Self& self() { return static_cast<Self&>(*this); }

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

class Unpacker : public BasicUnpacker<Unpacker> {
 public:
  using BasicUnpacker::BasicUnpacker;
};

} // namespace rankscope
