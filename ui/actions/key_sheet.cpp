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

#include <algorithm>
#include <utility>
#include <vector>

namespace rankscope::ui {
namespace {

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

QString htmlOf(const Group& group, const Theme& theme) {
  QString html = QStringLiteral("<p style='margin:0 0 4px 0; font-weight:600; color:%1'>%2</p>"
                                "<table cellspacing='0' cellpadding='2'>")
                     .arg(theme.muted.name(), group.title.toHtmlEscaped());
  for (const auto& [keys, title] : group.rows)
    html += QStringLiteral("<tr><td style='padding-right:16px; white-space:nowrap; color:%1'>%2</td>"
                           "<td style='color:%3'>%4</td></tr>")
                .arg(theme.accent.name(), keys.toHtmlEscaped(), theme.text.name(), title.toHtmlEscaped());
  return html + QStringLiteral("</table><p style='margin:0; font-size:8px'>&nbsp;</p>");
}

} // namespace

KeySheet::KeySheet(const ActionRegistry& actions, const Theme& theme, QWidget* parent) : QDialog(parent) {
  setObjectName(QStringLiteral("keySheet"));
  setWindowTitle(tr("Keyboard and mouse shortcuts"));
  setAttribute(Qt::WA_DeleteOnClose);
  const std::vector<Group> groups = groupsOf(actions);
  std::size_t rows = 0;
  for (const Group& group : groups) rows += group.rows.size() + 2;

  constexpr std::size_t kColumns = 3;
  auto* page = new QWidget;
  auto* columns = new QHBoxLayout(page);
  columns->setSpacing(36);
  std::size_t filled = 0;
  QString html;
  const auto endColumn = [&] {
    auto* column = new QLabel(std::exchange(html, {}));
    column->setTextFormat(Qt::RichText);
    column->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    column->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    columns->addWidget(column, 0, Qt::AlignTop);
    filled = 0;
  };
  for (const Group& group : groups) {
    const std::size_t height = group.rows.size() + 2;
    if (filled > 0 && filled + height / 2 > rows / kColumns + 1) endColumn();
    html += htmlOf(group, theme);
    filled += height;
  }
  if (!html.isEmpty()) endColumn();
  columns->addStretch();

  auto* scroll = new QScrollArea;
  scroll->setWidget(page);
  scroll->setWidgetResizable(true);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(22, 18, 22, 16);
  layout->addWidget(scroll, 1);
  auto* close = new QPushButton(tr("Close"));
  close->setDefault(true);
  connect(close, &QPushButton::clicked, this, &QDialog::accept);
  layout->addWidget(close, 0, Qt::AlignRight);
  const QSize space = parent ? parent->window()->size() - QSize(40, 40) : screen()->availableSize();
  resize((page->sizeHint() + QSize(70, 100)).boundedTo(space).expandedTo({360, 240}));
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
