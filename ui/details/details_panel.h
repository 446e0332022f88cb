// SPDX-License-Identifier: GPL-3.0-or-later
// Everything about the selected event: what the trace knows at once, its links to click, and all that its
// file says, read again on a worker. One reading at a time; a reading that comes back after the selection
// moved on is dropped. How the event stands among all of its name is worked out on a worker too. All of it is
// one text that can be selected and copied: without a selection Ctrl+C takes everything, the context menu
// also a single value.
#pragma once

#include "core/model/detail_source.h"
#include "ui/base/latest_task.h"
#include "ui/details/event_facts.h"
#include "ui/details/name_statistics.h"

#include <QTextBrowser>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::ui {

class TraceSession;

class DetailsPanel : public QTextBrowser {
  Q_OBJECT
 public:
  explicit DetailsPanel(TraceSession& session, QWidget* parent = nullptr);

  // Null until it is known.
  [[nodiscard]] const NameStatistics* statistics() const {
    return m_nameStatistics ? &*m_nameStatistics : nullptr;
  }
  // Everything known of the event, a line each: key, tab, value.
  [[nodiscard]] QString asText() const;
  // The file's fields as one JSON object of texts.
  [[nodiscard]] QString asJson() const;

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void computeNameStatistics();
  [[nodiscard]] QString nameStatisticsHtml();
  [[nodiscard]] QString factsHtml() const;
  [[nodiscard]] QString linksHtml() const;
  [[nodiscard]] QString argumentsHtml() const;
  [[nodiscard]] bool isNarrow() const;
  // Where the key ] or [ leads now.
  [[nodiscard]] std::optional<EventLink> chosenLink(bool forward) const;
  void showSelection();
  void readArguments();
  void render();
  void followLink(const QUrl& url);

  TraceSession& m_session;
  LatestTask<Result<std::vector<EventField>>> m_reading;
  EventRef m_shown;
  std::shared_ptr<const TraceSet> m_shownTrace; // keeps m_facts' links meaningful
  EventFacts m_facts;
  std::vector<EventField> m_arguments;
  QString m_argumentsNote; // why there are none
  bool m_narrow = false;   // two sections beside each other instead of four
  LatestTask<NameStatistics> m_comparing;
  std::shared_ptr<std::atomic<bool>> m_cancelComparing;
  std::optional<NameStatistics> m_nameStatistics;
  QString m_kinProblem; // why it does not come
};

} // namespace rankscope::ui
