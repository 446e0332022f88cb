// SPDX-License-Identifier: GPL-3.0-or-later
// Colors and fonts of the window, dark and light: palette and style sheet of the widgets, and the colors
// with a meaning (compute green, communication violet, exposed communication orange and hatched, idle red
// and hatched, phases blue, teal, amber and olive). Constant data; widgets get the current theme from their
// session and paint with Theme::of(name).
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
  // Surfaces from back to front, and separator lines.
  QColor background, panel, raised, line;
  // Text: primary, secondary, tertiary.
  QColor text, muted, faint;
  // Selection and focus; severities of findings and metrics.
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

// The desktop's theme, from the application's initial palette (on Windows from the personalization
// setting). REQUIRES: called before applyTheme changes the palette.
[[nodiscard]] ThemeName systemTheme();

[[nodiscard]] QPalette paletteOf(const Theme& theme);
[[nodiscard]] QString styleSheetOf(const Theme& theme);

// Style, palette and style sheet of the application. Nothing changes if it has that theme already. A change
// costs time for each widget that exists: it is cheapest before a window is built.
void applyTheme(QApplication& application, const Theme& theme);

// Styles a widget and all in it now; else it happens when each is shown first. For pictures of what is
// hidden.
void polishWithChildren(QWidget& widget);

// The style sheet with font sizes multiplied by textScale().
[[nodiscard]] QString withTextScale(QString styleSheet);

// Inter and JetBrains Mono, or an installed substitute. Sizes are logical pixels at textScale() 1.
[[nodiscard]] QFont textFont(qreal pixelSize, QFont::Weight weight = QFont::Normal);
[[nodiscard]] QFont numberFont(qreal pixelSize, QFont::Weight weight = QFont::Normal);
// The same as textFont, for names as recorded: Inter draws the x of 128x256 as a multiplication sign.
[[nodiscard]] QFont nameFont(qreal pixelSize, QFont::Weight weight = QFont::Normal);

// Black or white, whichever reads better on this color.
[[nodiscard]] QColor textOn(const Theme& theme, QColor background);

} // namespace rankscope::ui
