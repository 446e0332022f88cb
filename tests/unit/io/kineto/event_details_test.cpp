// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/kineto/event_details.h"
#include "tests/unit/io/opened_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace rankscope {
namespace {

using test::manyEvents;
using test::Opened;

TEST(EventDetails, listsEveryFieldOfAnEventFromPlainAndCompressedFiles) {
  const std::string text = manyEvents(",\n", ": ", 9000);
  for (const char* name : {"rank0.json", "rank0.json.gz"}) {
    const Opened file(text, name);
    const auto fields = readEventFields(file.folder / name, file.trace->events.source[EventIndex(4000)]);
    ASSERT_TRUE(fields) << fields.error().text();
    const auto value = [&](std::string_view key) {
      const auto found = std::ranges::find(*fields, key, &EventField::key);
      return found == fields->end() ? "missing" : found->value;
    };
    EXPECT_EQ(value("name"), file.set->names()[file.trace->events.name[EventIndex(4000)]]);
    EXPECT_EQ(value("External id"), std::to_string(file.trace->events.link[EventIndex(4000)]));
    EXPECT_EQ(value("Input Dims"), "[[64, 128], [128, 256]]");
    for (const EventField& field : *fields) {
      EXPECT_EQ(field.meaning == FieldMeaning::Shapes, field.key == "Input Dims") << field.key;
      EXPECT_EQ(field.inColumns,
                field.key == "ph" || field.key == "ts" || field.key == "dur" || field.key == "name")
          << field.key;
    }
  }
}

} // namespace
} // namespace rankscope
