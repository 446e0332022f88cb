// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/diagnostics.h"

#include <gtest/gtest.h>
#include <string>

namespace rankscope {

namespace {

Diagnostics manyOf(DiagnosticKind kind, std::size_t count, std::uint64_t firstAt = 0) {
  Diagnostics diagnostics;
  for (std::size_t i = 0; i < count; ++i)
    diagnostics.add(kind, SourceRef(firstAt + i), "number " + std::to_string(firstAt + i));
  return diagnostics;
}

} // namespace

TEST(Diagnostics, countAllAndKeepTheFirstOfEachKind) {
  Diagnostics diagnostics = manyOf(DiagnosticKind::Repaired, Diagnostics::kMaxStored + 50);
  diagnostics.add(DiagnosticKind::Skipped, SourceRef(9999), "the only one");
  EXPECT_EQ(diagnostics.count(DiagnosticKind::Repaired), Diagnostics::kMaxStored + 50);
  EXPECT_EQ(diagnostics.count(DiagnosticKind::Skipped), 1U);
  EXPECT_EQ(diagnostics.count(DiagnosticKind::Suspicious), 0U);
  ASSERT_EQ(diagnostics.items().size(), Diagnostics::kMaxStored + 1);
  EXPECT_EQ(diagnostics.items().front().text, "number 0");
  EXPECT_EQ(diagnostics.items()[Diagnostics::kMaxStored - 1].text, "number 199");
  EXPECT_EQ(diagnostics.items().back().text, "the only one");
}

TEST(Diagnostics, ofPartsAreThoseOfTheWhole) {
  for (const std::size_t inFirst : {0U, 30U, 190U, 200U, 250U}) {
    Diagnostics parts = manyOf(DiagnosticKind::Suspicious, inFirst);
    parts.append(manyOf(DiagnosticKind::Suspicious, 300 - inFirst, inFirst));
    const Diagnostics whole = manyOf(DiagnosticKind::Suspicious, 300);
    EXPECT_EQ(parts.counts(), whole.counts());
    ASSERT_EQ(parts.items().size(), whole.items().size());
    for (std::size_t i = 0; i < whole.items().size(); ++i) {
      EXPECT_EQ(parts.items()[i].text, whole.items()[i].text);
      EXPECT_EQ(parts.items()[i].at, whole.items()[i].at);
    }
  }
}

TEST(Diagnostics, areReportedWithTheirPlaceWhereItIsKnown) {
  EXPECT_EQ((Diagnostic{DiagnosticKind::Skipped, SourceRef(17), "not readable"}).whereAndWhat(),
            "not readable");
  EXPECT_EQ((Diagnostic{DiagnosticKind::Skipped, SourceRef(17), "not readable", "byte 17"}).whereAndWhat(),
            "byte 17: not readable");
}

} // namespace rankscope
