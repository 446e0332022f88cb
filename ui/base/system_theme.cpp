// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/system_theme.h"

#ifdef RANKSCOPE_DBUS
#include "ui/base/settings_portal.h"
#endif

namespace rankscope::ui {

SystemTheme::SystemTheme(ThemeName otherwise, [[maybe_unused]] const QString& busAddress, QObject* parent)
    : QObject(parent), m_otherwise(otherwise), m_theme(otherwise) {
#ifdef RANKSCOPE_DBUS
  followSettingsPortal(
      busAddress, [this](unsigned scheme) { prefer(scheme); }, this);
#endif
}

void SystemTheme::prefer(unsigned scheme) {
  const ThemeName wanted = scheme == 1 ? ThemeName::Dark : scheme == 2 ? ThemeName::Light : m_otherwise;
  if (wanted == m_theme) return;
  m_theme = wanted;
  emit changed(wanted);
}

} // namespace rankscope::ui
