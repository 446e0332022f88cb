// SPDX-License-Identifier: GPL-3.0-or-later
// A constant array. Its memory is a vector moved in, or belongs to another owner such as a mapped file.
// Copies share the memory. Elements are accessed by position or by a strong index. To change the values
// before the column is shared: take() the vector, modify it and assign a new Column.
#pragma once

#include "core/base/strong_index.h"

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace rankscope {

template <class T> class Column {
 public:
  using value_type = T;
  using const_iterator = const T*;

  Column() = default;
  explicit Column(std::vector<T> values) {
    auto owner = std::make_shared<std::vector<T>>(std::move(values));
    m_values = std::span<const T>(*owner);
    m_vector = owner.get();
    m_owner = std::move(owner);
  }
  Column(std::span<const T> values, std::shared_ptr<const void> owner)
      : m_values(values), m_owner(std::move(owner)) {}
  Column(const Column&) = default;
  Column& operator=(const Column&) = default;
  Column(Column&& other) noexcept { swap(other); }
  Column& operator=(Column&& other) noexcept {
    Column(std::move(other)).swap(*this);
    return *this;
  }
  ~Column() = default;

  [[nodiscard]] std::size_t size() const { return m_values.size(); }
  [[nodiscard]] bool empty() const { return m_values.empty(); }
  [[nodiscard]] const T* data() const { return m_values.data(); }
  [[nodiscard]] const T* begin() const { return m_values.data(); }
  [[nodiscard]] const T* end() const { return m_values.data() + m_values.size(); }
  [[nodiscard]] const T& front() const { return m_values.front(); }
  [[nodiscard]] const T& back() const { return m_values.back(); }
  [[nodiscard]] std::span<const T> span() const { return m_values; }
  [[nodiscard]] const T& operator[](std::size_t index) const { return m_values[index]; }
  template <class Tag> [[nodiscard]] const T& operator[](StrongIndex<Tag> index) const {
    return m_values[index.value];
  }

  // Moves the values out as a vector and leaves the column empty. Copies them if they are shared or mapped.
  [[nodiscard]] std::vector<T> take() {
    Column mine(std::move(*this));
    if (mine.m_vector != nullptr && mine.m_owner.use_count() == 1) return std::move(*mine.m_vector);
    return {mine.begin(), mine.end()};
  }

  void swap(Column& other) noexcept {
    std::swap(m_values, other.m_values);
    std::swap(m_owner, other.m_owner);
    std::swap(m_vector, other.m_vector);
  }

 private:
  std::span<const T> m_values;
  std::shared_ptr<const void> m_owner;
  std::vector<T>* m_vector = nullptr; // the owner, if it is a vector
};

} // namespace rankscope
