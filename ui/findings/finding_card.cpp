// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/findings/finding_card.h"

#include "core/report/findings_table.h"
#include "ui/base/text_scale.h"
#include "ui/base/ui_text.h"
#include "ui/widgets/wrapped_label.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QEvent>
#include <QFontMetrics>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QRegularExpression>
#include <QStringList>
#include <QStyle>
#include <QToolButton>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>
#include <memory>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr int kIcon = 14;

WrappedLabel* labelOf(const char* name, const QString& text) {
  auto* label = new WrappedLabel(text);
  label->setObjectName(QLatin1String(name));
  return label;
}

// Keeps a number with its digits, its unit and the rank that it is of on one line.
QString withNoBreakSpaces(QString text) {
  static const QRegularExpression kRank(QStringLiteral("\\b(ranks?) (?=\\d)"));
  text.replace(kRank, QStringLiteral("\\1\u00a0"));
  static const QRegularExpression kUnit(
      QStringLiteral("(?<=\\d) (?=(?:\\d{3}(?!\\d)|ns|µs|ms|s|%|B|[kMGT]B|[KMGT]iB|GB/s)(?![\\w/]))"));
  return text.replace(kUnit, QStringLiteral("\u00a0"));
}

// A title with the cost beside it, or below it rather than a word of the title being broken, or the title
// becoming a column of words.
class CostedTitle : public QWidget {
 public:
  CostedTitle(WrappedLabel* title, QLabel* cost) : m_title(title), m_cost(cost) {
    title->setParent(this);
    cost->setParent(this);
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setObjectName(QStringLiteral("findingTop"));
  }

  [[nodiscard]] int heightForWidth(int width) const override {
    m_title->ensurePolished();
    m_cost->ensurePolished();
    const QSize cost = m_cost->sizeHint();
    const int room = roomBeside(width);
    return isBeside(width) ? std::max(m_title->heightForWidth(room), cost.height())
                           : m_title->heightForWidth(width) + kBelowTitle + cost.height();
  }
  [[nodiscard]] QSize sizeHint() const override {
    const QSize title = m_title->sizeHint();
    const QSize cost = m_cost->sizeHint();
    return {title.width() + kBesideTitle + cost.width(), std::max(title.height(), cost.height())};
  }
  [[nodiscard]] QSize minimumSizeHint() const override {
    return m_title->minimumSizeHint().expandedTo(m_cost->minimumSizeHint());
  }

 protected:
  void resizeEvent(QResizeEvent*) override { place(); }
  bool event(QEvent* event) override {
    // The texts got another font.
    if (event->type() == QEvent::LayoutRequest) {
      updateGeometry();
      place();
    }
    return QWidget::event(event);
  }

 private:
  [[nodiscard]] int roomBeside(int width) const { return width - m_cost->sizeHint().width() - kBesideTitle; }
  [[nodiscard]] bool isBeside(int width) const {
    constexpr int kRounding = 4; // words are laid out in fractions of pixels
    constexpr int kMostLines = 2;
    const QFontMetrics metrics = m_title->fontMetrics();
    int longest = 0;
    for (const QString& word : m_title->text().split(QLatin1Char(' ')))
      longest = std::max(longest, metrics.horizontalAdvance(word));
    const int room = roomBeside(width);
    return room >= longest + kRounding &&
           2 * m_title->heightForWidth(room) < (2 * kMostLines + 1) * metrics.height();
  }
  void place() {
    const QSize cost = m_cost->sizeHint();
    const bool beside = isBeside(width());
    const int titleWidth = beside ? roomBeside(width()) : width();
    const int titleHeight = m_title->heightForWidth(titleWidth);
    m_title->setGeometry(0, 0, titleWidth, titleHeight);
    const int costWidth = std::min(cost.width(), width());
    m_cost->setGeometry(beside ? width() - costWidth : 0, beside ? 0 : titleHeight + kBelowTitle, costWidth,
                        cost.height());
  }

  static constexpr int kBesideTitle = 8;
  static constexpr int kBelowTitle = 2;
  WrappedLabel* m_title;
  QLabel* m_cost;
};

// Two overlapping sheets.
QIcon copyIcon(QColor color) {
  constexpr int kSharp = 2;
  const int size = scaledToText(kIcon) * kSharp;
  QPixmap picture(size, size);
  picture.setDevicePixelRatio(kSharp);
  picture.fill(Qt::transparent);
  QPainter painter(&picture);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.scale(textScale(), textScale());
  painter.setPen(QPen(color, 1.4));
  painter.drawRoundedRect(QRectF(4.5, 4.5, 8, 8), 1.5, 1.5);
  painter.drawPolyline(QPolygonF({{4, 9.5}, {1.5, 9.5}, {1.5, 1.5}, {9.5, 1.5}, {9.5, 4}}));
  return QIcon(picture);
}

