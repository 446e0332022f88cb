// SPDX-License-Identifier: GPL-3.0-or-later
// Parts that the pages before a job is opened have in common. GUI thread.
#pragma once

#include "core/base/unit_text.h"

#include <QLabel>
#include <QPushButton>
#include <QString>

#include <cstdint>

namespace rankscope::ui {

[[nodiscard]] inline QString sizeText(std::uint64_t bytes) {
  return QString::fromStdString(bytesText(static_cast<std::int64_t>(bytes)));
}

// Without a parent: its layout takes it.
[[nodiscard]] inline QLabel* wrappedLabel(const char* name) {
  auto* text = new QLabel;
  text->setObjectName(QString::fromLatin1(name));
  text->setTextFormat(Qt::PlainText);
  text->setWordWrap(true);
  return text;
}

// The same; Enter presses it when it has the focus.
[[nodiscard]] inline QPushButton* pageButton(const QString& text, const char* name) {
  auto* made = new QPushButton(text);
  made->setObjectName(QString::fromLatin1(name));
  made->setAutoDefault(true);
  return made;
}

} // namespace rankscope::ui
