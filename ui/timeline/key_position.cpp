// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/key_position.h"

#include <QGuiApplication>
#include <QKeyEvent>

#include <array>

namespace rankscope::ui {
namespace {

struct Position {
  int key;
  quint32 xkb;     // evdev code + 8, on X11 and Wayland
  quint32 windows; // set 1 scan code
};

constexpr std::array kPositions{
    Position{Qt::Key_W, 25, 0x11}, Position{Qt::Key_A, 38, 0x1e}, Position{Qt::Key_S, 39, 0x1f},
    Position{Qt::Key_D, 40, 0x20}, Position{Qt::Key_F, 41, 0x21},
};

} // namespace

int keyByPosition(const QKeyEvent& event) {
  static const QString platform = QGuiApplication::platformName();
  const bool windows = platform == QLatin1String("windows");
  const bool xkb = platform == QLatin1String("xcb") || platform.startsWith(QLatin1String("wayland"));
  if ((!windows && !xkb) || event.nativeScanCode() == 0) return event.key();
  for (const Position& position : kPositions) {
    if (event.nativeScanCode() == (windows ? position.windows : position.xkb)) return position.key;
  }
  return event.key();
}

} // namespace rankscope::ui
