// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/kineto/event_fields.h"

namespace rankscope {

namespace {

// More spellings indicate free text instead of categories.
constexpr std::size_t kMaxCategories = 64;

} // namespace

EventCategory CategoryNames::of(std::string_view text) {
  for (const auto& [known, meaning] : m_known) {
    if (known == text) return meaning;
  }
  const EventCategory meaning = categoryFromText(text);
  if (m_known.size() < kMaxCategories) m_known.emplace_back(text, meaning);
  return meaning;
}

std::optional<std::int32_t> deviceNumber(std::int64_t written) {
  if (written < 0 || written == UINT32_MAX) return -1;
  return written <= INT32_MAX ? std::optional(static_cast<std::int32_t>(written)) : std::nullopt;
}

void EventFields::clear() {
  phase = '\0';
  category.reset();
  name = process = thread = time = duration = id = metadataText = {};
  device = {};
  memory = {};
  collective = {};
  sync = {};
  counters.clear();
  hasMemory = false;
  oddNumber = false;
}

} // namespace rankscope
