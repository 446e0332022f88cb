// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/query/result_chart.h"

#include "ui/base/counted.h"
#include "ui/job/trace_session.h"

#include <QComboBox>
#include <QSignalBlocker>
#include <QStackedWidget>

#include <utility>

namespace rankscope::ui {

namespace {

QStackedWidget* stackOf(QWidget* first, QWidget* second) {
  auto* stack = new QStackedWidget;
  stack->addWidget(first);
  stack->addWidget(second);
  return stack;
}

// Curves of their own colors.
std::vector<LegendItem> legendOf(const ChartPoints& points) {
  std::vector<LegendItem> items;
  if (!points.by) return items;
  for (const Curve& curve : points.curves.curves) {
    if (curve.color == points.curves.curves.front().color && !items.empty()) return {};
    items.push_back({.name = curve.name, .color = curve.color, .line = true});
  }
  return items;
}

} // namespace

ResultChart::ResultChart(const TraceSession& session, QWidget* parent)
    : ResultChart(session, new StackedBars(session), new LinePlot(session), parent) {}

ResultChart::ResultChart(const TraceSession& session, StackedBars* bars, LinePlot* curves, QWidget* parent)
    : ChartCard(tr("Chart"), stackOf(bars, curves), session, parent), m_bars(bars), m_curves(curves),
      m_charts(static_cast<QStackedWidget*>(bars->parentWidget())), m_across(new QComboBox),
      m_upward(new QComboBox) {
  m_across->setToolTip(tr("Column of the horizontal axis, or of the names of bars"));
  m_upward->setToolTip(tr("Column of the amounts"));
  for (QComboBox* choice : {m_upward, m_across}) {
    choice->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    addControl(choice);
    connect(choice, &QComboBox::currentIndexChanged, this, &ResultChart::showChosen);
  }
  connect(m_bars, &StackedBars::partClicked, this, [this](int bar, int) {
    if (const int row = m_points.rowOfBar(bar); row >= 0) emit rowActivated(row);
  });
  connect(m_curves, &LinePlot::clicked, this, [this](int curve, double x) {
    if (const int row = m_points.rowOfPoint(curve, x); row >= 0) emit rowActivated(row);
  });
  showChosen();
}

void ResultChart::setTable(std::shared_ptr<const ResultTable> table, const QString& emptyText) {
  const bool same = table && m_table && table->columns() == m_table->columns();
  m_table = std::move(table);
  m_emptyText = emptyText;
  m_rows.clear();
  if (!same) listColumns();
  showChosen();
}

void ResultChart::setRows(std::vector<int> rows, bool leads) {
  m_rows = std::move(rows);
  m_leads = leads;
  showChosen();
}

void ResultChart::listColumns() {
  const QSignalBlocker quietAcross(m_across);
  const QSignalBlocker quietUpward(m_upward);
  m_across->clear();
  m_upward->clear();
  if (!m_table) return;
  for (std::size_t i = 0; i < m_table->columns().size(); ++i) {
    const TableColumn& column = m_table->columns()[i];
    const QString name = QString::fromStdString(column.name);
    m_across->addItem(tr("by %1").arg(name), static_cast<qulonglong>(i));
    if (isDrawable(column)) m_upward->addItem(name, static_cast<qulonglong>(i));
  }
  const auto first = firstChartColumns(*m_table);
  if (!first) return;
  m_across->setCurrentIndex(m_across->findData(static_cast<qulonglong>(first->x)));
  m_upward->setCurrentIndex(m_upward->findData(static_cast<qulonglong>(first->y)));
}

void ResultChart::showChosen() {
  const bool some = m_table && m_upward->count() > 0 && m_across->count() > 1;
  m_across->setVisible(some);
  m_upward->setVisible(some);
  m_points = {};
  if (!some) {
    setTitle(tr("Chart"));
    setCaption({});
    const bool rows = m_table && m_table->rowCount() > 0;
    return setEmptyText(rows ? tr("A chart needs two columns, one of them with amounts.") : m_emptyText);
  }
  const ChartColumns columns{m_across->currentData().toULongLong(), m_upward->currentData().toULongLong()};
  m_points = chartPoints(*m_table, m_rows, columns);
  setTitle(tr("%1 by %2")
               .arg(QString::fromStdString(m_table->columns()[columns.y].name),
                    QString::fromStdString(m_table->columns()[columns.x].name)));
  if (m_points.shape == ChartPoints::Shape::None) {
    setCaption({});
    const QString none = m_rows.empty() ? tr("No row is shown.") : tr("No row has a value in both columns.");
    return setEmptyText(m_table->rowCount() == 0 ? m_emptyText : none);
  }
  setEmptyText({});
  const bool bars = m_points.shape == ChartPoints::Shape::Bars;
  // Hidden bars would keep the height that they need.
  m_bars->setBars(bars ? m_points.bars : BarRows());
  m_curves->setCurves(bars ? Curves() : m_points.curves);
  setLegend(legendOf(m_points));
  m_charts->setCurrentWidget(bars ? static_cast<QWidget*>(m_bars) : m_curves);
  setCaption(captionText(), m_leads ? tr("Click: show in the timeline") : QString());
}

QString ResultChart::captionText() const {
  QStringList parts;
  if (m_points.left > 0)
    parts << tr("first %1 of %2 rows").arg(m_points.drawn).arg(m_points.drawn + m_points.left);
  if (m_points.empty > 0)
    parts << counted(static_cast<qint64>(m_points.empty), tr("1 row without a value"),
                     tr("%1 rows without a value"));
  if (m_points.by)
    parts << tr("one curve for each %1").arg(QString::fromStdString(m_table->columns()[*m_points.by].name));
  return parts.join(QStringLiteral(" · "));
}

} // namespace rankscope::ui
