// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/actions/key_sheet.h"

#include "ui/actions/actions.h"
#include "ui/base/theme.h"

#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QVBoxLayout>

#include <utility>
#include <vector>

namespace rankscope::ui {
namespace {

constexpr int kMaxColumns = 3;

struct Group {
  QString title;
  std::vector<std::pair<QString, QString>> rows; // keys, description
};

std::vector<Group> groupsOf(const ActionRegistry& actions) {
  std::vector<Group> groups;
  for (const QString& title : actions.groups()) {
    Group group{title, {}};
    for (const Action& action : actions.actions()) {
      if (action.group != title) continue;
      if (const QString keys = ActionRegistry::keysText(action, true); !keys.isEmpty())
        group.rows.emplace_back(keys, action.title);
    }
    if (!group.rows.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

// "/ / Ctrl+F" as two keys, each with its own background.
QString keysHtml(const QString& keys, const Theme& theme) {
  QStringList parts;
  for (const QString& key : keys.split(QStringLiteral(" / ")))
    parts << QStringLiteral("<span style='color:%1; background-color:%2'>&nbsp;%3&nbsp;</span>")
                 .arg(theme.accent.name(), theme.raised.name(), key.toHtmlEscaped());
  return parts.join(QStringLiteral(" "));
}

QString htmlOf(const Group& group, const Theme& theme) {
  QString html = QStringLiteral("<p style='margin:0 0 4px 0; font-weight:600; color:%1'>%2</p>"
                                "<table cellspacing='0' cellpadding='2'>")
                     .arg(theme.muted.name(), group.title.toHtmlEscaped());
  for (const auto& [keys, title] : group.rows)
    html += QStringLiteral("<tr><td style='padding-right:16px; white-space:nowrap'>%1</td>"
                           "<td style='color:%2'>%3</td></tr>")
                .arg(keysHtml(keys, theme), theme.text.name(), title.toHtmlEscaped());
  return html + QStringLiteral("</table><p style='margin:0; font-size:8px'>&nbsp;</p>");
}

} // namespace

KeySheet::KeySheet(const ActionRegistry& actions, const Theme& theme, QWidget* parent)
    : QDialog(parent), m_scroll(new QScrollArea) {
  setObjectName(QStringLiteral("keySheet"));
  setWindowTitle(tr("Keyboard and mouse shortcuts"));
  setAttribute(Qt::WA_DeleteOnClose);
  for (const Group& group : groupsOf(actions))
    m_groups.push_back({htmlOf(group, theme), static_cast<int>(group.rows.size()) + 2});

  m_scroll->setWidgetResizable(true);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(22, 18, 22, 16);
  layout->addWidget(m_scroll, 1);
  auto* close = new QPushButton(tr("Close"));
  close->setDefault(true);
  connect(close, &QPushButton::clicked, this, &QDialog::accept);
  layout->addWidget(close, 0, Qt::AlignRight);
  const QSize space = parent ? parent->window()->size() - QSize(40, 40) : screen()->availableSize();
  const QSize around(70, 100);
  for (int count = kMaxColumns; count > 0; --count) {
    m_scroll->setWidget(pageOf(count));
    if (m_scroll->widget()->sizeHint().width() <= space.width() - around.width()) break;
  }
  resize((m_scroll->widget()->sizeHint() + around).boundedTo(space).expandedTo({360, 240}));
}

// The groups in this many columns of about the same height.
QWidget* KeySheet::pageOf(int count) const {
  int rows = 0;
  for (const GroupText& group : m_groups) rows += group.rows;
  auto* page = new QWidget;
  auto* columns = new QHBoxLayout(page);
  columns->setSpacing(36);
  int filled = 0;
  QString html;
  const auto endColumn = [&] {
    auto* column = new QLabel(std::exchange(html, {}));
    column->setTextFormat(Qt::RichText);
    column->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    column->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    columns->addWidget(column, 0, Qt::AlignTop);
    filled = 0;
  };
  for (const GroupText& group : m_groups) {
    if (filled > 0 && columns->count() + 1 < count && filled + group.rows / 2 > rows / count + 1) endColumn();
    html += group.html;
    filled += group.rows;
  }
  if (!html.isEmpty()) endColumn();
  columns->addStretch();
  return page;
}

QString KeySheet::plainText(const ActionRegistry& actions) {
  QStringList lines;
  for (const Group& group : groupsOf(actions)) {
    lines << group.title;
    for (const auto& [keys, title] : group.rows) lines << keys + QLatin1Char('\t') + title;
  }
  return lines.join(QLatin1Char('\n'));
}

void KeySheet::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Question)
    accept();
  else
    QDialog::keyPressEvent(event);
}

} // namespace rankscope::ui
