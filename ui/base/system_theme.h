// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the desktop wants dark or light now, also while the program runs: its settings portal says so.
// Without a portal, or where that has no preference, what was true when this was made stays. Nothing here
// waits for an answer. UI thread.
#pragma once

#include "ui/base/theme.h"

#include <QObject>
#include <QString>

namespace rankscope::ui {

class SystemTheme : public QObject {
  Q_OBJECT

 public:
  // busAddress: of the bus that the portal is on; empty: the session's.
  SystemTheme(ThemeName otherwise, const QString& busAddress, QObject* parent = nullptr);

  [[nodiscard]] ThemeName theme() const { return m_theme; }

 signals:
  void changed(rankscope::ui::ThemeName theme);

 private:
  void prefer(unsigned scheme);

  ThemeName m_otherwise;
  ThemeName m_theme;
};

} // namespace rankscope::ui
