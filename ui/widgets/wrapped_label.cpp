// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/wrapped_label.h"

#include "core/base/joined_figures.h"
#include "ui/base/text_scale.h"
#include "ui/base/theme.h"

#include <QPainter>
#include <QRegularExpression>
#include <QTextLayout>

#include <cmath>

namespace rankscope::ui {

namespace {

constexpr int kComfortable = 240;
constexpr int kMinWidth = 40;
constexpr QChar kMayEnd(0x200b);
constexpr QChar kMayNotEnd(0x2060);
constexpr qsizetype kShortestJoined = 3; // characters, with a joint

// Lets a line end behind underscores within what is longer than a line between other joints.
QString breakableParts(const QString& word, const QFontMetrics& metrics, int width) {
  static const QRegularExpression kUnderscore(QStringLiteral("(?<=[^\\W_]_)(?=[^_])|(?<=[^\\W_]__)(?=[^_])"));
  QStringList parts = word.split(kMayEnd);
  for (QString& part : parts)
    if (metrics.horizontalAdvance(part) > width) part.replace(kUnderscore, QString(kMayEnd));
  return parts.join(kMayEnd);
}

// Keeps figures and words together, "1 234 ms", "ms/step" and "TORCH_DISTRIBUTED_DEBUG"; lets a line end
// behind a joint of one that is longer than a line, "torch/nn/|modules.|linear", before it ends anywhere.
QString breakable(const QString& shown, const QFontMetrics& metrics, int width) {
  const QString text = QString::fromStdString(withJoinedFigures(shown.toStdString()));
  static const QRegularExpression kWord(QStringLiteral("\\S{%1,}").arg(kShortestJoined));
  static const QRegularExpression kJoint(
      QStringLiteral("(?<=[./,:<(=\\\\-])(?=[^\\s_./,:])(?<![0-9][.,])(?<!^.)|(?<=[#.])(?=_)"));
  static const QRegularExpression kSlash(QStringLiteral("([/-])(?=\\S)"));
  QString broken;
  qsizetype done = 0;
  for (auto words = kWord.globalMatch(text); words.hasNext();) {
    const QRegularExpressionMatch word = words.next();
    QString parts = word.captured();
    const bool fits = metrics.horizontalAdvance(parts) <= width;
    broken += QStringView(text).mid(done, word.capturedStart() - done);
    broken += fits ? parts.replace(kSlash, QStringLiteral("\\1") + kMayNotEnd)
                   : breakableParts(parts.replace(kJoint, QString(kMayEnd)), metrics, width);
    done = word.capturedEnd();
  }
  broken += QStringView(text).mid(done);
  return broken.replace(QLatin1Char('\n'), QChar(QChar::LineSeparator));
}

// The length of the first characters with the places for line ends that were added to them.
int leadIn(const QString& broken, int characters) {
  int length = 0;
  const auto added = [&](int at) { return broken[at] == kMayEnd || broken[at] == kMayNotEnd; };
  for (int left = characters; length < broken.size() && (left > 0 || added(length)); ++length)
    if (!added(length)) --left;
  return length;
}

} // namespace

WrappedLabel::WrappedLabel(const QString& text, QWidget* parent) : QLabel(text, parent) {
  setTextFormat(Qt::PlainText);
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

// Texts have names of kernels in them.
QFont WrappedLabel::drawnFont() const {
  QFont drawn = font();
  drawn.setStyleStrategy(nameFont(12).styleStrategy());
  return drawn;
}

void WrappedLabel::preferOneLine() {
  m_oneLine = true;
  updateGeometry();
}

void WrappedLabel::setLead(int characters) {
  m_lead = characters;
  updateGeometry();
  update();
}

qreal WrappedLabel::layOut(QTextLayout& layout, int width) const {
  QTextOption option;
  option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
  option.setAlignment(alignment() & Qt::AlignHorizontal_Mask);
  layout.setTextOption(option);
  if (m_lead > 0) {
    QTextLayout::FormatRange lead;
    lead.start = 0;
    lead.length = leadIn(layout.text(), m_lead);
    lead.format.setFontWeight(QFont::DemiBold);
    layout.setFormats({lead});
  }
  qreal height = 0;
  layout.beginLayout();
  for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
    line.setLineWidth(std::max(width, 1));
    line.setPosition({0, height});
    height += line.height();
  }
  layout.endLayout();
  return height;
}

int WrappedLabel::heightForWidth(int width) const {
  constexpr std::size_t kMaxStoredHeights = 8;
  const QMargins margins = contentsMargins();
  const int inner = width - margins.left() - margins.right();
  if (m_measured.text != text() || m_measured.font != font() || m_measured.lead != m_lead ||
      m_measured.heights.size() > kMaxStoredHeights)
    m_measured = {text(), font(), m_lead, {}};
  const auto [known, fresh] = m_measured.heights.try_emplace(inner, 0);
  if (fresh) {
    QTextLayout layout(breakable(text(), QFontMetrics(drawnFont()), inner), drawnFont());
    known->second = static_cast<int>(std::ceil(layOut(layout, inner)));
  }
  return known->second + margins.top() + margins.bottom();
}

QSize WrappedLabel::sizeHint() const {
  const int whole = QFontMetrics(drawnFont()).horizontalAdvance(text()) + 2;
  const int width = m_oneLine ? whole : std::min(scaledToText(kComfortable), whole);
  return {width, heightForWidth(width)};
}

QSize WrappedLabel::minimumSizeHint() const {
  return {kMinWidth, fontMetrics().height()};
}

void WrappedLabel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  QTextLayout layout(breakable(text(), QFontMetrics(drawnFont()), contentsRect().width()), drawnFont());
  layOut(layout, contentsRect().width());
  painter.setPen(palette().color(foregroundRole()));
  layout.draw(&painter, contentsRect().topLeft());
}

} // namespace rankscope::ui
