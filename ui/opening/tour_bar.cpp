// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/tour_bar.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace rankscope::ui {

std::vector<TourStop> tourStops() {
  const auto stop = [](const char* action, const QString& title, const QString& text, bool findings = false) {
    return TourStop{QString::fromLatin1(action), title, text, findings};
  };
  return {
      stop("window.overview", TourBar::tr("Overview"),
           TourBar::tr("How the job is doing: key figures, where each step goes, and the findings that would "
                       "gain most. Hover over a figure or a column head for its definition.")),
      stop("window.overview", TourBar::tr("Findings"),
           TourBar::tr("The panel on the right lists what is wrong, by what a step would gain: what, where, "
                       "the evidence and the fix. Click one to see its evidence on the timeline."),
           true),
      stop("window.timeline", TourBar::tr("Timeline"),
           TourBar::tr("Every rank on one clock. W and S zoom, A and D pan, F fits the selection, Home fits "
                       "all. Hatched red is idle time, hatched orange is exposed communication.")),
      stop("highlights.next", TourBar::tr("Hotspots"),
           TourBar::tr("N goes to the next hotspot. Click a gap to see what the host did meanwhile, or a "
                       "collective to see when each rank arrived. [ and ] follow links: kernel, launch, "
                       "operator.")),
      stop("window.timeline", TourBar::tr("Ranges"),
           TourBar::tr("Shift+drag selects a range: every tab then shows that part only. M marks it, Esc "
                       "deselects.")),
      stop("window.gains", TourBar::tr("Gains"),
           TourBar::tr("Where the step goes, part by part, and how long it would take without each. What if "
                       "replays the step under other conditions.")),
      stop("window.overview", TourBar::tr("More"),
           TourBar::tr("Ctrl+K finds every command, ? lists the keys, F1 opens the guide. Ctrl+E exports "
                       "tables, charts and a report.")),
  };
}

TourBar::TourBar(QWidget* parent)
    : QFrame(parent), m_stops(tourStops()), m_count(new QLabel), m_title(new QLabel), m_text(new QLabel),
      m_back(new QPushButton(tr("Back"))), m_next(new QPushButton) {
  setObjectName(QStringLiteral("tour"));
  m_count->setObjectName(QStringLiteral("bannerDetails"));
  m_title->setObjectName(QStringLiteral("bannerTitle"));
  m_text->setObjectName(QStringLiteral("bannerDetails"));
  m_text->setWordWrap(true);
  auto* end = new QPushButton(tr("End the tour"));
  end->setObjectName(QStringLiteral("endTour"));
  m_next->setObjectName(QStringLiteral("primary"));
  m_back->setObjectName(QStringLiteral("backTour"));
  for (QPushButton* const button : {m_back, m_next, end}) button->setAutoDefault(true);
  auto* head = new QHBoxLayout;
  head->setSpacing(10);
  head->addWidget(m_title);
  head->addWidget(m_count);
  head->addStretch();
  auto* texts = new QVBoxLayout;
  texts->setSpacing(3);
  texts->addLayout(head);
  texts->addWidget(m_text);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(18, 9, 14, 9);
  row->setSpacing(8);
  row->addLayout(texts, 1);
  for (QPushButton* const button : {m_back, m_next, end}) row->addWidget(button, 0, Qt::AlignVCenter);
  connect(m_back, &QPushButton::clicked, this, [this] { show(m_at - 1); });
  connect(m_next, &QPushButton::clicked, this, [this] { show(m_at + 1); });
  connect(end, &QPushButton::clicked, this, &TourBar::end);
  hide();
}

void TourBar::start() {
  show(0);
  m_next->setFocus(Qt::OtherFocusReason);
}

void TourBar::show(int stop) {
  const int count = static_cast<int>(m_stops.size());
  if (stop >= count) return end();
  m_at = std::max(0, stop);
  const TourStop& at = m_stops[static_cast<std::size_t>(m_at)];
  m_title->setText(at.title);
  m_count->setText(tr("%1 of %2").arg(m_at + 1).arg(count));
  m_text->setText(at.text);
  setAccessibleName(at.title);
  setAccessibleDescription(at.text);
  m_back->setEnabled(m_at > 0);
  m_next->setText(m_at + 1 < count ? tr("Next") : tr("Done"));
  QFrame::show();
  const bool focused = m_next->hasFocus() || m_back->hasFocus();
  emit findingsWanted(at.findings);
  emit actionWanted(at.action);
  if (focused) m_next->setFocus(Qt::OtherFocusReason); // the tab that was shown took it
}

void TourBar::end() {
  m_at = -1;
  hide();
}

void TourBar::keyPressEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_Escape) return QFrame::keyPressEvent(event);
  end();
  event->accept();
}

} // namespace rankscope::ui
