// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pickle/json_values.h"

#include "core/io/json/json_text.h"
#include "core/io/json/json_walk.h"

#include <string_view>
#include <vector>

namespace rankscope {

namespace {

constexpr int kDeepest = 32;
static_assert(kJsonPadding >= JsonStructure::kPadding);

class JsonTreeBuilder {
 public:
  explicit JsonTreeBuilder(ValueTree& tree) : m_tree(tree) {}

  // kNoValue if the text is damaged or too deep.
  ValueId value(JsonCursor& at, int depth) {
    if (at.atEnd() || depth > kDeepest) return kNoValue;
    if (at.here() == '{') return object(at, depth);
    if (at.here() == '[') return list(at, depth);
    return scalar(trimmedToken(at.value()));
  }

 private:
  ValueId object(JsonCursor& at, int depth) {
    const ValueId id = m_tree.addContainer(ValueKind::Dict);
    std::vector<ValueId> items;
    const bool whole = at.eachMember([&](const char* key, JsonCursor& member) {
      const char* end = key;
      while (*end != '"') end += *end == '\\' ? 2 : 1;
      const std::string_view name(key, static_cast<std::size_t>(end - key));
      const ValueId nameId = textOf(name);
      const ValueId item = value(member, depth + 1);
      if (item == kNoValue) return false;
      items.push_back(nameId);
      items.push_back(item);
      return true;
    });
    if (!whole) return kNoValue;
    m_tree.append(id, items.data(), static_cast<std::uint32_t>(items.size()));
    return id;
  }

  ValueId list(JsonCursor& at, int depth) {
    const ValueId id = m_tree.addContainer(ValueKind::List);
    std::vector<ValueId> items;
    const bool whole = at.eachItem([&](JsonCursor& element) {
      items.push_back(value(element, depth + 1));
      return items.back() != kNoValue;
    });
    if (!whole) return kNoValue;
    m_tree.append(id, items.data(), static_cast<std::uint32_t>(items.size()));
    return id;
  }

  ValueId textOf(std::string_view inside) {
    return inside.find('\\') == std::string_view::npos ? m_tree.addText(inside)
                                                       : m_tree.addOwnText(unescaped(inside));
  }

  ValueId scalar(std::string_view token) {
    if (token.empty()) return kNoValue;
    if (isQuoted(token)) return textOf(insideQuotes(token));
    if (token == "null") return m_tree.addNone();
    if (token == "true" || token == "false") return m_tree.addBool(token == "true");
    if (const auto whole = signedFromToken(token)) return m_tree.addInteger(*whole);
    if (const auto number = doubleFromToken(token)) return m_tree.addReal(*number);
    return kNoValue;
  }

  ValueTree& m_tree;
};

} // namespace

Result<JsonValues> readJsonValues(const char* text, std::size_t length) {
  JsonStructure structure;
  if (!structure.index(text, length)) return Error{ErrorKind::Format, "not valid JSON", {}, std::nullopt};
  JsonValues read;
  JsonCursor at = structure.cursor();
  read.root = JsonTreeBuilder(read.values).value(at, 0);
  if (read.root == kNoValue)
    return Error{ErrorKind::Format,
                 "not valid JSON, or nested deeper than 32 levels",
                 {},
                 static_cast<std::uint64_t>(at.place() - text)};
  return read;
}

} // namespace rankscope
