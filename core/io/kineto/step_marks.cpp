// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/kineto/step_marks.h"

#include "core/io/json/json_scan.h"
#include "core/io/kineto/event_reader.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <string_view>
#include <vector>

namespace rankscope {

namespace {

constexpr std::string_view kMark = "\"ProfilerStep#";
// Maximum distance between the name of a step and the ends of its event; such events have few arguments.
constexpr std::size_t kReach = std::size_t{8} << 10;
constexpr std::size_t kWindow = std::size_t{4} << 20;

// Finds the events of a text that name a step, of any kind.
class StepMarks {
 public:
  explicit StepMarks(LoadFilter::Steps steps) : m_steps(steps) {}

  // Examines marks that begin in text[from, reach); an event may extend beyond reach.
  void scan(std::string_view text, std::size_t from, std::size_t reach) {
    for (std::size_t at = from; at < reach; at += kMark.size()) {
      const std::size_t look = std::min(text.size(), reach + kMark.size()) - at;
      const void* const found = memmem(text.data() + at, look, kMark.data(), kMark.size());
      if (found == nullptr) return;
      at = static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
      if (at < reach) take(text, at);
    }
  }

  [[nodiscard]] std::optional<TimeRange> window() const { return m_window; }
  [[nodiscard]] std::optional<LoadFilter::Steps> numbers() const { return m_numbers; }

 private:
  void take(std::string_view text, std::size_t at) {
    std::int64_t step = 0;
    const std::string_view number = text.substr(at + kMark.size());
    if (std::from_chars(number.data(), number.data() + number.size(), step).ec != std::errc()) return;
    if (step < m_steps.first || step > m_steps.last) return;
    // The name is a direct member of the event, so the nearest open brace is the event's.
    const std::size_t open = text.rfind('{', at);
    if (open == std::string_view::npos || at - open > kReach) return;
    const char* const begin = text.data() + open;
    const char* const end = skipJsonValue(begin, text.data() + text.size());
    if (end > text.data() + text.size()) return;
    ReaderTables tables;
    EventReader reader(tables);
    const std::string_view event(begin, static_cast<std::size_t>(end - begin));
    const SliceReading read = reader.readCarefully(event, 0, 0, true, EventBoundary());
    for (const RawEvent& marked : read.events.events) {
      if (static_cast<EventKind>(marked.kind) != EventKind::Annotation) continue;
      const TimeRange range{marked.begin, marked.begin + marked.duration};
      m_window = m_window ? m_window->unitedWith(range) : range;
      const auto seen = m_numbers.value_or(LoadFilter::Steps{step, step});
      m_numbers = {std::min(seen.first, step), std::max(seen.last, step)};
    }
  }

  LoadFilter::Steps m_steps;
  std::optional<TimeRange> m_window;
  std::optional<LoadFilter::Steps> m_numbers;
};

void scanPlain(const FileBytes& file, StepMarks& marks, const std::atomic<bool>& cancel) {
  const std::string_view text(file.bytes().data(), file.bytes().size());
  for (std::size_t at = 0; at < text.size() && !cancel.load(std::memory_order_relaxed); at += kWindow)
    marks.scan(text, at, std::min(at + kWindow, text.size()));
}

void scanCompressed(const FileBytes& file, StepMarks& marks, const std::atomic<bool>& cancel) {
  Inflater inflater(file.bytes());
  std::vector<char> buffer(kWindow + 2 * kReach);
  std::size_t have = 0;
  for (bool more = true; more && !cancel.load(std::memory_order_relaxed);) {
    const std::size_t wanted = buffer.size() - have;
    const std::size_t read = inflater.read({buffer.data() + have, wanted});
    more = read == wanted;
    have += read;
    // Marks near the end are examined with the next window, so that their whole event is available.
    const std::size_t reach = more ? have - kReach : have;
    marks.scan({buffer.data(), have}, 0, reach);
    if (!more) return;
    const std::size_t keep = std::min(have, 2 * kReach);
    std::memmove(buffer.data(), buffer.data() + have - keep, keep);
    have = keep;
  }
}

void scan(const FileBytes& file, StepMarks& marks, const std::atomic<bool>& cancel) {
  if (file.compressed()) {
    scanCompressed(file, marks, cancel);
  } else {
    scanPlain(file, marks, cancel);
  }
}

} // namespace

std::optional<TimeRange> markedSteps(const FileBytes& file, LoadFilter::Steps steps) {
  StepMarks marks(steps);
  scan(file, marks, false);
  return marks.window();
}

std::optional<LoadFilter::Steps> stepNumbers(const FileBytes& file, const std::atomic<bool>& cancel) {
  StepMarks marks({0, std::numeric_limits<std::int64_t>::max()});
  scan(file, marks, cancel);
  return cancel ? std::nullopt : marks.numbers();
}

} // namespace rankscope
