// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/appearance.h"

namespace rankscope::ui {

void Appearance::setTheme(ThemeName theme) {
  if (theme == m_theme) return;
  m_theme = theme;
  m_themeRevision = nextRevision();
  emit themeChanged();
}

void Appearance::setHighlights(const HighlightOptions& options) {
  if (options == m_highlights) return;
  m_highlights = options;
  emit highlightsChanged();
}

} // namespace rankscope::ui
