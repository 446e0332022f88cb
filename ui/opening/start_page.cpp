// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/start_page.h"

#include "ui/opening/recent_paths.h"
#include "ui/widgets/elided_label.h"

#include <QHBoxLayout>
#include <QIcon>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

namespace rankscope::ui {

namespace {

constexpr int kColumnWidth = 620;
constexpr int kRecentShown = 6;
constexpr int kIconSize = 72;

QLabel* centred(const QString& text, const char* name) {
  auto* label = new QLabel(text);
  label->setObjectName(QString::fromLatin1(name));
  label->setAlignment(Qt::AlignCenter);
  label->setWordWrap(true);
  return label;
}

// A row of the list that is a button as a whole.
class RecentButton : public QPushButton {
 public:
  RecentButton(const QString& title, const QString& place, bool there) {
    setObjectName(QStringLiteral("recentRow"));
    setEnabled(there);
    setAccessibleName(title);
    setFixedHeight(38);
    auto* name = new ElidedLabel(title);
    name->setObjectName(QStringLiteral("recentName"));
    auto* where = new ElidedLabel(there ? place : StartPage::tr("%1 · missing").arg(place));
    where->setObjectName(QStringLiteral("recentPlace"));
    where->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    for (QLabel* label : {static_cast<QLabel*>(name), static_cast<QLabel*>(where)}) {
      label->setEnabled(there);
      label->setAttribute(Qt::WA_TransparentForMouseEvents);
    }
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(14, 0, 14, 0);
    row->setSpacing(18);
    row->addWidget(name, 3);
    row->addWidget(where, 4);
  }
};

} // namespace

StartPage::StartPage(QWidget* parent) : QWidget(parent) {
  auto* well = new QFrame;
  well->setObjectName(QStringLiteral("dropWell"));
  auto* icon = new QLabel;
  icon->setAlignment(Qt::AlignCenter);
  icon->setPixmap(QIcon(QStringLiteral(":/rankscope.svg")).pixmap(kIconSize, kIconSize));
  auto* folder = new QPushButton(tr("Open folder …"));
  folder->setObjectName(QStringLiteral("primary"));
  folder->setToolTip(tr("Ctrl+O"));
  auto* files = new QPushButton(tr("Open files …"));
  files->setToolTip(tr("Ctrl+Shift+O"));
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(10);
  buttons->addStretch();
  buttons->addWidget(folder);
  buttons->addWidget(files);
  buttons->addStretch();
  auto* inner = new QVBoxLayout(well);
  inner->setContentsMargins(32, 34, 32, 34);
  inner->setSpacing(10);
  inner->addWidget(icon);
  inner->addSpacing(6);
  inner->addWidget(centred(tr("Drop a folder of traces here"), "startTitle"));
  inner->addWidget(
      centred(tr("One file per rank, as PyTorch's profiler writes them:\n.json or .json.gz, in one folder "
                 "or in one per node."),
              "startText"));
  inner->addSpacing(8);
  inner->addLayout(buttons);

  m_recentTitle = new QLabel(tr("Recent"));
  m_recentTitle->setObjectName(QStringLiteral("recentTitle"));
  m_recent = new QVBoxLayout;
  m_recent->setSpacing(2);

  auto* column = new QWidget;
  column->setFixedWidth(kColumnWidth);
  auto* lines = new QVBoxLayout(column);
  lines->setContentsMargins(0, 24, 0, 24);
  lines->setSpacing(8);
  lines->addStretch(2);
  lines->addWidget(well);
  lines->addSpacing(14);
  lines->addWidget(m_recentTitle);
  lines->addLayout(m_recent);
  lines->addStretch(3);
  auto* page = new QHBoxLayout(this);
  page->setContentsMargins(16, 0, 16, 0);
  page->addStretch();
  page->addWidget(column);
  page->addStretch();

  connect(folder, &QPushButton::clicked, this, &StartPage::openFolderWanted);
  connect(files, &QPushButton::clicked, this, &StartPage::openFilesWanted);
  setRecent({});
}

void StartPage::setRecent(const QList<QStringList>& entries) {
  while (QLayoutItem* item = m_recent->takeAt(0)) {
    item->widget()->deleteLater();
    item->widget()->hide();
    delete item;
  }
  m_recentTitle->setVisible(!entries.isEmpty());
  for (const QStringList& paths : entries.mid(0, kRecentShown)) m_recent->addWidget(recentRow(paths));
}

QWidget* StartPage::recentRow(const QStringList& paths) {
  const bool there = RecentPaths::exists(paths);
  auto* button = new RecentButton(recentTitle(paths), recentPlace(paths), there);
  auto* forget = new QToolButton;
  forget->setObjectName(QStringLiteral("forget"));
  forget->setText(QStringLiteral("×"));
  forget->setToolTip(tr("Take off this list"));
  forget->setAccessibleName(tr("Take %1 off this list").arg(recentTitle(paths)));
  auto* row = new QWidget;
  auto* line = new QHBoxLayout(row);
  line->setContentsMargins(0, 0, 0, 0);
  line->setSpacing(2);
  line->addWidget(button, 1);
  line->addWidget(forget);
  connect(button, &QPushButton::clicked, this, [this, paths] { emit openWanted(paths); });
  connect(forget, &QToolButton::clicked, this, [this, paths] { emit forgetWanted(paths); });
  return row;
}

} // namespace rankscope::ui
