// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/kineto/argument_texts.h"

#include "core/io/files/file_bytes.h"
#include "core/io/json/json_scan.h"
#include "core/io/json/json_text.h"
#include "core/model/detail_source.h"

#include <algorithm>
#include <array>
#include <vector>

namespace rankscope {

namespace {

constexpr std::size_t kInflatedAtOnce = std::size_t{1} << 20;

constexpr std::array<std::string_view, 2> kInputShapeKeys{"Input Dims", "Input dims"};
constexpr std::array<std::string_view, 1> kCallStackKeys{"Call stack"};
constexpr std::array<std::string_view, 2> kGridAndBlockKeys{"grid", "block"};
constexpr std::array<std::string_view, 7> kOperatorInputKeys{
    "Input Dims",  "Input type",    "Concrete Inputs", "Sequence number",
    "kernel_flop", "kernel_num_gb", "Fwd thread id"};

// Reads the JSON text of a file at ascending positions.
class ForwardText {
 public:
  explicit ForwardText(const FileBytes& file) : m_file(file) {
    if (file.compressed()) m_inflater.emplace(file.bytes());
  }

  // At least `length` bytes from `textAt`; fewer only at the end of the text. Valid until the next call.
  [[nodiscard]] std::string_view from(std::uint64_t textAt, std::size_t length) {
    if (!m_inflater) {
      const std::string_view all(m_file.bytes().data(), m_file.bytes().size());
      return textAt < all.size() ? all.substr(textAt) : std::string_view();
    }
    while (!m_ended && textAt + length > m_windowAt + m_window.size()) slide(textAt);
    if (textAt < m_windowAt || textAt >= m_windowAt + m_window.size()) return {};
    return std::string_view(m_window.data(), m_window.size()).substr(textAt - m_windowAt);
  }

 private:
  // Drops the text before textAt and decompresses more after the window.
  void slide(std::uint64_t textAt) {
    const std::uint64_t done =
        std::min<std::uint64_t>(textAt - std::min(textAt, m_windowAt), m_window.size());
    m_window.erase(m_window.begin(), m_window.begin() + static_cast<std::ptrdiff_t>(done));
    m_windowAt += done;
    const std::size_t known = m_window.size();
    m_window.resize(known + kInflatedAtOnce);
    const std::size_t read = m_inflater->read({m_window.data() + known, kInflatedAtOnce});
    m_window.resize(known + read);
    m_ended = read < kInflatedAtOnce;
  }

  const FileBytes& m_file;
  std::optional<Inflater> m_inflater;
  std::vector<char> m_window;
  std::uint64_t m_windowAt = 0;
  bool m_ended = false;
};

// Calls visit(key, value token) for the members of an object's text until it returns true.
template <class Visit> void forEachMember(std::string_view object, Visit visit) {
  const char* at = object.data() + 1;
  const char* const end = object.data() + object.size();
  for (;;) {
    while (at < end && (isJsonSpace(*at) || *at == ',')) ++at;
    if (at >= end || *at != '"') return;
    const char* const keyEnd = skipJsonString(at, end);
    if (keyEnd == nullptr) return;
    const std::string_view key(at + 1, static_cast<std::size_t>(keyEnd - at) - 2);
    at = skipJsonSpace(keyEnd, end);
    if (at == end || *at != ':') return;
    at = skipJsonSpace(at + 1, end);
    const char* const valueEnd = skipJsonValue(at, end);
    if (valueEnd > end) return;
    if (visit(key, trimmedToken({at, static_cast<std::size_t>(valueEnd - at)}))) return;
    at = valueEnd;
  }
}

std::string plainText(std::string_view token) {
  if (isQuoted(token)) return unescaped(insideQuotes(token));
  std::string text;
  bool inString = false;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] == '"' && (i == 0 || token[i - 1] != '\\')) inString = !inString;
    if (!inString && isJsonSpace(token[i])) continue;
    text += token[i];
    if (!inString && token[i] == ',') text += ' ';
  }
  return text;
}

// Calls visit(key, value token) for the event's arguments until it returns true.
template <class Visit> void forEachArgument(std::string_view event, Visit visit) {
  forEachMember(event, [&](std::string_view key, std::string_view value) {
    if (key != "args" || !value.starts_with('{')) return false;
    forEachMember(value, visit);
    return true;
  });
}

// The first value of one of the keys; empty if there is none.
std::string firstOf(std::string_view event, std::span<const std::string_view> keys) {
  std::string_view found;
  forEachArgument(event, [&](std::string_view key, std::string_view token) {
    if (std::ranges::find(keys, key) == keys.end()) return false;
    found = token;
    return true;
  });
  return found.empty() ? std::string() : plainText(found);
}

