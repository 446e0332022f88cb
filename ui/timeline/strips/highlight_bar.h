// SPDX-License-Identifier: GPL-3.0-or-later
// The row under the timeline: what its patterns mean, each to be switched off with a click, and the walk
// through the job's costliest places. It draws the patterns that the lanes draw; which of them are on is in
// the session's appearance. UI thread.
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

  // The costliest place that was not shown yet, or the one before; around at the ends. Reveals it.
  void showNextPlace();
  void showPreviousPlace();
  // Which of the job's costliest places was shown last.
  [[nodiscard]] std::optional<std::size_t> place() const { return m_place; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  using Option = bool HighlightOptions::*;

  void addButton(QHBoxLayout& row, Option option, const QString& text, const QString& tip);
  void placesChanged();
  void showPlace(std::size_t place);
  void showText();
  void fitNames();
  void paintSwatches();
  void showOptions();

  TraceSession& m_session;
  std::vector<std::pair<Option, QToolButton*>> m_buttons;
  QToolButton* m_previous;
  QToolButton* m_next;
  QLabel* m_text;
  QString m_fullText;
  std::optional<std::size_t> m_place;
};

} // namespace rankscope::ui
