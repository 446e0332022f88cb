// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/strips/view_chips.h"

#include "ui/base/counted.h"
#include "ui/job/trace_session.h"
#include "ui/timeline/picture/span_colors.h"
#include "ui/timeline/tracks/rank_arrangement.h"
#include "ui/timeline/tracks/track_layout.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>

namespace rankscope::ui {

ViewChips::ViewChips(TraceSession& session, const TrackLayout& layout, QWidget* parent)
    : QWidget(parent), m_session(session), m_layout(layout), m_row(new QHBoxLayout(this)) {
  setObjectName(QStringLiteral("viewChips"));
  m_row->setContentsMargins(10, 3, 10, 3);
  m_row->setSpacing(6);
  setAccessibleName(tr("Active view options"));
}

void ViewChips::addChip(const QString& text, const QString& tip, bool warns, void (*end)(TraceSession&)) {
  auto* chip = new QToolButton;
  chip->setObjectName(warns ? QStringLiteral("warningChip") : QStringLiteral("viewChip"));
  chip->setText(text + QStringLiteral("   ✕"));
  chip->setToolTip(tip);
  chip->setAccessibleName(text);
  chip->setAccessibleDescription(tip);
  chip->setFocusPolicy(Qt::TabFocus);
  chip->setFixedHeight(wantedHeight() - scaledToText(6));
  // The click rebuilds this row, so it runs queued, after the chip's own code has returned.
  connect(
      chip, &QToolButton::clicked, this, [this, end] { end(m_session); }, Qt::QueuedConnection);
  m_row->addWidget(chip);
  chip->show(); // visible also in a screenshot taken before the event loop runs
  ++m_count;
}

void ViewChips::addColorLegend() {
  const ColorBy by = m_session.choice().colorBy;
  if (by == ColorBy::Kind) return;
  const QString meaning = by == ColorBy::Name    ? tr("Colors: by name")
                          : by == ColorBy::Phase ? tr("Colors: by phase")
                                                 : tr("Colors: by duration");
  addChip(meaning, tr("Reset to colors by kind"), false, [](TraceSession& session) {
    session.editChoice([](TimelineChoice& choice) { choice.colorBy = ColorBy::Kind; });
  });
  QString legend;
  for (const ColorMeaning& part : meaningsOf(by, m_session.theme()))
    legend += QStringLiteral("<span style='color:%1'>■</span>&nbsp;%2&nbsp;&nbsp; ")
                  .arg(part.color.name(), part.text.toHtmlEscaped());
  if (legend.isEmpty()) return;
  auto* label = new QLabel(legend);
  label->setTextFormat(Qt::RichText);
  label->setMinimumWidth(0);
  label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  m_row->addWidget(label, 1);
  label->show();
}

void ViewChips::refresh() {
  while (QLayoutItem* item = m_row->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  m_count = 0;
  if (!m_session.trace()) return;
  const TimelineChoice& choice = m_session.choice();
  if (choice.alignedStep)
    addChip(tr("Ranks aligned at the start of step %1").arg(*choice.alignedStep),
            tr("Times of different ranks are not comparable while aligned. Click to turn off."), true,
            [](TraceSession& session) {
              session.editChoice([](TimelineChoice& it) { it.alignedStep.reset(); });
            });
  if (const std::size_t folds = m_session.folds().all().size(); folds > 0)
    addChip(counted(static_cast<qint64>(folds), tr("1 gap between captures folded"),
                    tr("%1 gaps between captures folded")),
            tr("Draw them at full length"), false, [](TraceSession& session) {
              session.editChoice([](TimelineChoice& it) { it.foldGaps = false; });
            });
  if (!choice.filter.isEmpty())
    addChip(tr("Only tracks with “%1”").arg(choice.filter), tr("Show all tracks again"), false,
            [](TraceSession& session) { session.editChoice([](TimelineChoice& it) { it.filter.clear(); }); });
  if (!choice.hidden.empty())
    addChip(counted(static_cast<qint64>(choice.hidden.size()), tr("1 hidden"), tr("%1 hidden")),
            tr("Show hidden tracks"), false,
            [](TraceSession& session) { session.editChoice([](TimelineChoice& it) { it.hidden.clear(); }); });
  if (choice.sort != RankSort::Rank || !choice.grouping.isEmpty()) {
    QStringList how;
    if (choice.sort != RankSort::Rank) how << sortTitle(choice.sort);
    if (!choice.grouping.isEmpty()) how << groupingTitle(choice.grouping);
    addChip(how.join(QStringLiteral(", ")), tr("Reset rank order"), false, [](TraceSession& session) {
      session.editChoice([](TimelineChoice& it) {
        it.sort = RankSort::Rank;
        it.grouping.clear();
      });
    });
  }
  addColorLegend();
  if (m_count > 0) m_row->addStretch();
  m_row->activate();
}

QStringList ViewChips::texts() const {
  QStringList texts;
  for (const auto* chip : findChildren<QToolButton*>()) texts << chip->accessibleName();
  return texts;
}

void ViewChips::paintEvent(QPaintEvent*) {
  const Theme& theme = m_session.theme();
  QPainter painter(this);
  painter.fillRect(rect(), theme.panel);
  painter.fillRect(QRect(0, height() - 1, width(), 1), theme.line);
}

} // namespace rankscope::ui
