// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of the window for code that is no member of a QObject. O(length).
#pragma once

#include <QCoreApplication>
#include <QString>

#include <string_view>

namespace rankscope::ui {

// A text of the sources, as QObject::tr of a class.
[[nodiscard]] inline QString tr(const char* text) {
  return QCoreApplication::translate("Rankscope", text);
}

// A text of core, which is UTF-8.
[[nodiscard]] inline QString textOf(std::string_view utf8) {
  return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

} // namespace rankscope::ui
