// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/figure_card.h"

#include "ui/base/text_scale.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/wrapped_label.h"

#include <QEvent>
#include <QLabel>
#include <QStyle>
#include <QVBoxLayout>

#include <algorithm>

namespace rankscope::ui {

namespace {

constexpr int kMinCardWidth = 168;
constexpr int kGap = 12;

QString levelName(FigureLevel level) {
  switch (level) {
  case FigureLevel::Fine:
    return QStringLiteral("fine");
  case FigureLevel::Warning:
    return QStringLiteral("warning");
  case FigureLevel::Critical:
    return QStringLiteral("critical");
  case FigureLevel::Unknown:
    return QStringLiteral("unknown");
  }
  return {};
}

} // namespace

FigureCard::FigureCard(const QString& title, const QString& definition, QWidget* parent)
    : QFrame(parent), m_definition(definition), m_title(new ElidedLabel(title)), m_value(new QLabel),
      m_note(new WrappedLabel) {
  setObjectName(QStringLiteral("card"));
  m_title->setObjectName(QStringLiteral("figureTitle"));
  m_value->setObjectName(QStringLiteral("figureValue"));
  m_value->setTextFormat(Qt::PlainText);
  m_note->setObjectName(QStringLiteral("figureNote"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 13, 14, 13);
  column->setSpacing(2);
  column->addWidget(m_title);
  column->addWidget(m_value);
  column->addWidget(m_note);
  column->addStretch();
  setFigure({});
}

void FigureCard::setFigure(const Figure& figure) {
  m_figure = figure;
  if (figure.value.isEmpty()) m_figure.level = FigureLevel::Unknown;
  m_value->setText(figure.value.isEmpty() ? QStringLiteral("–") : figure.value);
  m_note->setText(figure.note);
  const QString tip = QString(m_definition + QLatin1Char(' ') + figure.more).trimmed();
  setToolTip(tip.isEmpty() ? QString() : QStringLiteral("<p>%1</p>").arg(tip.toHtmlEscaped()));
  if (const QString level = levelName(m_figure.level); m_value->property("level") != level) {
    m_value->setProperty("level", level);
    m_value->setStyleSheet({}); // evaluates the property again
  }
  setAccessibleName(m_title->text());
  setAccessibleDescription(m_value->text() + QStringLiteral(", ") + figure.note);
}

QString FigureCard::title() const {
  return m_title->text();
}

FigureRow::FigureRow(QWidget* parent) : QWidget(parent) {
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void FigureRow::addCard(FigureCard* card) {
  card->setParent(this);
  m_cards.push_back(card);
  updateGeometry();
  place();
}

// In which every figure is whole.
int FigureRow::narrowestCard() const {
  int width = scaledToText(kMinCardWidth);
  for (const FigureCard* card : m_cards) width = std::max(width, card->minimumSizeHint().width());
  return width;
}

// Lines have equal lengths: six cards are arranged as 6, 3 + 3 or 2 + 2 + 2.
int FigureRow::columnsFor(int width) const {
  const int count = std::max(1, static_cast<int>(m_cards.size()));
  const int most = std::clamp((width + kGap) / (narrowestCard() + kGap), 1, count);
  const int lines = (count + most - 1) / most;
  return (count + lines - 1) / lines;
}

int FigureRow::cardHeight(int cardWidth) const {
  int height = 0;
  for (const FigureCard* card : m_cards) height = std::max(height, card->heightForWidth(cardWidth));
  return height;
}

int FigureRow::heightForWidth(int width) const {
  if (m_cards.empty()) return 0;
  const int columns = columnsFor(width);
  const int lines = (static_cast<int>(m_cards.size()) + columns - 1) / columns;
  const int cardWidth = (width - (columns - 1) * kGap) / columns;
  return lines * cardHeight(cardWidth) + (lines - 1) * kGap;
}

QSize FigureRow::sizeHint() const {
  const int width = static_cast<int>(m_cards.size()) * (narrowestCard() + kGap) - kGap;
  return {width, heightForWidth(std::max(width, 1))};
}

QSize FigureRow::minimumSizeHint() const {
  return {narrowestCard(), 0};
}

void FigureRow::place() {
  if (m_cards.empty()) return;
  const int columns = columnsFor(width());
  const int high = cardHeight((width() - (columns - 1) * kGap) / columns);
  for (int i = 0; i < static_cast<int>(m_cards.size()); ++i) {
    const int column = i % columns;
    // Edges are rounded instead of widths, so that the last card ends at the row's end.
    const auto edge = [&](int at) { return at * (width() + kGap) / columns; };
    m_cards[static_cast<std::size_t>(i)]->setGeometry(edge(column), (i / columns) * (high + kGap),
                                                      edge(column + 1) - kGap - edge(column), high);
  }
}

void FigureRow::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  place();
}

// A changed text may need a different size.
bool FigureRow::event(QEvent* event) {
  if (event->type() == QEvent::LayoutRequest) {
    updateGeometry();
    place();
  }
  return QWidget::event(event);
}

} // namespace rankscope::ui
