// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/kineto/event_excerpt.h"

#include "core/io/json/json_scan.h"
#include "core/io/json/json_text.h"
#include "core/io/json/json_walk.h"
#include "core/io/kineto/event_slicer.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace rankscope {

namespace {

struct EventHead {
  char phase = '\0';
  std::optional<TimeNs> begin;
  TimeNs duration = 0;
};

// Some writers quote numbers.
std::string_view unquoted(std::string_view token) {
  if (token.size() >= 2 && token.front() == '"') return token.substr(1, token.size() - 2);
  return token;
}

class ExcerptWriter {
 public:
  explicit ExcerptWriter(TimeRange window) : m_window(window) {}

  void add(std::string_view event, Excerpt& to) {
    std::optional<EventHead> head = headOf(event);
    // As the reader of traces shows it.
    std::string repaired;
    for (const Repair repair : {Repair::Bytes, Repair::NameQuotes}) {
      if (head) break;
      repaired = repairedEvent(event, repair);
      head = headOf(repaired);
    }
    if (!repaired.empty()) event = repaired;
    if (!head) {
      ++to.damaged;
      return;
    }
    if (!isWanted(*head)) return;
    if (std::exchange(m_any, true)) to.text += ",\n";
    to.text += event;
    if (head->phase != 'M') ++to.events;
  }

 private:
  std::optional<EventHead> headOf(std::string_view event) {
    m_text.assign(event);
    m_text.append(JsonStructure::kPadding, '\0');
    if (!m_structure.index(m_text.data(), event.size())) return std::nullopt;
    EventHead head;
    JsonCursor cursor = m_structure.cursor();
    const bool whole = cursor.eachMember([&](const char* key, JsonCursor& at) {
      const std::string_view name(key, 5);
      const std::string_view value = at.value();
      if (value.empty()) return false;
      if (name.starts_with("ph\"") && unquoted(value).size() == 1)
        head.phase = unquoted(value).front();
      else if (name.starts_with("ts\""))
        head.begin = nanosecondsFromMicroseconds(unquoted(value));
      else if (name.starts_with("dur\""))
        head.duration = nanosecondsFromMicroseconds(unquoted(value)).value_or(0);
      return true;
    });
    return whole ? std::optional(head) : std::nullopt;
  }

  [[nodiscard]] bool isWanted(const EventHead& head) const {
    constexpr std::string_view kWithOtherEnd = "MBEbenSTFp";
    if (!head.begin || kWithOtherEnd.find(head.phase) != std::string_view::npos) return true;
    if (head.phase != 'X' || head.duration <= 0) return m_window.contains(*head.begin);
    return *head.begin < m_window.end && movedTime(*head.begin, head.duration) > m_window.begin;
  }

  TimeRange m_window;
  JsonStructure m_structure;
  std::string m_text; // of one event, with what its parser may read beyond it
  bool m_any = false;
};

// The slice as it was before it became an array of its own.
std::string_view restored(const TextSlice& slice) {
  *slice.begin = slice.firstByte;
  if (!slice.last) slice.end[-1] = slice.lastByte;
  return {slice.begin, static_cast<std::size_t>(slice.tailEnd - slice.begin)};
}

void addEvents(std::string_view text, const EventBoundary& boundary, ExcerptWriter& writer, Excerpt& to) {
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at < end;) {
    if (*at != '{') {
      ++at;
      continue;
    }
    const char* const whole = skipJsonValue(at, end);
    if (whole > end) {
      ++to.damaged;
      at = boundary.findBrace(at, at + 1, end);
      continue;
    }
    writer.add({at, static_cast<std::size_t>(whole - at)}, to);
    at = whole;
  }
}

std::string memberText(const RootMember& member) {
  return fmt::format("\"{}\": {}", member.key, member.text);
}

bool hasMember(const std::vector<RootMember>& members, std::string_view key) {
  return std::ranges::any_of(members, [&](const RootMember& member) { return member.key == key; });
}

// What other programs need to know the rank by, where the file does not say it.
std::string rankMember(const std::vector<RootMember>& members, const ExcerptRequest& request) {
  if (!request.rank || hasMember(members, "distributedInfo")) return {};
  return fmt::format("\"distributedInfo\": {{\"backend\": \"\", \"rank\": {}, \"world_size\": {}}}",
                     *request.rank, request.worldSize.value_or(*request.rank + 1));
}

// The host, where only the name or the folder of the file says it.
std::string hostMember(const std::vector<RootMember>& members, const ExcerptRequest& request) {
  if (request.hostJson.empty() || hasMember(members, "host_name")) return {};
  return fmt::format("\"host_name\": {}", request.hostJson);
}

} // namespace

Result<Excerpt> eventExcerpt(const FileBytes& file, const ExcerptRequest& request, std::size_t sliceBytes) {
  EventSlicer slicer(file, sliceBytes);
  if (!slicer.start())
    return Error{ErrorKind::NotATrace, "the file has no events", file.path(), std::nullopt};
  Excerpt excerpt;
  excerpt.text = "{\n";
  const std::size_t first = slicer.rootMembers().size();
  for (const RootMember& member : slicer.rootMembers()) excerpt.text.append(memberText(member)).append(",\n");
  excerpt.text += "\"traceEvents\": [\n";
  ExcerptWriter writer(request.window);
  while (const std::optional<TextSlice> slice = slicer.next())
    addEvents(restored(*slice), slicer.boundary(), writer, excerpt);
  excerpt.text += "\n]";
  for (std::size_t i = first; i < slicer.rootMembers().size(); ++i)
    excerpt.text.append(",\n").append(memberText(slicer.rootMembers()[i]));
  if (const std::string rank = rankMember(slicer.rootMembers(), request); !rank.empty())
    excerpt.text.append(",\n").append(rank);
  if (const std::string host = hostMember(slicer.rootMembers(), request); !host.empty())
    excerpt.text.append(",\n").append(host);
  excerpt.text += "\n}\n";
  if (const auto change = file.change(); change && change->kind == DiagnosticKind::Skipped)
    return Error{ErrorKind::Io, change->text, file.path(), change->byte};
  return excerpt;
}

} // namespace rankscope
