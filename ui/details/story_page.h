// SPDX-License-Identifier: GPL-3.0-or-later
// An explanation of key and text rows, with links to events: a click reveals the
// event. It can be selected and copied. UI thread.
#pragma once

#include "core/model/trace_set.h"

#include <QString>
#include <QTextBrowser>

#include <optional>
#include <vector>

namespace rankscope::ui {

class TraceSession;

struct StoryRow {
  QString key;
  QString text;    // an event's name when it has a target
  QString note;    // under or behind it, muted
  EventRef target; // invalid: nothing to click
};

struct Story {
  QString title;
  QString summary; // a sentence
  std::vector<StoryRow> rows;
  QString advice; // what to change; may be empty
};

class StoryPage : public QTextBrowser {
  Q_OBJECT
 public:
  explicit StoryPage(TraceSession& session, QWidget* parent = nullptr);

  void tell(Story story);
  // A message in place of an explanation.
  void say(const QString& sentence);
  [[nodiscard]] const Story& story() const { return m_story; }

 private:
  void render();

  TraceSession& m_session;
  Story m_story;
};

} // namespace rankscope::ui
