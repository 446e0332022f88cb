// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/timeline_settings.h"

#include "ui/job/trace_session.h"

#include <QCryptographicHash>
#include <QFileInfo>
#include <QJsonDocument>
#include <QSettings>

#include <utility>

namespace rankscope::ui {
namespace {

const QString kSharedSettings = QStringLiteral("timeline/habits");
const QString kJobs = QStringLiteral("timeline/jobs");
const QString kNewest = QStringLiteral("timeline/newest");
constexpr qsizetype kMaxStoredJobs = 100;
constexpr int kLaterMs = 400;

QString keyOfJob(const TraceSet& trace) {
  if (trace.files().empty()) return {};
  const QString folder = QFileInfo(QString::fromStdString(trace.files().front().path)).absolutePath();
  const QByteArray text = folder.toUtf8() + '\n' + QByteArray::fromStdString(trace.jobName());
  return QString::fromLatin1(QCryptographicHash::hash(text, QCryptographicHash::Sha1).toHex());
}

QByteArray textOf(const TimelineChoice& choice) {
  return QJsonDocument(toJson(choice)).toJson(QJsonDocument::Compact);
}

TimelineChoice choiceOf(const QByteArray& text) {
  return timelineChoiceFromJson(QJsonDocument::fromJson(text).object());
}

// Where nothing was expanded by hand, the next window expands what it has room for.
TimelineChoice choiceToStore(const TraceSession& session) {
  return session.choice().open.empty() ? session.choice() : session.choiceAsShown();
}

void copySharedSettings(const TimelineChoice& from, TimelineChoice& to) {
  to.colorBy = from.colorBy;
  to.rulerUnit = from.rulerUnit;
  to.lanePercent = from.lanePercent;
}

} // namespace

TimelineSettings::TimelineSettings(TraceSession& session, QSettings& settings, QObject* parent)
    : QObject(parent), m_session(session), m_settings(settings) {
  m_later.setSingleShot(true);
  m_later.setInterval(kLaterMs);
  connect(&m_later, &QTimer::timeout, this, &TimelineSettings::write);
  connect(&session, &TraceSession::traceChanged, this, &TimelineSettings::restore);
  connect(&session, &TraceSession::choiceChanged, this, [this] {
    m_changed = textOf(choiceToStore(m_session));
    m_later.start();
  });
  m_session.editChoice([&](TimelineChoice& choice) {
    copySharedSettings(choiceOf(m_settings.value(kSharedSettings).toByteArray()), choice);
  });
}

TimelineSettings::~TimelineSettings() = default;

void TimelineSettings::restore() {
  const QString job = m_session.trace() ? keyOfJob(*m_session.trace()) : QString();
  if (job == m_job) return;
  write(); // of the previous job: the session no longer has it
  m_job = job;
  const QByteArray stored = m_settings.value(kJobs + QLatin1Char('/') + job).toByteArray();
  if (job.isEmpty() || stored.isEmpty()) return;
  TimelineChoice choice = choiceOf(stored);
  copySharedSettings(m_session.choice(), choice);
  // Alignment makes times of ranks incomparable, so it is never restored.
  choice.alignedStep.reset();
  m_session.setChoice(std::move(choice));
}

void TimelineSettings::saveNow() {
  m_changed = textOf(choiceToStore(m_session));
  write();
}

void TimelineSettings::write() {
  m_later.stop();
  if (m_changed.isEmpty()) return;
  const QByteArray text = std::exchange(m_changed, {});
  TimelineChoice shared;
  copySharedSettings(choiceOf(text), shared);
  m_settings.setValue(kSharedSettings, textOf(shared));
  if (m_job.isEmpty()) return;
  m_settings.setValue(kJobs + QLatin1Char('/') + m_job, text);
  QStringList newest = m_settings.value(kNewest).toStringList();
  newest.removeAll(m_job);
  newest.prepend(m_job);
  while (newest.size() > kMaxStoredJobs) m_settings.remove(kJobs + QLatin1Char('/') + newest.takeLast());
  m_settings.setValue(kNewest, newest);
}

} // namespace rankscope::ui
