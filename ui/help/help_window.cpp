// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/help/help_window.h"

#include "ui/base/counted.h"
#include "ui/base/text_scale.h"
#include "ui/help/help_page.h"
#include "ui/job/trace_session.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <utility>

namespace rankscope::ui {

namespace {

constexpr QSize kFirstSize(1180, 820);
constexpr int kPageRole = Qt::UserRole;
constexpr int kSectionRole = Qt::UserRole + 1;
constexpr int kMaxDepth = 3; // deeper headings are not in the index

QTreeWidgetItem* itemFor(GuidePlace place, const QString& text) {
  auto* item = new QTreeWidgetItem({text});
  item->setData(0, kPageRole, static_cast<int>(place.page));
  item->setData(0, kSectionRole, static_cast<int>(place.section));
  item->setToolTip(0, text);
  return item;
}

GuidePlace placeOf(const QTreeWidgetItem& item) {
  return {static_cast<std::size_t>(item.data(0, kPageRole).toInt()),
          static_cast<std::size_t>(item.data(0, kSectionRole).toInt())};
}

} // namespace

HelpWindow& HelpWindow::of(QWidget& window, TraceSession& session) {
  auto* help = window.findChild<HelpWindow*>(QString(), Qt::FindDirectChildrenOnly);
  if (help == nullptr) help = new HelpWindow(session, &window);
  return *help;
}

HelpWindow::HelpWindow(TraceSession& session, QWidget* parent)
    : QDialog(parent, Qt::Window), m_session(session) {
  setObjectName(QStringLiteral("helpWindow"));
  setWindowTitle(tr("Rankscope guide"));
  makeButtons();
  m_page = new HelpPage;
  m_address = new QLineEdit;
  m_address->setReadOnly(true);
  m_address->setObjectName(QStringLiteral("outsideAddress"));
  m_address->setAccessibleName(tr("External address"));
  auto* copy = new QPushButton(tr("Copy"));
  m_outside = new QWidget;
  auto* outside = new QHBoxLayout(m_outside);
  outside->setContentsMargins(12, 6, 12, 8);
  outside->addWidget(new QLabel(tr("External link, not opened:")));
  outside->addWidget(m_address, 1);
  outside->addWidget(copy);
  m_outside->hide();
  connect(copy, &QPushButton::clicked, this,
          [this] { QGuiApplication::clipboard()->setText(m_address->text()); });

  auto* right = new QWidget;
  auto* column = new QVBoxLayout(right);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_page, 1);
  column->addWidget(m_outside);
  auto* across = new QSplitter(Qt::Horizontal);
  across->setChildrenCollapsible(false);
  across->setHandleWidth(1);
  across->addWidget(makeIndex());
  across->addWidget(right);
  across->setStretchFactor(1, 1);
  across->setSizes({scaledToText(300), kFirstSize.width() - scaledToText(300)});
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(across);
  resize(kFirstSize);

  connect(m_page, &HelpPage::placeWanted, this, &HelpWindow::goTo);
  connect(m_page, &HelpPage::linkOutOf, this, &HelpWindow::showAddress);
  connect(&m_session, &TraceSession::themeChanged, this, &HelpWindow::followTheme);
  fillIndex();
  followTheme();
  turnTo({});
}

void HelpWindow::makeButtons() {
  const auto button = [this](Qt::ArrowType arrow, const QString& name, const QString& tip, auto slot) {
    auto* made = new QToolButton;
    made->setArrowType(arrow);
    made->setAccessibleName(name);
    made->setToolTip(tip);
    connect(made, &QToolButton::clicked, this, slot);
    return made;
  };
  m_back = button(Qt::LeftArrow, tr("Back"), tr("Back (Alt+Left)"), &HelpWindow::back);
  m_forward = button(Qt::RightArrow, tr("Forward"), tr("Forward (Alt+Right)"), &HelpWindow::forward);
}

QWidget* HelpWindow::makeIndex() {
  m_field = new QLineEdit;
  m_field->setObjectName(QStringLiteral("guideSearch"));
  m_field->setPlaceholderText(tr("Search the guide (Ctrl+F)"));
  m_field->setAccessibleName(tr("Search the guide"));
  m_field->setClearButtonEnabled(true);
  m_index = new QTreeWidget;
  m_index->setHeaderHidden(true);
  m_index->setAccessibleName(tr("Pages and sections"));
  m_index->setFrameShape(QFrame::NoFrame);
  m_index->setTextElideMode(Qt::ElideRight);
  m_hits = new QLabel;
  m_hits->hide();
  auto* side = new QWidget;
  auto* row = new QHBoxLayout;
  row->setSpacing(4);
  row->addWidget(m_back);
  row->addWidget(m_forward);
  row->addWidget(m_field, 1);
  auto* column = new QVBoxLayout(side);
  column->setContentsMargins(10, 10, 4, 6);
  column->addLayout(row);
  column->addWidget(m_hits);
  column->addWidget(m_index, 1);
  connect(m_field, &QLineEdit::textChanged, this, &HelpWindow::search);
  connect(m_field, &QLineEdit::returnPressed, this, [this] {
    if (m_index->topLevelItemCount() > 0 && !m_words.isEmpty()) goTo(placeOf(*m_index->topLevelItem(0)));
  });
  const auto chosen = [this](QTreeWidgetItem* item) { goTo(placeOf(*item)); };
  connect(m_index, &QTreeWidget::itemClicked, this, chosen);
  connect(m_index, &QTreeWidget::itemActivated, this, chosen);
  return side;
}

