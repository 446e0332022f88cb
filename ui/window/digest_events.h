// SPDX-License-Identifier: GPL-3.0-or-later
// Loads the events of the ranks of a digest that are expanded on the timeline, one after the other, from
// their traces. A rank whose trace cannot be reached is collapsed again, and the banner says where it lies.
// UI thread.
#pragma once

#include "core/io/load/rank_events.h"
#include "ui/base/latest_task.h"

#include <QObject>
#include <QString>

#include <memory>

namespace rankscope::ui {

class JobDocument;
class MessageBanner;
class TraceSession;

class DigestEvents : public QObject {
  Q_OBJECT
 public:
  DigestEvents(TraceSession& session, JobDocument& document, MessageBanner& banner, QObject* parent);
  ~DigestEvents() override;

 private:
  void loadNext();
  void refuse(RankIndex rank, const QString& title, const QString& why);

  TraceSession& m_session;
  JobDocument& m_document;
  MessageBanner& m_banner;
  std::shared_ptr<Progress> m_progress; // of the load; null: none
  LatestTask<Result<std::shared_ptr<const TraceSet>>> m_task;
};

} // namespace rankscope::ui
