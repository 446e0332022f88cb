// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/details/collective_panel.h"

#include "core/base/unit_text.h"
#include "ui/base/counted.h"
#include "ui/base/short_name.h"
#include "ui/base/ui_text.h"
#include "ui/details/collective_table.h"
#include "ui/job/trace_session.h"
#include "ui/widgets/elided_label.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace rankscope::ui {
namespace {

constexpr int kExplanationShare = 2; // of five parts of the width; the table gets the rest

QString lasting(TimeNs length) {
  return textOf(durationText(length));
}

QString partText(const LateArrival& arrival) {
  if (arrival.part == LatePart::Unknown) return CollectivePanel::tr("not explained by recorded activity");
  return CollectivePanel::tr("%1 longer in %2")
      .arg(lasting(arrival.excess), textOf(latePartText(arrival.part)));
}

} // namespace

QString collectiveTitle(const JobHighlights& highlights, const CollectiveInstance& instance) {
  const Analysis& analysis = highlights.analysis();
  const JobGroup& group = analysis.collectives().match.group(instance);
  QString operation = textOf(operationText(instance.operation));
  if (instance.sequence >= 0) operation += QStringLiteral(" #%1").arg(instance.sequence);
  QStringList parts{operation, QString::fromStdString(group.label())};
  // Some recordings give the size of a part of the group.
  const qint64 size = std::max<qint64>(group.size, instance.count);
  parts << (size > instance.count
                ? CollectivePanel::tr("%1 of %2 ranks").arg(instance.count).arg(size)
                : counted(size, CollectivePanel::tr("1 rank"), CollectivePanel::tr("%1 ranks")));
  if (instance.bytes) {
    QString bytes = textOf(bytesText(*instance.bytes));
    if (instance.dtype.valid()) bytes += QLatin1Char(' ') + textOf(analysis.trace().names()[instance.dtype]);
    parts << bytes;
  }
  if (instance.bytes && instance.transfer > 0) {
    const double algbw = static_cast<double>(*instance.bytes) * 1e9 / static_cast<double>(instance.transfer);
    parts << CollectivePanel::tr("algbw %1").arg(textOf(rateText(algbw)));
    if (const auto factor = busFactor(instance.operation, size))
      parts << CollectivePanel::tr("busbw %1").arg(textOf(rateText(algbw * *factor)));
  }
  return parts.join(QStringLiteral(" · "));
}

QString arrivalSummary(const JobHighlights& highlights, const CollectiveInstance& instance) {
  if (!instance.matched())
    return CollectivePanel::tr("No other participant was recorded: wait and transfer are unknown.");
  const QString transfer = lasting(instance.transfer);
  if (instance.skew() <= 0)
    return CollectivePanel::tr("All ranks arrived together; transfer %1.").arg(transfer);
  return CollectivePanel::tr("Rank %1 arrived last, %2 after the first; transfer %3.")
      .arg(highlights.analysis().trace().rank(instance.lastRank).rank)
      .arg(lasting(instance.skew()), transfer);
}

Explanation arrivalExplanation(const JobHighlights& highlights, const CollectiveInstance& instance,
                               const std::optional<LateArrival>& arrival, bool known) {
  const Analysis& analysis = highlights.analysis();
  const TraceSet& trace = analysis.trace();
  const auto rankOf = [&](RankIndex rank) { return trace.rank(rank).rank; };
  Explanation explanation;
  explanation.summary = arrivalSummary(highlights, instance);
  if (!instance.matched()) return explanation;
  const auto add = [&](const QString& key, const QString& text, const QString& note = {},
                       EventRef target = {}) {
    explanation.rows.push_back({key, text, note, target});
  };
  if (!known) {
    add(CollectivePanel::tr("Cause of lateness"), CollectivePanel::tr("Computing …"));
  } else if (arrival) {
    add(CollectivePanel::tr("Cause on rank %1").arg(rankOf(arrival->rank)), partText(*arrival),
        arrival->part == LatePart::Unknown
            ? CollectivePanel::tr("arrived %1 after rank %2, the median of all ranks")
                  .arg(lasting(arrival->late))
                  .arg(rankOf(arrival->reference))
            : CollectivePanel::tr("than on rank %1, the median of all ranks, which arrived %2 earlier")
                  .arg(rankOf(arrival->reference))
                  .arg(lasting(arrival->late)));
    if (arrival->name.valid()) {
      const EventKind kind = arrival->event.valid()
                                 ? trace.rank(arrival->rank).trace->events.kind[arrival->event]
                                 : EventKind::Other;
      add(CollectivePanel::tr("Mostly in"),
          QString::fromStdString(shortName(kind, trace.names()[arrival->name])),
          CollectivePanel::tr("%1 longer than on rank %2")
              .arg(lasting(arrival->nameExcess))
              .arg(rankOf(arrival->reference)),
          {arrival->rank, arrival->event});
    }
    if (arrival->longestGap)
      add(CollectivePanel::tr("Longest idle gap"), lasting(arrival->longestGap->range.length()),
          gapCauseLabel(highlights, arrival->rank, *arrival->longestGap, true),
          {arrival->rank, arrival->longestGap->next});
    if (!arrival->before.empty())
      add(CollectivePanel::tr("Compared interval"), lasting(arrival->before.length()),
          CollectivePanel::tr("since the previous collective of these two ranks"));
  }
  add(CollectivePanel::tr("Matched by"), textOf(matchedByText(instance.matchedBy)));
  if (const StragglerNote* const note = highlights.straggler(instance.lastRank))
    explanation.warning = CollectivePanel::tr("Straggler: rank %1, gain %2/step.")
                              .arg(rankOf(instance.lastRank))
                              .arg(textOf(gainText(note->gain)));
  return explanation;
}

