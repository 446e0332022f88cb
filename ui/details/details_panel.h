// SPDX-License-Identifier: GPL-3.0-or-later
// Everything about the selected event: facts from the trace, links, of a collective also to its ranks, and
// all arguments, which are read from the file on a worker. One read at a time; results for an earlier
// selection are dropped. The comparison with all events of the same name is computed on a worker too. All of
// it is selectable text: without a text selection, Ctrl+C copies everything; the context menu can copy a
// single value.
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

  // Null until it is computed.
  [[nodiscard]] const NameStatistics* statistics() const {
    return m_nameStatistics ? &*m_nameStatistics : nullptr;
  }
  // Everything known about the event, one line each: key, tab, value.
  [[nodiscard]] QString asText() const;
  // The file's fields as one JSON object of texts.
  [[nodiscard]] QString asJson() const;

 signals:
  // Requests the selected collective on all its ranks.
  void ranksWanted();

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void computeNameStatistics();
  [[nodiscard]] QString nameStatisticsHtml();
  [[nodiscard]] QString factsHtml() const;
  [[nodiscard]] QString linksHtml() const;
  [[nodiscard]] QString collectiveHtml() const;
  [[nodiscard]] QString argumentsHtml() const;
  [[nodiscard]] bool isNarrow() const;
  // The current target of the keys ] and [.
  [[nodiscard]] std::optional<EventLink> chosenLink(bool forward) const;
  void showSelection();
  void readArguments();
  void render();
  void followLink(const QUrl& url);

  TraceSession& m_session;
  LatestTask<Result<std::vector<EventField>>> m_reading;
  EventRef m_shown;
  std::shared_ptr<const TraceSet> m_shownTrace; // keeps the links of m_facts valid
  EventFacts m_facts;
  std::vector<EventField> m_arguments;
  QString m_argumentsNote; // why there are none
  bool m_narrow = false;   // two columns of sections instead of four
  LatestTask<NameStatistics> m_comparing;
  std::shared_ptr<std::atomic<bool>> m_cancelComparing;
  std::optional<NameStatistics> m_nameStatistics;
  QString m_kinProblem; // why it is missing
};

} // namespace rankscope::ui
