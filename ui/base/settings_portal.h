// SPDX-License-Identifier: GPL-3.0-or-later
// What the desktop's settings portal says of dark and light (org.freedesktop.portal.Settings, color-scheme of
// org.freedesktop.appearance) when it is there, and whenever that changes. Asks without waiting. Only built
// where Qt has D-Bus. UI thread.
#pragma once

#include <QObject>
#include <QString>

#include <functional>

namespace rankscope::ui {

// 1: dark, 2: light, anything else: no preference.
using SchemeTaken = std::function<void(unsigned scheme)>;

// The portal lives as long as its owner, who hears of every answer. Null without a bus. busAddress: empty for
// the session's.
QObject* followSettingsPortal(const QString& busAddress, SchemeTaken taken, QObject* owner);

} // namespace rankscope::ui
