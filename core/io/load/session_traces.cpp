// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/load/session_traces.h"

#include "core/base/number_ranges.h"
#include "core/io/files/file_bytes.h"
#include "core/io/files/text_source.h"
#include "core/io/json/json_text.h"
#include "core/io/json/json_walk.h"
#include "core/io/load/remote_traces.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <system_error>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".rankscope";
constexpr std::uint64_t kMaxBytes = std::uint64_t{64} << 20;

// key: first byte after the opening quote.
bool isKey(const char* key, std::string_view name) {
  return std::string_view(key, name.size()) == name && key[name.size()] == '"';
}

struct Session {
  bool marked = false; // whether the file says that it is a session
  std::vector<std::string> traces;
  std::string part; // options
};

std::optional<int> numberOf(std::string_view token) {
  int number = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), number);
  const bool whole = error == std::errc() && end == token.data() + token.size();
  return whole && number >= 0 ? std::optional(number) : std::nullopt;
}

bool takeNumbers(JsonCursor& list, std::vector<int>& numbers) {
  return list.eachItem([&](JsonCursor& item) {
    const std::string_view token = item.value();
    if (const auto number = numberOf(token)) numbers.push_back(*number);
    return !token.empty();
  });
}

// As the window writes what it had open.
bool takePart(JsonCursor& part, Session& session) {
  const auto add = [&session](const std::string& option) {
    session.part += (session.part.empty() ? "" : " ") + option;
  };
  return part.eachMember([&](const char* key, JsonCursor& value) {
    std::vector<int> numbers;
    if (isKey(key, "steps")) {
      if (!takeNumbers(value, numbers)) return false;
      if (numbers.size() == 2) add(fmt::format("--load-steps {}..{}", numbers[0], numbers[1]));
      return true;
    }
    if (isKey(key, "ranks")) {
      if (!takeNumbers(value, numbers)) return false;
      std::string text = numberRangesText(numbers);
      std::erase(text, ' ');
      if (!numbers.empty()) add("--ranks " + text);
      return true;
    }
    const std::string_view token = value.value();
    if (isKey(key, "capture") && numberOf(token)) add("--capture " + std::string(token));
    if (isKey(key, "skip_python") && token == "true") add("--skip-python");
    if (isKey(key, "skip_cpu_operators") && token == "true") add("--skip-cpu-ops");
    return !token.empty();
  });
}

bool takeTraces(JsonCursor& list, Session& session) {
  return list.eachItem([&](JsonCursor& item) {
    const std::string_view token = item.value();
    if (token.size() >= 2 && token.front() == '"')
      session.traces.push_back(unescaped(token.substr(1, token.size() - 2)));
    return !token.empty();
  });
}

std::string absoluteIn(const fs::path& folder, const std::string& path) {
  std::error_code failed;
  if (isRemotePath(path) && !fs::exists(folder / path, failed)) return path;
  const fs::path whole = fs::absolute(folder / path, failed);
  return (failed ? folder / path : whole).lexically_normal().string();
}

} // namespace

bool isSessionPath(const std::string& path) {
  if (path.size() <= kEnding.size()) return false;
  const std::string_view end = std::string_view(path).substr(path.size() - kEnding.size());
  std::error_code failed;
  return std::ranges::equal(
             end, kEnding, [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; }) &&
         fs::is_regular_file(path, failed);
}

Result<SessionTraces> tracesOfSession(std::string_view text, const std::string& folder) {
  const auto error = [](const char* what) { return Error{ErrorKind::Format, what, {}, std::nullopt}; };
  std::string padded(text);
  padded.append(JsonStructure::kPadding, '\0');
  JsonStructure structure;
  if (!structure.index(padded.data(), text.size())) return error("not a session file: it is no JSON");
  Session session;
  JsonCursor cursor = structure.cursor();
  const bool whole = cursor.eachMember([&](const char* key, JsonCursor& value) {
    if (isKey(key, "traces")) return takeTraces(value, session);
    if (isKey(key, "part")) {
      JsonCursor part = value;
      static_cast<void>(takePart(part, session));
    }
    session.marked = session.marked || isKey(key, "rankscope_session");
    return value.skip();
  });
  if (!whole) return error("not a session file: its JSON is damaged");
  if (!session.marked) return error("not a session file: marker missing");
  if (session.traces.empty()) return error("the session contains no traces");
  for (std::string& trace : session.traces) trace = absoluteIn(folder, trace);
  return SessionTraces{std::move(session.traces), std::move(session.part)};
}

Result<PathsOfTraces> withSessionTraces(std::span<const std::string> paths) {
  PathsOfTraces all;
  for (const std::string& path : paths) {
    if (!isSessionPath(path)) {
      all.paths.push_back(path);
      continue;
    }
    const auto file = FileBytes::open(path);
    if (!file) return file.error();
    const auto text = readText(*file, 0, kMaxBytes);
    if (!text) return text.error();
    auto traces = tracesOfSession(*text, fs::path(path).parent_path().string());
    if (!traces) {
      Error error = traces.error();
      error.file = path;
      return error;
    }
    all.paths.insert(all.paths.end(), traces->paths.begin(), traces->paths.end());
    if (!traces->part.empty())
      all.notes.push_back(
          path + ": the window had a part of this job open, all of it is read here; for the same part add " +
          traces->part);
  }
  return all;
}

} // namespace rankscope
