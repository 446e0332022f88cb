// SPDX-License-Identifier: GPL-3.0-or-later
// The row under the timeline: a legend of the highlight patterns, each with a switch, a button that turns all
// on, and buttons that walk through the job's hotspots. It draws the same patterns as the lanes; the session
// holds which are on. UI thread.
#pragma once

#include "ui/base/highlight_choice.h"

#include <QFrame>

#include <cstddef>
#include <optional>
#include <vector>

class QHBoxLayout;
class QLabel;
class QToolButton;

namespace rankscope::ui {

class TraceSession;

class HighlightBar : public QFrame {
  Q_OBJECT
 public:
  explicit HighlightBar(TraceSession& session, QWidget* parent = nullptr);

  // Reveals the next or the previous hotspot, cyclic.
  void showNextPlace();
  void showPreviousPlace();
  // Index of the hotspot shown last.
  [[nodiscard]] std::optional<std::size_t> place() const { return m_place; }

 signals:
  // The names take another number of lines.
  void heightChanged();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  using Option = bool HighlightOptions::*;

  [[nodiscard]] QToolButton* makeButton(QHBoxLayout& row, const QString& text, const QString& tip);
  void addButton(QHBoxLayout& row, Option option, const QString& text, const QString& tip);
  void addPathButtons(QHBoxLayout& row);
  void placesChanged();
  void showPlace(std::size_t place);
  void showText();
  void setLines(int count);
  void setCompact(bool compact);
  void fitNames();
  void placeNames();
  void paintIcons();
  void showOptions();

  TraceSession& m_session;
  QHBoxLayout* m_firstLine = nullptr;
  QHBoxLayout* m_secondLine = nullptr;
  int m_lines = 1;
  bool m_compact = false; // swatches stand for the switches
  std::vector<std::pair<Option, QToolButton*>> m_buttons;
  QToolButton* m_path;
  QToolButton* m_onlyCritical;
  std::vector<QToolButton*> m_named; // all of these: their names are shown if there is space
  QToolButton* m_allOn;
  QToolButton* m_previous;
  QToolButton* m_next;
  QLabel* m_text;
  QString m_fullText;
  std::optional<std::size_t> m_place;
};

} // namespace rankscope::ui