CollectivePanel::CollectivePanel(TraceSession& session, QWidget* parent)
    : QWidget(parent), m_session(session), m_arrival(session.pending()) {
  m_empty = new QLabel(tr("Select a collective (a communication kernel) to compare its ranks: arrival order, "
                          "wait, transfer and bandwidth."));
  m_empty->setObjectName(QStringLiteral("emptyText"));
  m_empty->setAlignment(Qt::AlignCenter);
  m_empty->setWordWrap(true);
  m_title = new ElidedLabel;
  m_title->setObjectName(QStringLiteral("cardTitle"));
  m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  const auto button = [](const QString& text, const QString& tip) {
    auto* step = new QToolButton;
    step->setObjectName(QStringLiteral("legend"));
    step->setText(text);
    step->setToolTip(tip);
    step->setAccessibleName(tip);
    step->setFocusPolicy(Qt::TabFocus);
    return step;
  };
  m_previous = button(tr("‹ Previous"), tr("Previous collective of this group (Shift+I)"));
  m_next = button(tr("Next ›"), tr("Next collective of this group (I)"));
  m_table = new CollectiveTable(session);
  m_explanation = new ExplanationPage(session);

  auto* head = new QHBoxLayout;
  head->setContentsMargins(14, 8, 10, 2);
  head->addWidget(m_title, 1);
  head->addWidget(m_previous);
  head->addWidget(m_next);
  auto* parts = new QHBoxLayout;
  parts->setContentsMargins(0, 0, 0, 0);
  parts->setSpacing(0);
  parts->addWidget(m_table, 5 - kExplanationShare);
  parts->addWidget(m_explanation, kExplanationShare);
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(head);
  column->addLayout(parts, 1);
  m_stack = new QStackedWidget;
  m_stack->addWidget(m_empty);
  m_stack->addWidget(page);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(m_stack);

  connect(&session, &TraceSession::selectionChanged, this, &CollectivePanel::showSelection);
  connect(&session, &TraceSession::highlightsChanged, this, &CollectivePanel::showSelection);
  connect(&session, &TraceSession::traceChanged, this, &CollectivePanel::showSelection);
  connect(m_table, &CollectiveTable::eventWanted, this, &CollectivePanel::eventWanted);
  connect(m_previous, &QToolButton::clicked, this, [this] { emit eventWanted(neighbor(false)); });
  connect(m_next, &QToolButton::clicked, this, [this] { emit eventWanted(neighbor(true)); });
  showSelection();
}

QString CollectivePanel::title() const {
  return m_title->text();
}

EventRef CollectivePanel::neighbor(bool after) const {
  return m_highlights ? m_highlights->ofSameGroup(m_session.selection(), after) : EventRef{};
}

void CollectivePanel::showSelection() {
  const CollectiveInstance* const before = m_instance;
  const auto highlightsBefore = std::exchange(m_highlights, m_session.highlights());
  const EventRef selection = m_session.selection();
  m_instance = m_highlights && m_session.trace() ? m_highlights->instanceOf(selection) : nullptr;
  m_stack->setCurrentIndex(m_instance ? 1 : 0);
  if (!m_instance) return m_arrival.drop();
  const Participant* const part = m_highlights->partOf(*m_instance, selection.rank);
  m_table->setLines(collectiveLines(*m_highlights, *m_instance),
                    part ? m_highlights->eventOf(*part) : selection);
  m_previous->setEnabled(neighbor(false).valid());
  m_next->setEnabled(neighbor(true).valid());
  if (m_instance == before && m_highlights == highlightsBefore) return;
  m_title->setText(collectiveTitle(*m_highlights, *m_instance));
  askForArrival();
}

void CollectivePanel::askForArrival() {
  m_explanation->showExplanation(arrivalExplanation(*m_highlights, *m_instance, {}, false));
  m_arrival.ask([highlights = m_highlights,
                 instance = m_instance] { return lateArrivalOf(highlights->analysis(), *instance); },
                [this](const std::optional<LateArrival>& arrival) {
                  m_explanation->showExplanation(
                      arrivalExplanation(*m_highlights, *m_instance, arrival, true));
                });
}

} // namespace rankscope::ui
