// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/choice_row.h"

#include "ui/widgets/flow_layout.h"

#include <QButtonGroup>
#include <QPushButton>

namespace rankscope::ui {

ChoiceRow::ChoiceRow(const QString& name, const QStringList& titles, QWidget* parent)
    : QWidget(parent), m_buttons(new QButtonGroup(this)) {
  setAccessibleName(name);
  auto* row = new FlowLayout(this, 6);
  for (const QString& title : titles) {
    auto* button = new QPushButton(title);
    button->setObjectName(QStringLiteral("choice"));
    button->setCheckable(true);
    button->setAccessibleDescription(name);
    m_buttons->addButton(button, static_cast<int>(m_buttons->buttons().size()));
    row->addWidget(button);
  }
  m_buttons->button(0)->setChecked(true);
  connect(m_buttons, &QButtonGroup::idToggled, this, [this](int index, bool on) {
    if (on) emit chosenChanged(index);
  });
}

int ChoiceRow::chosen() const {
  return m_buttons->checkedId();
}

QString ChoiceRow::chosenText() const {
  const QAbstractButton* const button = m_buttons->checkedButton();
  return button != nullptr ? button->text() : QString();
}

void ChoiceRow::choose(int index) {
  m_buttons->button(index)->setChecked(true);
}

void ChoiceRow::setTip(int index, const QString& tip) {
  m_buttons->button(index)->setToolTip(tip);
}

} // namespace rankscope::ui
