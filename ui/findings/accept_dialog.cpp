// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/findings/accept_dialog.h"

#include "ui/base/text_scale.h"
#include "ui/widgets/wrapped_label.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace rankscope::ui {

namespace {

constexpr int kWidth = 420;

} // namespace

AcceptDialog::AcceptDialog(const QString& title, const QString& note, QWidget* parent)
    : QDialog(parent), m_note(new QLineEdit(note)) {
  setObjectName(QStringLiteral("acceptDialog"));
  setWindowTitle(tr("Accept finding"));
  auto* what = new WrappedLabel(title);
  auto* why = new QLabel(tr("&Note: why it is accepted, until when"));
  why->setBuddy(m_note);
  auto* effect =
      new WrappedLabel(tr("The finding stays in the list, marked as accepted, also when the job is recorded "
                          "again under the same path. It is matched by rule, cause and ranks. Exported, "
                          "accepted findings work with rankscope-cli findings --ignore."));
  effect->setObjectName(QStringLiteral("caption"));
  m_note->setMinimumWidth(scaledToText(kWidth));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
  buttons->button(QDialogButtonBox::Ok)->setText(tr("Accept"));
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* column = new QVBoxLayout(this);
  column->addWidget(what);
  column->addWidget(why);
  column->addWidget(m_note);
  column->addWidget(effect);
  column->addWidget(buttons);
}

QString AcceptDialog::note() const {
  return m_note->text();
}

} // namespace rankscope::ui
