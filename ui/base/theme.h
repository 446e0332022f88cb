// SPDX-License-Identifier: GPL-3.0-or-later
// The colors and fonts of the whole window, dark and light, in one place: the widgets' palette and style
// sheet, and the colors that carry a meaning (compute green, communication violet, exposed communication
// orange and hatched, idle red and hatched, phases blue, teal, amber and olive). Constant data; a widget asks
// its session which theme is on and paints with Theme::of(name).
#pragma once

#include <QColor>
#include <QFont>
#include <QPalette>
#include <QString>

#include <cstdint>

class QApplication;

namespace rankscope::ui {

enum class ThemeName : std::uint8_t { Dark, Light };

// The named colors of a theme are listed once in theme.cpp, dark and light side by side.
struct Theme {
  ThemeName name;
  // Surfaces, from the lowest up, and what separates them.
  QColor background, panel, raised, line;
  // Text: primary, secondary, and what may be overlooked.
  QColor text, muted, faint;
  // Selection and focus; severities of findings and figures.
  QColor accent, bad, warn, good;
  // Phases of a training step.
  QColor forward, backward, optimizer, dataLoader;
  // Host events.
  QColor cpuOp, runtime, python, annotation;
  // Device events: GEMM and attention are distinguished from the other kernels.
  QColor kernel, gemm, attention, memoryCopy, communication, exposed;
  // Text and strokes on events of either brightness.
  QColor onLight, onDark;

  [[nodiscard]] static const Theme& of(ThemeName name);
};

// The theme that the desktop asks for, read from the palette that the platform gave the application (and on
// Windows from its personalisation setting). REQUIRES: asked before applyTheme changes that palette.
[[nodiscard]] ThemeName systemTheme();

[[nodiscard]] QPalette paletteOf(const Theme& theme);
[[nodiscard]] QString styleSheetOf(const Theme& theme);

// Style, palette and style sheet of the application.
void applyTheme(QApplication& application, const Theme& theme);

// The sheet with its font sizes as textScale() wants them.
[[nodiscard]] QString withTextScale(QString styleSheet);

// Inter and JetBrains Mono, or the nearest that the machine has. Sizes are in logical pixels, as they are at
// the usual textScale().
[[nodiscard]] QFont textFont(qreal pixelSize, QFont::Weight weight = QFont::Normal);
[[nodiscard]] QFont numberFont(qreal pixelSize, QFont::Weight weight = QFont::Normal);

// Black or white, whichever reads better on this color.
[[nodiscard]] QColor textOn(const Theme& theme, QColor background);

} // namespace rankscope::ui
