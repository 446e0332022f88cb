// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/kineto/event_details.h"

#include "core/io/files/file_bytes.h"
#include "core/io/files/text_source.h"
#include "core/io/json/json_scan.h"
#include "core/io/json/json_text.h"

#include <algorithm>
#include <array>

namespace rankscope {

namespace {

// Most events are far shorter; longer ones are read again with a larger size.

FieldMeaning meaningOf(std::string_view key) {
  struct Known {
    std::string_view key;
    FieldMeaning meaning;
  };
  static constexpr std::array kKnown{
      Known{"bytes", FieldMeaning::Bytes},
      Known{"Bytes", FieldMeaning::Bytes},
      Known{"Total Allocated", FieldMeaning::Bytes},
      Known{"Total Reserved", FieldMeaning::Bytes},
      Known{"shared memory", FieldMeaning::Bytes},
      Known{"Memory size", FieldMeaning::Bytes},
      Known{"In msg nelems", FieldMeaning::Count},
      Known{"Out msg nelems", FieldMeaning::Count},
      Known{"memory bandwidth (GB/s)", FieldMeaning::GigabytesPerSecond},
      Known{"est. achieved occupancy %", FieldMeaning::Percent},
      Known{"grid", FieldMeaning::Shape},
      Known{"block", FieldMeaning::Shape},
      Known{"Input Dims", FieldMeaning::Shapes},
      Known{"Input dims", FieldMeaning::Shapes},
      Known{"Concrete Dims", FieldMeaning::Shapes},
      Known{"Input Strides", FieldMeaning::Shapes},
  };
  const auto known = std::ranges::find(kKnown, key, &Known::key);
  return known == kKnown.end() ? FieldMeaning::Plain : known->meaning;
}

// Members of an event that are stored in its columns.
bool isInColumns(std::string_view key) {
  static constexpr std::array<std::string_view, 5> kRead{"ph", "ts", "dur", "name", "args"};
  return std::ranges::find(kRead, key) != kRead.end();
}

// Collects the members of the object, and of "args" one level deeper.
void takeMembers(std::string_view object, bool argument, std::vector<EventField>& fields) {
  const char* at = object.data() + 1;
  const char* const end = object.data() + object.size();
  for (;;) {
    while (at < end && (isJsonSpace(*at) || *at == ',')) ++at;
    if (at >= end || *at != '"') return;
    const char* keyEnd = skipJsonString(at, end);
    if (keyEnd == nullptr) return;
    const std::string key = unescaped({at + 1, static_cast<std::size_t>(keyEnd - at) - 2});
    at = skipJsonSpace(keyEnd, end);
    if (at == end || *at != ':') return;
    at = skipJsonSpace(at + 1, end);
    const char* valueEnd = skipJsonValue(at, end);
    if (valueEnd > end) return;
    const std::string_view value = trimmedToken({at, static_cast<std::size_t>(valueEnd - at)});
    if (!argument && key == "args" && value.starts_with('{')) {
      takeMembers(value, true, fields);
    } else {
      fields.push_back({key, isQuoted(value) ? unescaped(insideQuotes(value)) : std::string(value),
                        meaningOf(key), !argument && isInColumns(key)});
    }
    at = valueEnd;
  }
}

} // namespace

Result<std::vector<EventField>> readEventFields(const std::string& path, SourceRef source) {
  const std::uint64_t textAt = source.readerBits();
  auto file = FileBytes::open(path);
  if (!file) return file.error();
  for (std::uint64_t length = kFirstGuess;; length *= 16) {
    auto text = readText(*file, textAt, length);
    if (!text) return text.error();
    const char* begin = text->data();
    const char* end = begin + text->size();
    const bool object = *begin == '{';
    const char* after = object ? skipJsonValue(begin, end) : begin;
    if (object && after > end && text->size() == length && length < kMaxEventBytes) continue;
    if (!object) return Error{ErrorKind::Format, "no event begins here: the file has changed", path, textAt};
    std::vector<EventField> fields;
    const std::string whole = after <= end ? std::string(static_cast<const char*>(begin), after)
                                           : repairedEvent(*text, Repair::NameQuotes);
    takeMembers(whole, false, fields);
    return fields;
  }
}

} // namespace rankscope
