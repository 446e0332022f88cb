// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/actions/quick_pick.h"

#include "ui/actions/actions.h"
#include "ui/actions/fuzzy_match.h"
#include "ui/actions/search_words.h"
#include "ui/base/theme.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMainWindow>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace rankscope::ui {
namespace {

constexpr int kWidth = 560;
constexpr int kRowsShown = 12;
constexpr std::size_t kMaxItems = 200;
constexpr int kNoteRole = Qt::UserRole;
constexpr int kKeysRole = Qt::UserRole + 1;

// Title and note from the left, keys at the right edge; the title is elided.
class PickDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override {
    return {option.rect.width(), option.fontMetrics.height() + 12};
  }

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const QPalette& palette = option.palette;
    const bool current = option.state & QStyle::State_Selected;
    if (current) {
      QColor ground = palette.color(QPalette::Highlight);
      ground.setAlpha(60);
      painter->fillRect(option.rect, ground);
    }
    QRect space = option.rect.adjusted(14, 0, -14, 0);
    const QFontMetrics& metrics = option.fontMetrics;
    painter->setFont(option.font);
    if (const QString keys = index.data(kKeysRole).toString(); !keys.isEmpty()) {
      const int width = metrics.horizontalAdvance(keys);
      painter->setPen(palette.color(QPalette::PlaceholderText));
      painter->drawText(space, Qt::AlignRight | Qt::AlignVCenter, keys);
      space.setRight(space.right() - width - 16);
    }
    const QString title = index.data(Qt::DisplayRole).toString();
    const QString note = index.data(kNoteRole).toString();
    const bool takes = index.flags() & Qt::ItemIsEnabled;
    painter->setPen(palette.color(takes ? QPalette::Text : QPalette::PlaceholderText));
    const QString shown = metrics.elidedText(title, Qt::ElideRight, space.width());
    painter->drawText(space, Qt::AlignLeft | Qt::AlignVCenter, shown);
    space.setLeft(space.left() + metrics.horizontalAdvance(shown) + 12);
    if (note.isEmpty() || space.width() < 40) return;
    painter->setPen(palette.color(QPalette::PlaceholderText));
    painter->drawText(space, Qt::AlignLeft | Qt::AlignVCenter,
                      metrics.elidedText(note, Qt::ElideRight, space.width()));
  }
};

QWidget* ground(QWidget& widget) {
  QWidget* const window = widget.window();
  const auto* const main = qobject_cast<QMainWindow*>(window);
  return main && main->centralWidget() ? main->centralWidget() : window;
}

} // namespace

QuickPick& QuickPick::of(QWidget& widget) {
  QWidget* const parent = ground(widget);
  auto* pick = parent->findChild<QuickPick*>(QString(), Qt::FindDirectChildrenOnly);
  if (!pick) pick = new QuickPick(parent);
  return *pick;
}

QuickPick::QuickPick(QWidget* parent)
    : QFrame(parent), m_field(new QLineEdit), m_list(new QListWidget), m_empty(new QLabel) {
  setObjectName(QStringLiteral("quickPick"));
  setAutoFillBackground(true);
  m_field->setObjectName(QStringLiteral("quickPickField"));
  m_field->setClearButtonEnabled(true);
  m_list->setObjectName(QStringLiteral("quickPickList"));
  m_list->setItemDelegate(new PickDelegate(m_list));
  m_list->setFocusPolicy(Qt::NoFocus);
  m_list->setFrameShape(QFrame::NoFrame);
  m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_list->setUniformItemSizes(true);
  m_list->setMouseTracking(true);
  m_empty->setObjectName(QStringLiteral("emptyText"));
  m_empty->setAlignment(Qt::AlignCenter);
  m_empty->setText(tr("No match."));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(8, 8, 8, 8);
  column->setSpacing(6);
  column->addWidget(m_field);
  column->addWidget(m_list);
  column->addWidget(m_empty);
  m_field->installEventFilter(this);
  parent->installEventFilter(this);
  connect(m_field, &QLineEdit::textChanged, this, &QuickPick::offer);
  connect(m_list, &QListWidget::itemClicked, this,
          [this](QListWidgetItem* item) { take(m_list->row(item)); });
  hide();
}

void QuickPick::ask(const QString& prompt, Source source, const QString& text) {
  if (!isVisible()) m_focusBefore = QApplication::focusWidget();
  m_source = std::move(source);
  m_field->setPlaceholderText(prompt);
  m_field->setAccessibleName(prompt);
  m_list->setAccessibleName(prompt);
  const QSignalBlocker quiet(m_field);
  m_field->setText(text);
  offer(text);
  show();
  raise();
  m_field->setFocus(Qt::ShortcutFocusReason);
}

void QuickPick::dismiss() {
  if (!isVisible()) return;
  hide();
  m_source = {};
  m_items.clear();
  if (m_focusBefore) m_focusBefore->setFocus(Qt::OtherFocusReason);
}

