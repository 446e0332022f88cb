// SPDX-License-Identifier: GPL-3.0-or-later
// The arguments of a program as typed, without credentials in addresses: these are kept aside, so that no
// message, list or file can have them.
#pragma once

#include "core/io/remote/remote_credentials.h"

#include <string>
#include <vector>

namespace rankscope {

class TypedArguments {
 public:
  TypedArguments(int count, char** typed) {
    m_words.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
      m_words.push_back(i == 0 ? std::string(typed[i]) : keepingCredentialsOfArgument(typed[i]));
    m_pointers.reserve(m_words.size() + 1);
    for (std::string& word : m_words) m_pointers.push_back(word.data());
    m_pointers.push_back(nullptr);
  }

  [[nodiscard]] int count() const { return static_cast<int>(m_words.size()); }
  [[nodiscard]] char** words() { return m_pointers.data(); }

 private:
  std::vector<std::string> m_words;
  std::vector<char*> m_pointers;
};

} // namespace rankscope
