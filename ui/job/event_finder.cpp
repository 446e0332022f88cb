// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/event_finder.h"

#include "core/base/caught.h"
#include "core/base/thread_team.h"
#include "core/query/event_search.h"
#include "ui/base/workers.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace rankscope::ui {
namespace {

constexpr int kLookMs = 15; // polling interval of the worker's results
constexpr std::size_t kDensityParts = 2048;
constexpr std::uint64_t kMaxBegins = 2'000'000;

} // namespace

struct EventFinder::Work {
  std::shared_ptr<const TraceSet> trace;
  SearchQuery query;
  TimeRange limits;
  std::vector<TimeNs> shifts; // by rank, in drawn time
  std::atomic<bool> cancel{false};
  std::mutex mutex;
  // Guarded by the mutex:
  SearchHits hits;
  std::vector<std::uint32_t> density;
  std::vector<TimeNs> begins;
  std::uint64_t count = 0;
  bool fresh = false; // results not yet collected
  bool done = false;
  std::optional<Error> failure; // why the search is incomplete; set when it is done

  [[nodiscard]] TimeNs shiftOf(std::size_t rank) const { return rank < shifts.size() ? shifts[rank] : 0; }

  void take(RankIndex rank, std::shared_ptr<const RankHits> found) {
    std::vector<std::uint32_t> parts(kDensityParts, 0);
    const auto rankBegins = trace->rank(rank).trace->events.begin.span();
    const auto length = static_cast<double>(std::max<TimeNs>(limits.length(), 1));
    const TimeNs shift = shiftOf(rank.value);
    for (const EventIndex event : found->byTime) {
      const auto share = static_cast<double>(rankBegins[event.value] + shift - limits.begin) / length;
      const double part = std::clamp(share, 0.0, 1.0) * kDensityParts;
      ++parts[std::min(static_cast<std::size_t>(part), kDensityParts - 1)];
    }
    const std::scoped_lock lock(mutex);
    for (std::size_t i = 0; i < kDensityParts; ++i) density[i] += parts[i];
    count += found->size();
    hits.ranks[rank.value] = std::move(found);
    fresh = true;
  }

  void sortBegins() {
    std::vector<TimeNs> all;
    if (count <= kMaxBegins) {
      all.reserve(count);
      for (std::size_t i = 0; i < hits.ranks.size(); ++i) {
        if (!hits.ranks[i]) continue;
        const auto rankBegins = trace->rank(RankIndex(i)).trace->events.begin.span();
        for (const EventIndex event : hits.ranks[i]->byTime)
          all.push_back(rankBegins[event.value] + shiftOf(i));
      }
      std::ranges::sort(all);
    }
    const std::scoped_lock lock(mutex);
    begins = std::move(all);
  }

  void search() {
    const unsigned threads = defaultThreadCount();
    EventSearch(*trace, query, threads).run(threads, cancel, [this](RankIndex rank, auto found) {
      take(rank, std::move(found));
    });
    if (!cancel) sortBegins();
  }

  void run() noexcept {
    auto thrown = attempt([this] { search(); }, "to search");
    const std::scoped_lock lock(mutex);
    failure = std::move(thrown);
    done = true;
  }
};

EventFinder::EventFinder(TraceSession& session, QObject* parent) : QObject(parent), m_session(session) {
  m_timer.setInterval(kLookMs);
  connect(&m_timer, &QTimer::timeout, this, &EventFinder::collect);
  connect(&session, &TraceSession::shiftsChanged, this, &EventFinder::restart);
  connect(&session, &TraceSession::traceChanged, this, [this] {
    clear(); // hits refer to events of the previous job
    restart();
  });
}

EventFinder::~EventFinder() {
  giveUp();
}

void EventFinder::setText(const QString& text) {
  if (text == m_text) return;
  m_text = text;
  emit textChanged();
  restart();
}

void EventFinder::giveUp() {
  m_timer.stop();
  if (m_work) m_work->cancel = true;
  m_work.reset();
  m_stepWhenDone.reset();
  m_running.release();
}

void EventFinder::clear() {
  m_hits.reset();
  m_sums = {};
  m_begins.clear();
  m_density.clear();
  m_revision = nextRevision();
}

void EventFinder::restart() {
  giveUp();
  m_problem.reset();
  const auto& trace = m_session.trace();
  const QByteArray utf8 = m_text.toUtf8();
  const auto query = searchQueryFromText({utf8.constData(), static_cast<std::size_t>(utf8.size())});
  if (!query) {
    const auto at = static_cast<qsizetype>(query.error().byteOffset.value_or(0));
    m_problem =
        Problem{QString::fromStdString(query.error().message), QString::fromUtf8(utf8.left(at)).size()};
  }
  if (!query || query->empty() || !trace) {
    clear();
    emit changed();
    return;
  }
  PendingWork::Token running = m_session.pending().begin();
  auto work = std::make_shared<Work>();
  work->trace = trace;
  work->query = *query;
  work->limits = m_session.limits();
  work->shifts = m_session.shifts();
  work->hits.ranks.resize(trace->ranks().size());
  work->density.assign(kDensityParts, 0);
  runOnWorker(
      this, [work] { work->run(); }, [](const auto&) {});
  m_work = std::move(work);
  m_running = std::move(running);
  m_timer.start();
  emit changed();
}

void EventFinder::collect() {
  if (!m_work) return;
  bool done = false;
  {
    const std::scoped_lock lock(m_work->mutex);
    done = m_work->done;
    if (!m_work->fresh && !done) return;
    m_work->fresh = false;
    m_hits = std::make_shared<const SearchHits>(m_work->hits);
    m_density = m_work->density;
    if (done) m_begins = std::move(m_work->begins);
    if (m_work->failure) m_problem = Problem{QString::fromStdString(m_work->failure->text()), 0};
  }
  if (!done) m_begins.clear();
  m_sums = sumsOf(*m_session.trace(), *m_hits);
  m_revision = nextRevision();
  PendingWork::Token over; // released after follow-up work has started
  if (done) {
    m_timer.stop();
    m_work.reset();
    over = std::move(m_running);
  }
  emit changed();
  if (done && m_stepWhenDone) step(*std::exchange(m_stepWhenDone, std::nullopt));
}

void EventFinder::next() {
  step(true);
}

void EventFinder::previous() {
  step(false);
}

void EventFinder::step(bool forward) {
  // Until then the matches are those of the text before, or not all.
  if (m_work) {
    m_stepWhenDone = forward;
    return;
  }
  if (!m_hits) return;
  const TraceSet& trace = *m_session.trace();
  const EventRef selection = m_session.selection();
  const auto first = [&] { return hitFrom(trace, *m_hits, m_session.window().begin); };
  if (forward)
    m_session.reveal(selection.valid() ? hitAfter(trace, *m_hits, selection) : first());
  else
    m_session.reveal(hitBefore(trace, *m_hits, selection.valid() ? selection : first()));
}

std::optional<std::uint64_t> EventFinder::place() const {
  const EventRef selection = m_session.selection();
  if (!m_hits || !selection.valid()) return std::nullopt;
  const RankHits* const rank = m_hits->of(selection.rank);
  if (!rank || !rank->contains(selection.event)) return std::nullopt;
  return hitsBefore(*m_session.trace(), *m_hits, selection);
}

} // namespace rankscope::ui