void QuickPick::offer(const QString& text) {
  if (!m_source) return;
  m_items = m_source(text.trimmed());
  if (m_items.size() > kMaxItems) m_items.resize(kMaxItems);
  m_list->clear();
  for (const PickItem& item : m_items) {
    auto* row = new QListWidgetItem(item.title, m_list);
    row->setData(kNoteRole, item.note);
    row->setData(kKeysRole, item.keys);
    row->setToolTip(item.note.isEmpty() ? item.title : item.title + QStringLiteral("\n") + item.note);
    if (!item.run) row->setFlags(Qt::NoItemFlags);
  }
  const auto first = std::ranges::find_if(m_items, [](const PickItem& item) { return item.run != nullptr; });
  if (first != m_items.end() && !first->poor)
    m_list->setCurrentRow(static_cast<int>(first - m_items.begin()));
  place();
}

void QuickPick::place() {
  const QRect space = parentWidget()->rect();
  const int rows = std::min(static_cast<int>(m_items.size()), kRowsShown);
  m_empty->setVisible(rows == 0);
  m_list->setVisible(rows > 0);
  const int rowHeight = m_list->sizeHintForRow(0) > 0 ? m_list->sizeHintForRow(0) : 28;
  m_list->setFixedHeight(std::max(rows, 1) * rowHeight + 2);
  const int width = std::min(kWidth * std::max(fontMetrics().height(), 12) / 14, space.width() - 24);
  setFixedWidth(width);
  adjustSize();
  resize(width, std::min(sizeHint().height(), space.height() - 24));
  move((space.width() - width) / 2, std::min(52, space.height() / 10));
}

void QuickPick::take(int row) {
  if (row < 0 || static_cast<std::size_t>(row) >= m_items.size()) return;
  // The action may open the next prompt, so this one is closed first.
  const auto run = m_items[static_cast<std::size_t>(row)].run;
  if (!run) return;
  dismiss();
  run();
}

bool QuickPick::eventFilter(QObject* watched, QEvent* event) {
  if (watched == parentWidget()) {
    if (event->type() == QEvent::Resize && isVisible()) place();
    if (event->type() == QEvent::MouseButtonPress) dismiss();
    return false;
  }
  if (event->type() == QEvent::FocusOut && isVisible()) {
    const auto reason = static_cast<QFocusEvent*>(event)->reason();
    if (reason == Qt::MouseFocusReason || reason == Qt::TabFocusReason) {
      m_focusBefore = nullptr; // the new focus widget keeps the focus
      dismiss();
    }
    return false;
  }
  if (event->type() != QEvent::KeyPress) return false;
  const int key = static_cast<QKeyEvent*>(event)->key();
  const int last = m_list->count() - 1;
  const int current = m_list->currentRow();
  switch (key) {
  case Qt::Key_Escape:
    dismiss();
    return true;
  case Qt::Key_Return:
  case Qt::Key_Enter:
    take(current);
    return true;
  case Qt::Key_Down:
    m_list->setCurrentRow(current >= last ? 0 : current + 1);
    return true;
  case Qt::Key_Up:
    m_list->setCurrentRow(current <= 0 ? last : current - 1);
    return true;
  case Qt::Key_PageDown:
    m_list->setCurrentRow(std::min(last, current + kRowsShown));
    return true;
  case Qt::Key_PageUp:
    m_list->setCurrentRow(std::max(0, current - kRowsShown));
    return true;
  default:
    return false;
  }
}

std::vector<PickItem> fittingItems(std::span<const PickItem> items, const QString& text) {
  if (text.isEmpty()) {
    const auto first = items.first(std::min(items.size(), kMaxItems));
    return {first.begin(), first.end()};
  }
  std::vector<std::pair<int, std::size_t>> order;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto title = fuzzyScore(text, items[i].title);
    const auto both = fuzzyScore(text, items[i].title, items[i].note + QLatin1Char(' ') + items[i].words);
    // Words of the title count more than those of the note.
    if (title && (!isPoorMatch(*title) || !both || isPoorMatch(*both)))
      order.emplace_back(-(*title + 40), i);
    else if (both)
      order.emplace_back(-*both, i);
  }
  std::ranges::sort(order);
  // Scattered letters are only a guess, for where no words fit.
  if (!order.empty() && !isPoorMatch(-order.front().first))
    std::erase_if(order, [](const auto& entry) { return isPoorMatch(-entry.first); });
  if (order.size() > kMaxItems) order.resize(kMaxItems);
  std::vector<PickItem> fitting;
  fitting.reserve(order.size());
  for (const auto& [score, i] : order) {
    fitting.push_back(items[i]);
    fitting.back().poor = isPoorMatch(-score);
  }
  return fitting;
}

std::vector<PickItem> paletteItems(const ActionRegistry& actions) {
  std::vector<PickItem> items;
  for (const Action& action : actions.actions()) {
    if (!action.run || action.release || (action.enabled && !action.enabled())) continue;
    QString title = action.title;
    if (action.checked) title += action.checked() ? QuickPick::tr(": on") : QuickPick::tr(": off");
    const QString words = QStringList{action.words, searchWords(action.id)}.join(QLatin1Char(' '));
    items.push_back({title, action.group, ActionRegistry::keysText(action), action.run, words});
  }
  return items;
}

} // namespace rankscope::ui
