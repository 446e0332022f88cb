// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/table_scope.h"

#include "core/analysis/job/scope.h"
#include "core/base/parallel_for.h"
#include "core/base/unit_text.h"
#include "core/model/rank_digest.h"
#include "core/report/job_totals.h"
#include "ui/job/range_preview.h"
#include "ui/job/trace_session.h"

#include <algorithm>
#include <set>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr int kWaitMilliseconds = 120;
constexpr TimeNs kTextSteps = 100; // digits of the text resolve a hundredth of the range

} // namespace

TableScope::TableScope(TraceSession& session, QObject* parent)
    : QObject(parent), m_session(session), m_task(session.pending()) {
  m_wait.setSingleShot(true);
  m_wait.setInterval(kWaitMilliseconds);
  connect(&m_wait, &QTimer::timeout, this, &TableScope::analyzePart);
  connect(&session, &TraceSession::rangeChanged, this, &TableScope::followSession);
  connect(&session, &TraceSession::shiftsChanged, this, &TableScope::followSession);
  connect(&session, &TraceSession::choiceChanged, this, &TableScope::followChoice);
}

TableScope::~TableScope() {
  giveUp();
}

void TableScope::setWhole(std::shared_ptr<const JobReport> whole) {
  giveUp();
  m_whole = std::move(whole);
  // The previous report is of another recording.
  m_report = m_whole;
  emit changed();
  if (wantsPart()) analyzePart();
}

bool TableScope::wantsPart() const {
  const bool cuts = m_whole && !hasDigests(m_whole->analysis().trace());
  return (m_followsRange && cuts && m_session.range()) || m_session.choice().capture != 0;
}

void TableScope::followChoice() {
  if (m_session.choice().capture == m_capture) return;
  m_capture = m_session.choice().capture;
  followSession();
}

void TableScope::setFollowsRange(bool follows) {
  if (m_followsRange == follows) return;
  m_followsRange = follows;
  followSession();
  emit changed();
}

void TableScope::followSession() {
  if (!m_whole) return;
  if (wantsPart()) {
    m_waiting = m_session.pending().begin();
    const Analysis& whole = m_whole->analysis();
    RangePreview::of(m_session).offer(
        std::make_shared<const Analysis>(whole, scopeOfSelection(m_session, whole, m_followsRange)));
    return m_wait.start();
  }
  giveUp();
  show(m_whole);
}

void TableScope::analyzePart() {
  giveUp();
  if (!m_whole || !wantsPart()) return;
  m_capture = m_session.choice().capture;
  m_progress = std::make_shared<Progress>();
  m_task.ask(
      [whole = m_whole, scope = scopeOfSelection(m_session, m_whole->analysis(), m_followsRange),
       progress = m_progress] {
        auto report = std::make_shared<const JobReport>(
            std::make_shared<const Analysis>(whole->analysis(), scope), EfficiencySettings(),
            GainMethod::Replay, whole->networkInput());
        report->computeAll(defaultThreadCount(), progress.get());
        return report;
      },
      [this](std::shared_ptr<const JobReport> report) { show(std::move(report)); },
      [this](const Error& error) {
        reportFailure(error);
        m_followsRange = false; // the metrics shown are those of the whole trace
        m_report = nullptr;
        show(m_whole);
      });
}

void TableScope::show(std::shared_ptr<const JobReport> report) {
  if (m_report != report) {
    m_report = std::move(report);
    emit changed();
  }
}

void TableScope::giveUp() {
  m_wait.stop();
  m_waiting.release();
  m_task.drop();
  if (m_progress) m_progress->cancel = true;
  m_progress.reset();
}

QString TableScope::text() const {
  const auto drawn = m_session.range();
  const int capture = m_session.trace() ? m_session.choice().capture : 0;
  const QString ofCapture = capture == 0 ? QString() : tr("Capture %1").arg(capture);
  if (!m_followsRange || !drawn || !m_session.trace()) return capture == 0 ? tr("Whole trace") : ofCapture;
  const TimeRange range = m_session.recorded(*drawn);
  const TimeNs origin = m_session.trace()->extent().begin;
  const TimeNs step = std::max<TimeNs>(1, range.length() / kTextSteps);
  QString text = tr("%1 to %2")
                     .arg(QString::fromStdString(timeText(range.begin - origin, step)),
                          QString::fromStdString(timeText(range.end - origin, step)));
  if (capture != 0) text += QStringLiteral(" · ") + ofCapture;
  if (m_session.rangeTracks().empty()) return text;
  std::set<int> ranks;
  for (const RankTracks& of : m_session.rangeTracks()) ranks.insert(m_session.trace()->rank(of.rank).rank);
  const QString numbers = QString::fromStdString(numberRangesText({ranks.begin(), ranks.end()}));
  return text + QStringLiteral(" · ") + (ranks.size() == 1 ? tr("rank %1") : tr("ranks %1")).arg(numbers);
}

AnalysisScope scopeOfSelection(const TraceSession& session, const Analysis& analysis, bool withRange) {
  const AnalysisScope scope = wholeScope(analysis);
  AnalysisScope chosen;
  // Results of a digest are those of whole recordings.
  const auto range = withRange && !hasDigests(analysis.trace()) ? session.range() : std::nullopt;
  const auto& tracks = session.rangeTracks();
  for (std::size_t i = 0; i < scope.ranks.size(); ++i) {
    const RankIndex rank = scope.ranks[i];
    if (!session.choice().shows(analysis.trace().rank(rank))) continue;
    if (range && !tracks.empty() && std::ranges::find(tracks, rank, &RankTracks::rank) == tracks.end())
      continue;
    chosen.ranks.push_back(rank);
    // If ranks are shifted, the drawn range is shifted too.
    chosen.windows.push_back(range ? analysis.clocks().of(rank).fromJob(session.placeOf(rank, *range))
                                   : scope.windows[i]);
  }
  return chosen;
}

} // namespace rankscope::ui