void toClipboard(const QString& text) {
  QGuiApplication::clipboard()->setText(text);
}

} // namespace

QString severityTitle(Severity severity) {
  switch (severity) {
  case Severity::Critical:
    return FindingCard::tr("critical");
  case Severity::Warning:
    return FindingCard::tr("warning");
  case Severity::Info:
    break;
  }
  return FindingCard::tr("info");
}

FindingCard::FindingCard(ShownFinding shown, QWidget* parent)
    : QFrame(parent), m_shown(std::move(shown)), m_copy(new QToolButton) {
  const Finding& finding = m_shown.finding;
  const std::string_view severity = severityText(finding.severity);
  setObjectName(QStringLiteral("findingCard"));
  setProperty("severity", QLatin1String(severity.data(), static_cast<qsizetype>(severity.size())));
  setFocusPolicy(Qt::StrongFocus);
  setCursor(Qt::PointingHandCursor);
  setAccessibleName(textOf(finding.title));
  setAccessibleDescription(severityTitle(finding.severity) + QStringLiteral(", ") + m_shown.where +
                           QStringLiteral(". ") + textOf(finding.evidence) + QLatin1Char(' ') +
                           textOf(finding.fix));

  const std::string title = titleWithoutCost(finding.title, m_shown.cost.toStdString());
  QWidget* top = labelOf("findingTitle", withNoBreakSpaces(textOf(title)));
  if (!m_shown.cost.isEmpty()) {
    auto* cost = new QLabel(m_shown.cost);
    cost->setObjectName(QStringLiteral("findingCost"));
    top = new CostedTitle(static_cast<WrappedLabel*>(top), cost);
  }
  const QString place =
      m_shown.share.isEmpty() ? m_shown.where : m_shown.where + QStringLiteral(" · ") + m_shown.share;
  m_copy->setObjectName(QStringLiteral("findingCopy"));
  m_copy->setIcon(copyIcon(palette().color(QPalette::Link)));
  m_copy->setIconSize(QSize(scaledToText(kIcon), scaledToText(kIcon)));
  m_copy->setAccessibleName(tr("Copy fix"));
  m_copy->setToolTip(tr("Copy the fix; right-click for more (Ctrl+C copies the finding)"));
  m_copy->setFocusPolicy(Qt::NoFocus);
  m_copy->setCursor(Qt::ArrowCursor);
  QSizePolicy retaining = m_copy->sizePolicy();
  retaining.setRetainSizeWhenHidden(true);
  m_copy->setSizePolicy(retaining);
  m_copy->hide();
  connect(m_copy, &QToolButton::clicked, this, &FindingCard::copyFix);
  auto* middle = new QHBoxLayout;
  middle->setSpacing(6);
  middle->addWidget(labelOf("findingPlace", withNoBreakSpaces(place)), 1);
  middle->addWidget(m_copy, 0, Qt::AlignTop);

  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 9, 10, 10);
  column->setSpacing(3);
  column->addWidget(top);
  column->addLayout(middle);
  if (!finding.evidence.empty())
    column->addWidget(labelOf("findingEvidence", withNoBreakSpaces(textOf(finding.evidence))));
  if (!finding.fix.empty()) {
    const QString lead = tr("Fix");
    auto* fix = labelOf("findingFix", lead + QStringLiteral("  ") + textOf(finding.fix));
    fix->setLead(static_cast<int>(lead.size()));
    column->addWidget(fix);
  }
}

// The note, and the way back.
QWidget* FindingCard::acceptedLine(const QString& note) {
  auto* whole = new QWidget;
  whole->setObjectName(QStringLiteral("findingAcceptedLine"));
  const QString lead = tr("Accepted");
  auto* label = labelOf("findingAccepted", note.isEmpty() ? lead : lead + QStringLiteral("  ") + note);
  label->setLead(static_cast<int>(lead.size()));
  auto* withdraw = new QToolButton;
  withdraw->setObjectName(QStringLiteral("findingWithdraw"));
  withdraw->setText(tr("Withdraw"));
  withdraw->setToolTip(tr("Report this finding as open again"));
  withdraw->setFocusPolicy(Qt::TabFocus);
  withdraw->setCursor(Qt::ArrowCursor);
  connect(withdraw, &QToolButton::clicked, this, &FindingCard::withdrawWanted);
  auto* line = new QHBoxLayout(whole);
  line->setContentsMargins(0, 2, 0, 0);
  line->setSpacing(6);
  line->addWidget(label, 1);
  line->addWidget(withdraw, 0, Qt::AlignTop);
  return whole;
}