// Pages with their sections, or the search results.
void HelpWindow::fillIndex() {
  m_index->clear();
  const std::vector<GuidePage>& pages = guidePages();
  if (!m_words.isEmpty()) {
    const std::vector<GuidePlace> hits = guideHits(m_words);
    for (const GuidePlace& place : hits) {
      const GuidePage& page = pages[place.page];
      const QString& title = page.sections[place.section].title;
      m_index->addTopLevelItem(
          itemFor(place, place.section == 0 ? title : title + QStringLiteral(" · ") + page.title()));
    }
    m_hits->setText(counted(static_cast<qint64>(hits.size()), tr("1 section"), tr("%1 sections")));
  } else {
    for (std::size_t p = 0; p < pages.size(); ++p) {
      QTreeWidgetItem* const page = itemFor({p, 0}, pages[p].title());
      m_index->addTopLevelItem(page);
      QTreeWidgetItem* chapter = page;
      for (std::size_t s = 1; s < pages[p].sections.size(); ++s) {
        const GuideSection& section = pages[p].sections[s];
        if (section.level > kMaxDepth) continue;
        QTreeWidgetItem* const item = itemFor({p, s}, section.title);
        (section.level > 2 ? chapter : page)->addChild(item);
        if (section.level == 2) chapter = item;
      }
    }
  }
  m_hits->setVisible(!m_words.isEmpty());
}

void HelpWindow::search(const QString& text) {
  m_words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  // Single letters are ignored.
  if (text.trimmed().size() < 2) m_words.clear();
  fillIndex();
  m_page->showPlace(place(), m_words);
}

void HelpWindow::showPage(const QString& file, const QString& anchor) {
  const int page = guidePageAt(file);
  if (page >= 0) {
    const auto at = static_cast<std::size_t>(page);
    goTo({at, guidePages()[at].sectionAt(anchor)});
  }
  show();
  raise();
  activateWindow();
  m_page->setFocus();
}

GuidePlace HelpWindow::place() const {
  return m_history.empty() ? GuidePlace{} : m_history.back();
}

void HelpWindow::goTo(GuidePlace place) {
  if (place != this->place()) m_ahead.clear();
  turnTo(place);
}

void HelpWindow::turnTo(GuidePlace place) {
  if (m_history.empty() || m_history.back() != place) m_history.push_back(place);
  m_outside->hide();
  m_page->showPlace(place, m_words);
  m_back->setEnabled(m_history.size() > 1);
  m_forward->setEnabled(!m_ahead.empty());
  if (!m_words.isEmpty()) return;
  // Only the sections of the current page are expanded.
  for (int i = 0; i < m_index->topLevelItemCount(); ++i)
    m_index->topLevelItem(i)->setExpanded(i == static_cast<int>(place.page));
  for (QTreeWidgetItem* item = m_index->topLevelItem(0); item != nullptr; item = m_index->itemBelow(item)) {
    if (placeOf(*item) != place) continue;
    m_index->setCurrentItem(item);
    item->setExpanded(true);
    break;
  }
}

void HelpWindow::back() {
  if (m_history.size() < 2) return;
  m_ahead.push_back(m_history.back());
  m_history.pop_back();
  turnTo(m_history.back());
}

void HelpWindow::forward() {
  if (m_ahead.empty()) return;
  const GuidePlace next = m_ahead.back();
  m_ahead.pop_back();
  turnTo(next);
}

void HelpWindow::showAddress(const QString& address) {
  m_address->setText(address);
  m_outside->show();
}

void HelpWindow::followTheme() {
  const Theme& theme = m_session.theme();
  m_page->setTheme(theme);
  m_index->setStyleSheet(
      QStringLiteral("QTreeView::item { padding: 3px 2px; }"
                     "QTreeView::item:selected, QTreeView::branch:selected { background: %1; "
                     "color: %2; }")
          .arg(theme.raised.name(), theme.text.name()));
}

void HelpWindow::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Find)) {
    m_field->setFocus();
    m_field->selectAll();
  } else if (event->modifiers() == Qt::AltModifier && event->key() == Qt::Key_Left) {
    back();
  } else if (event->modifiers() == Qt::AltModifier && event->key() == Qt::Key_Right) {
    forward();
  } else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
    event->accept(); // Return must not press a dialog button
  } else {
    QDialog::keyPressEvent(event);
  }
}

} // namespace rankscope::ui
