// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/findings_panel.h"

#include "core/base/unit_text.h"
#include "ui/trace_session.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QScrollArea>
#include <QVBoxLayout>

#include <functional>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr int kWidth = 300;

QString severityName(Severity severity) {
  const std::string_view text = severityText(severity);
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString costOf(const Finding& finding) {
  if (finding.cost) return QString::fromStdString(durationText(*finding.cost));
  if (finding.costBytes) return QString::fromStdString(bytesText(*finding.costBytes));
  return {};
}

QLabel* labelOf(const QString& name, const QString& text) {
  auto* label = new QLabel(text);
  label->setObjectName(name);
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  return label;
}

class FindingCard : public QFrame {
 public:
  FindingCard(const Finding& finding, std::function<void()> open) : m_open(std::move(open)) {
    setObjectName(QStringLiteral("findingCard"));
    setProperty("severity", severityName(finding.severity));
    setFocusPolicy(Qt::TabFocus);
    setCursor(Qt::PointingHandCursor);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 10, 10, 10);
    column->setSpacing(4);
    auto* top = new QHBoxLayout;
    top->addWidget(labelOf(QStringLiteral("findingTitle"), QString::fromStdString(finding.title)), 1);
    auto* cost = labelOf(QStringLiteral("findingCost"), costOf(finding));
    cost->setWordWrap(false);
    top->addWidget(cost, 0, Qt::AlignTop);
    column->addLayout(top);
    column->addWidget(labelOf(QStringLiteral("findingEvidence"), QString::fromStdString(finding.evidence)));
    if (!finding.fix.empty())
      column->addWidget(labelOf(QStringLiteral("findingFix"), QString::fromStdString(finding.fix)));
  }

 protected:
  void mouseReleaseEvent(QMouseEvent* event) override {
    if (event->button() == Qt::LeftButton && rect().contains(event->pos())) m_open();
  }
  void keyPressEvent(QKeyEvent* event) override {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Space)
      return m_open();
    QFrame::keyPressEvent(event);
  }

 private:
  std::function<void()> m_open;
};

} // namespace

FindingsPanel::FindingsPanel(TraceSession& session, QWidget* parent)
    : AnalysisPage(parent), m_session(session) {
  setObjectName(QStringLiteral("findings"));
  setAttribute(Qt::WA_StyledBackground);
  setMinimumWidth(kWidth);
  m_count = new QLabel;
  m_count->setObjectName(QStringLiteral("caption"));
  m_empty = labelOf(QStringLiteral("emptyText"), {});
  auto* title = labelOf(QStringLiteral("cardTitle"), tr("Findings"));
  title->setWordWrap(false);
  auto* top = new QHBoxLayout;
  top->addWidget(title);
  top->addWidget(m_count);
  top->addStretch();
  auto* inner = new QWidget;
  inner->setObjectName(QStringLiteral("findingsInner"));
  m_cards = new QVBoxLayout(inner);
  m_cards->setContentsMargins(0, 0, 8, 0);
  m_cards->setSpacing(8);
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(inner);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 12, 4, 8);
  column->setSpacing(8);
  column->addLayout(top);
  column->addWidget(m_empty);
  column->addWidget(scroll, 1);
  setContents<std::vector<Finding>>(
      [](const Analysis& analysis) { return analysis.findings(); },
      [this](const std::shared_ptr<const std::vector<Finding>>& findings) { showFindings(findings.get()); });
  showFindings(nullptr);
}

void FindingsPanel::showFindings(const std::vector<Finding>* findings) {
  while (QLayoutItem* item = m_cards->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  const bool any = findings != nullptr && !findings->empty();
  m_empty->setVisible(!any);
  m_empty->setText(findings == nullptr ? tr("Being looked for …") : tr("Nothing was found."));
  m_count->setText(any ? QString::number(findings->size()) : QString());
  if (any)
    for (const Finding& finding : *findings)
      m_cards->addWidget(new FindingCard(finding, [this, finding] { reveal(finding); }));
  m_cards->addStretch();
  emit countChanged(findings == nullptr ? -1 : static_cast<int>(findings->size()));
}

void FindingsPanel::reveal(const Finding& finding) {
  revealFinding(m_session, finding);
  emit timelineWanted();
}

void revealFinding(TraceSession& session, const Finding& finding) {
  if (!session.trace()) return;
  if (finding.event.valid()) session.select(finding.event);
  if (!finding.place.empty())
    session.revealPlace(finding.rank, finding.place);
  else if (finding.event.valid())
    session.reveal(finding.event);
}

} // namespace rankscope::ui