void FindingCard::setAccepted(const std::optional<QString>& note) {
  if (m_accepted == note) return;
  m_accepted = note;
  if (m_acceptedLine != nullptr) {
    // The click that withdraws comes from within it.
    m_acceptedLine->hide();
    m_acceptedLine->deleteLater();
    m_acceptedLine->setParent(nullptr);
  }
  m_acceptedLine = note ? acceptedLine(*note) : nullptr;
  if (m_acceptedLine != nullptr) {
    layout()->addWidget(m_acceptedLine);
    m_acceptedLine->show();
  }
  setProperty("accepted", note.has_value());
  style()->unpolish(this);
  style()->polish(this);
}

QString FindingCard::text(bool asMarkdown) const {
  const QString& text = asMarkdown ? m_shown.markdown : m_shown.text;
  if (!m_accepted) return text;
  const QString word = asMarkdown ? QStringLiteral("  *Accepted*") : QStringLiteral("  Accepted");
  return text + word + (m_accepted->isEmpty() ? QString() : QStringLiteral(": ") + *m_accepted) +
         QLatin1Char('\n');
}

bool FindingCard::matches(const QStringList& words) const {
  const Finding& finding = m_shown.finding;
  const std::string_view kind = findingKindText(finding.kind);
  const QString acceptance = m_accepted ? tr("accepted") + QLatin1Char(' ') + *m_accepted : QString();
  const QString all =
      (QStringList{textOf(finding.title), textOf(finding.evidence), textOf(finding.fix), m_shown.where,
                   QString::fromUtf8(kind.data(), static_cast<qsizetype>(kind.size())),
                   severityTitle(finding.severity), acceptance})
          .join(QLatin1Char('\n'));
  return std::ranges::all_of(words,
                             [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
}

void FindingCard::copyFix() {
  toClipboard(textOf(m_shown.finding.fix));
  QToolTip::showText(m_copy->mapToGlobal(QPoint(0, m_copy->height())), tr("Copied"), m_copy);
}

QMenu* FindingCard::contextMenu() {
  auto* menu = new QMenu(this);
  menu->addAction(tr("Show evidence"), this, &FindingCard::opened);
  menu->addSeparator();
  menu->addAction(tr("Copy fix"), this, &FindingCard::copyFix)->setEnabled(!m_shown.finding.fix.empty());
  menu->addAction(tr("Copy finding"), this, [this] { toClipboard(text(false)); });
  menu->addAction(tr("Copy finding as Markdown"), this, [this] { toClipboard(text(true)); });
  menu->addSeparator();
  menu->addAction(m_accepted ? tr("Edit note …") : tr("Accept finding …"), this, &FindingCard::acceptWanted);
  if (m_accepted) menu->addAction(tr("Withdraw acceptance"), this, &FindingCard::withdrawWanted);
  menu->addSeparator();
  menu->addAction(tr("Copy visible findings"), this, [this] { emit copyAllWanted(false); });
  menu->addAction(tr("Copy visible findings as Markdown"), this, [this] { emit copyAllWanted(true); });
  return menu;
}

void FindingCard::contextMenuEvent(QContextMenuEvent* event) {
  const std::unique_ptr<QMenu> menu(contextMenu());
  menu->exec(event->globalPos());
}

void FindingCard::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton && rect().contains(event->pos())) emit opened();
}

void FindingCard::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy)) return toClipboard(text(false));
  switch (event->key()) {
  case Qt::Key_Return:
  case Qt::Key_Enter:
  case Qt::Key_Space:
    return emit opened();
  case Qt::Key_Up:
    return emit walkWanted(-1);
  case Qt::Key_Down:
    return emit walkWanted(1);
  case Qt::Key_Home:
    return emit walkWanted(-2);
  case Qt::Key_End:
    return emit walkWanted(2);
  default:
    QFrame::keyPressEvent(event);
  }
}

void FindingCard::showCopy() {
  m_copy->setVisible(!m_shown.finding.fix.empty() && (underMouse() || hasFocus()));
}

void FindingCard::enterEvent(QEnterEvent* event) {
  QFrame::enterEvent(event);
  showCopy();
  emit pointed(true);
}

void FindingCard::leaveEvent(QEvent* event) {
  QFrame::leaveEvent(event);
  m_copy->setVisible(hasFocus() && !m_shown.finding.fix.empty());
  emit pointed(false);
}

void FindingCard::changeEvent(QEvent* event) {
  QFrame::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) m_copy->setIcon(copyIcon(palette().color(QPalette::Link)));
}

void FindingCard::focusInEvent(QFocusEvent* event) {
  QFrame::focusInEvent(event);
  m_copy->setVisible(!m_shown.finding.fix.empty());
}

void FindingCard::focusOutEvent(QFocusEvent* event) {
  QFrame::focusOutEvent(event);
  m_copy->setVisible(underMouse() && !m_shown.finding.fix.empty());
}

} // namespace rankscope::ui
