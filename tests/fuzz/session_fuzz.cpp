// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as a session file: a session or a refusal; and a session that was read is written and read as the
// same one.
#include "tests/fuzz/memory_file.h"
#include "ui/job/session_file.h"

using namespace rankscope;
using namespace rankscope::ui;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const QString folder = QStringLiteral("/traces");
  const QByteArray text(reinterpret_cast<const char*>(data), static_cast<qsizetype>(size));
  const auto read = sessionFromText(text, folder);
  if (!read) {
    test::require(!read.error().message.empty());
    return 0;
  }
  const auto again = sessionFromText(sessionText(*read, folder), folder);
  test::require(again && again->regions == read->regions && again->traces == read->traces &&
                again->window == read->window && again->range == read->range);
  return 0;
}
