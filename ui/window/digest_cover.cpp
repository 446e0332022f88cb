// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/digest_cover.h"

#include "core/model/rank_digest.h"
#include "core/model/side_files.h"
#include "core/report/digest_tables.h"
#include "core/report/job_report.h"
#include "ui/widgets/wrapped_label.h"

#include <QEvent>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <string_view>

namespace rankscope::ui {

namespace {

constexpr int kMargin = 40;

struct TabNeed {
  const char* tab;
  const char* needs;
};

// In the order of the bar.
constexpr std::array kNeeds{
    TabNeed{"parallelism", QT_TRANSLATE_NOOP("rankscope::ui::DigestCover",
                                             "The layout is found from who issued each collective.")},
    TabNeed{"stacks", QT_TRANSLATE_NOOP("rankscope::ui::DigestCover",
                                        "Stacks are made of all calls and what they launched.")},
    TabNeed{"efficiency", QT_TRANSLATE_NOOP("rankscope::ui::DigestCover",
                                            "FLOPs are counted from the arguments of every operator.")},
    TabNeed{"compare", QT_TRANSLATE_NOOP("rankscope::ui::DigestCover",
                                         "Two jobs are compared operator by operator in each step.")},
    TabNeed{"query", QT_TRANSLATE_NOOP("rankscope::ui::DigestCover", "Queries read single events.")},
};

constexpr std::array<std::string_view, 6> kTabsOfFilesBeside{"memory", "hang",  "network",
                                                             "files",  "query", "compare"};

} // namespace

QString whyTabIsEmpty(const QString& tab, const JobReport* report) {
  if (report == nullptr || !hasDigests(report->analysis().trace())) return {};
  const Analysis& analysis = report->analysis();
  const bool isAnswered = tab == QLatin1String("parallelism") || tab == QLatin1String("efficiency");
  if (isAnswered && hasAnswers(analysis.trace(), analysis.ranks())) return {};
  const auto need =
      std::ranges::find_if(kNeeds, [&](const TabNeed& of) { return tab == QLatin1String(of.tab); });
  return need == kNeeds.end() ? QString() : DigestCover::tr(need->needs);
}

QString whyTabNeedsTrace(const QString& tab, const JobReport* report) {
  if (report == nullptr || !report->analysis().trace().ranks().empty()) return {};
  if (std::ranges::find(kTabsOfFilesBeside, tab.toStdString()) != kTabsOfFilesBeside.end()) return {};
  const SideFiles& side = report->analysis().trace().side();
  QStringList tabs;
  if (!side.snapshots.empty() || !side.timelines.empty()) tabs << DigestCover::tr("Memory");
  if (!side.flightRecords.empty()) tabs << DigestCover::tr("Hang");
  if (tabs.isEmpty()) tabs << DigestCover::tr("Network");
  return DigestCover::tr(
             "What was opened is in the %1 tab. This tab is about the trace of the same run: open it "
             "together with these files, or the folder that has both. torch.profiler records it.")
      .arg(tabs.join(DigestCover::tr(" and the ")));
}

DigestCover::DigestCover(QWidget* parent) : QWidget(parent), m_title(new QLabel), m_reason(new WrappedLabel) {
  setObjectName(QStringLiteral("page"));
  setAttribute(Qt::WA_StyledBackground);
  m_title->setObjectName(QStringLiteral("startTitle"));
  m_reason->setObjectName(QStringLiteral("startText"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(kMargin, kMargin, kMargin, kMargin);
  column->setSpacing(kMargin / 4);
  column->addWidget(m_title);
  column->addWidget(m_reason);
  column->addStretch();
  parent->installEventFilter(this);
  hide();
}

void DigestCover::setReasons(const QString& digest, const QString& trace) {
  m_title->setText(digest.isEmpty() ? tr("No trace was opened") : tr("Not in a digest"));
  m_reason->setText(
      digest.isEmpty()
          ? trace
          : tr("%1 A digest has not the events of all ranks. rankscope-cli loads those of the ranks that are "
               "asked for with --ranks, if they were kept or their traces can be reached. Or open the traces "
               "of the ranks that stand out; Files lists where they lie.")
                .arg(digest));
  setVisible(!m_reason->text().isEmpty());
  setGeometry(parentWidget()->rect());
  raise();
}

bool DigestCover::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize || event->type() == QEvent::Show) setGeometry(parentWidget()->rect());
  return QWidget::eventFilter(watched, event);
}

} // namespace rankscope::ui
