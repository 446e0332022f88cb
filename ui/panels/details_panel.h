// SPDX-License-Identifier: GPL-3.0-or-later
// Everything about the selected event: what the trace knows at once, its links to click, and all that its
// file says, read again on a worker (a compressed file is inflated up to the event). One reading at a time; a
// reading that comes back after the selection moved on is dropped. All of it is one text that can be selected
// and copied.
#pragma once

#include "core/io/event_details.h"
#include "ui/latest_task.h"
#include "ui/panels/event_facts.h"

#include <QTextBrowser>

#include <functional>
#include <string>
#include <vector>

namespace rankscope::ui {

class TraceSession;

// readEventFields, or what a test puts in its place.
using ReadFieldsFunction =
    std::function<Result<std::vector<EventField>>(const std::string& path, std::uint64_t textAt)>;

class DetailsPanel : public QTextBrowser {
  Q_OBJECT
 public:
  DetailsPanel(TraceSession& session, ReadFieldsFunction read, QWidget* parent = nullptr);

  // Whether the file is still being read for the event that is shown.
  [[nodiscard]] bool reading() const { return m_reading.pending(); }

 signals:
  void settled();

 private:
  void showSelection();
  void readArguments();
  void render();
  void followLink(const QUrl& url);

  TraceSession& m_session;
  ReadFieldsFunction m_read;
  LatestTask<Result<std::vector<EventField>>> m_reading;
  EventRef m_shown;
  std::shared_ptr<const TraceSet> m_shownTrace; // keeps m_facts' links meaningful
  EventFacts m_facts;
  std::vector<EventField> m_arguments;
  QString m_argumentsNote; // why there are none
};

} // namespace rankscope::ui
