// SPDX-License-Identifier: GPL-3.0-or-later
// Theme and visible highlights, shared by the sessions of a window. Widgets query it while painting and
// keep no copies. UI thread.
#pragma once

#include "ui/base/highlight_choice.h"
#include "ui/base/revision.h"
#include "ui/base/theme.h"

#include <QObject>

namespace rankscope::ui {

class Appearance : public QObject {
  Q_OBJECT

 public:
  explicit Appearance(QObject* parent = nullptr) : QObject(parent) {}

  [[nodiscard]] ThemeName themeName() const { return m_theme; }
  [[nodiscard]] const Theme& theme() const { return Theme::of(m_theme); }
  // Another one with every change of any color.
  [[nodiscard]] std::uint64_t themeRevision() const { return m_themeRevision; }
  void setTheme(ThemeName theme);

  [[nodiscard]] const HighlightOptions& highlights() const { return m_highlights; }
  void setHighlights(const HighlightOptions& options);

 signals:
  void themeChanged();
  void highlightsChanged();

 private:
  ThemeName m_theme = ThemeName::Dark;
  std::uint64_t m_themeRevision = nextRevision();
  HighlightOptions m_highlights;
};

} // namespace rankscope::ui