// The token of the first of the keys, without looking at what comes after it; empty if the event has none of
// them, nothing if the text ends before that is known.
std::optional<std::string_view> firstTokenOf(std::string_view event, std::span<const std::string_view> keys) {
  bool inArguments = false;
  const char* at = event.data() + 1;
  const char* const end = event.data() + event.size();
  for (;;) {
    while (at < end && (isJsonSpace(*at) || *at == ',')) ++at;
    if (at < end && *at == '}') return std::string_view();
    if (at >= end || *at != '"') return std::nullopt;
    const char* const keyEnd = skipJsonString(at, end);
    if (keyEnd == nullptr) return std::nullopt;
    const std::string_view key(at + 1, static_cast<std::size_t>(keyEnd - at) - 2);
    at = skipJsonSpace(keyEnd, end);
    if (at == end || *at != ':') return std::nullopt;
    at = skipJsonSpace(at + 1, end);
    if (at == end) return std::nullopt;
    if (!inArguments && key == "args" && *at == '{') {
      inArguments = true;
      ++at;
      continue;
    }
    const char* const valueEnd = skipJsonValue(at, end);
    if (valueEnd > end) return std::nullopt;
    if (inArguments && std::ranges::find(keys, key) != keys.end())
      return trimmedToken({at, static_cast<std::size_t>(valueEnd - at)});
    at = valueEnd;
  }
}

// Empty where a key is missing.
std::vector<std::string_view> tokensOf(std::string_view event, std::span<const std::string_view> keys) {
  std::vector<std::string_view> found(keys.size());
  forEachArgument(event, [&](std::string_view key, std::string_view token) {
    if (key == "Input dims") key = "Input Dims"; // of 2020
    const auto at = std::ranges::find(keys, key);
    if (at != keys.end()) found[static_cast<std::size_t>(at - keys.begin())] = token;
    return false;
  });
  return found;
}

// Empty when there is none of them.
std::string eachOf(std::string_view event, std::span<const std::string_view> keys) {
  const std::vector<std::string_view> found = tokensOf(event, keys);
  if (std::ranges::all_of(found, &std::string_view::empty)) return {};
  std::string text;
  for (const std::string_view token : found) {
    if (!token.empty()) text += plainText(token);
    text += kFieldEnd;
  }
  text.pop_back();
  return text;
}

std::string allOf(std::string_view event, std::span<const std::string_view> keys) {
  const std::vector<std::string_view> found = tokensOf(event, keys);
  std::string text;
  for (const std::string_view token : found) {
    if (token.empty()) continue;
    if (!text.empty()) text += " · ";
    text += plainText(token);
  }
  return text;
}

// Text of the event's object; empty if it does not begin there or is incomplete.
std::string_view eventAt(ForwardText& text, std::uint64_t textAt) {
  for (std::size_t length = kFirstGuess; length <= kMaxEventBytes; length *= 16) {
    const std::string_view rest = text.from(textAt, length);
    if (!rest.starts_with('{')) return {};
    const std::string_view guess = rest.substr(0, length);
    const char* const after = skipJsonValue(guess.data(), guess.data() + guess.size());
    if (after <= guess.data() + guess.size())
      return guess.substr(0, static_cast<std::size_t>(after - guess.data()));
    if (guess.size() < length) return {};
  }
  return {};
}

} // namespace

std::optional<Error> readArguments(const std::string& path, std::span<const SourceRef> sources,
                                   std::span<const std::string_view> keys,
                                   const std::function<void(std::size_t, std::string_view)>& take,
                                   const Progress* progress, SeveralKeys several) {
  auto file = FileBytes::open(path);
  if (!file) return file.error();
  ForwardText text(*file);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (progress != nullptr && progress->cancelled()) return std::nullopt;
    if (several == SeveralKeys::FirstWritten) {
      // Most events are short, and what comes before the argument is all that needs to be scanned.
      const std::string_view begin = text.from(sources[i].readerBits(), kFirstGuess).substr(0, kFirstGuess);
      const auto token = begin.starts_with('{') ? firstTokenOf(begin, keys) : std::nullopt;
      if (token) {
        if (const std::string argument = plainText(*token); !argument.empty()) take(i, argument);
        continue;
      }
    }
    const std::string_view event = eventAt(text, sources[i].readerBits());
    if (event.empty()) continue;
    const std::string argument = several == SeveralKeys::Joined ? allOf(event, keys)
                                 : several == SeveralKeys::Each ? eachOf(event, keys)
                                                                : firstOf(event, keys);
    if (!argument.empty()) take(i, argument);
  }
  return std::nullopt;
}

std::span<const std::string_view> inputShapeKeys() {
  return kInputShapeKeys;
}

std::span<const std::string_view> callStackKeys() {
  return kCallStackKeys;
}

std::span<const std::string_view> operatorInputKeys() {
  return kOperatorInputKeys;
}

std::span<const std::string_view> gridAndBlockKeys() {
  return kGridAndBlockKeys;
}

} // namespace rankscope
