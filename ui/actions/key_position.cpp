// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/actions/key_position.h"

#include <QGuiApplication>
#include <QKeyEvent>

#include <algorithm>
#include <array>

namespace rankscope::ui {
namespace {

struct Position {
  int key;
  quint32 xkb;     // evdev code + 8, on X11 and Wayland
  quint32 windows; // set 1 scan code
};

// Set 1 codes are the evdev ones for the letters, the digits and the signs between them.
constexpr Position at(int key, quint32 evdev) {
  return {key, evdev + 8, evdev};
}

constexpr std::array kPositions{
    at(Qt::Key_Q, 16),
    at(Qt::Key_W, 17),
    at(Qt::Key_E, 18),
    at(Qt::Key_R, 19),
    at(Qt::Key_T, 20),
    at(Qt::Key_Y, 21),
    at(Qt::Key_U, 22),
    at(Qt::Key_I, 23),
    at(Qt::Key_O, 24),
    at(Qt::Key_P, 25),
    at(Qt::Key_A, 30),
    at(Qt::Key_S, 31),
    at(Qt::Key_D, 32),
    at(Qt::Key_F, 33),
    at(Qt::Key_G, 34),
    at(Qt::Key_H, 35),
    at(Qt::Key_J, 36),
    at(Qt::Key_K, 37),
    at(Qt::Key_L, 38),
    at(Qt::Key_Z, 44),
    at(Qt::Key_X, 45),
    at(Qt::Key_C, 46),
    at(Qt::Key_V, 47),
    at(Qt::Key_B, 48),
    at(Qt::Key_N, 49),
    at(Qt::Key_M, 50),
    at(Qt::Key_Comma, 51),
    at(Qt::Key_Period, 52),
    at(Qt::Key_0, 11),
    at(Qt::Key_BracketLeft, 26),
    at(Qt::Key_BracketRight, 27),
    at(Qt::Key_Semicolon, 39),
    at(Qt::Key_Slash, 53),
};

bool isMovingKey(int key) {
  return key == Qt::Key_W || key == Qt::Key_A || key == Qt::Key_S || key == Qt::Key_D || key == Qt::Key_F;
}

// Letters of other scripts have codes beyond Latin's.
bool isForeignLetter(int key) {
  return key > 0xff && key < 0x1000000;
}

// Chords go by letter. AltGr, which some platforms report as a chord, types a symbol.
bool isChord(const QKeyEvent& event) {
  return event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier);
}

int usKeyOf(const QKeyEvent& event) {
  static const QString platform = QGuiApplication::platformName();
  const bool windows = platform == QLatin1String("windows");
  // Offscreen there is no keyboard: scan codes of synthetic events are X11 codes.
  const bool xkb = platform == QLatin1String("xcb") || platform.startsWith(QLatin1String("wayland")) ||
                   platform == QLatin1String("offscreen");
  if ((!windows && !xkb) || event.nativeScanCode() == 0) return 0;
  const auto found =
      std::ranges::find(kPositions, event.nativeScanCode(), windows ? &Position::windows : &Position::xkb);
  return found == kPositions.end() ? 0 : found->key;
}

} // namespace

int keyByPosition(const QKeyEvent& event) {
  const int us = usKeyOf(event);
  if (us == 0) return event.key();
  return isMovingKey(us) || isMovingKey(event.key()) || isForeignLetter(event.key()) ? us : event.key();
}

bool isByPosition(const QKeyEvent& event) {
  if (isChord(event) && !isForeignLetter(event.key())) return false;
  return keyByPosition(event) != event.key();
}

QKeyCombination usCombinationOf(const QKeyEvent& event) {
  const int us = isChord(event) ? 0 : usKeyOf(event);
  if (us == 0 || (us >= Qt::Key_A && us <= Qt::Key_Z)) return QKeyCombination(Qt::Key_unknown);
  return QKeyCombination(event.modifiers() & Qt::ShiftModifier, static_cast<Qt::Key>(us));
}

QKeyCombination keyCombinationOf(const QKeyEvent& event) {
  auto modifiers = event.modifiers() & ~Qt::KeypadModifier;
  int key = isByPosition(event) ? keyByPosition(event) : event.key();
  const auto shifted = [&](int plain) {
    key = plain;
    modifiers |= Qt::ShiftModifier;
  };
  switch (key) {
  case Qt::Key_BraceLeft:
    shifted(Qt::Key_BracketLeft);
    break;
  case Qt::Key_BraceRight:
    shifted(Qt::Key_BracketRight);
    break;
  case Qt::Key_Less:
    shifted(Qt::Key_Comma);
    break;
  case Qt::Key_Greater:
    shifted(Qt::Key_Period);
    break;
  case Qt::Key_Backtab:
    shifted(Qt::Key_Tab);
    break;
  case Qt::Key_Enter:
    key = Qt::Key_Return;
    break;
  case Qt::Key_Question:
  case Qt::Key_Plus:
  case Qt::Key_Slash: // typed with Shift on many layouts, as the next three on some
  case Qt::Key_Period:
  case Qt::Key_Comma:
  case Qt::Key_0:
    modifiers &= ~Qt::ShiftModifier;
    break;
  default:
    break;
  }
  return QKeyCombination(modifiers, static_cast<Qt::Key>(key));
}

} // namespace rankscope::ui
