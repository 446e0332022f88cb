// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/problem_list.h"

#include "ui/base/text_scale.h"
#include "ui/base/ui_text.h"

#include <QClipboard>
#include <QDialog>
#include <QDialogButtonBox>
#include <QGuiApplication>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace rankscope::ui {

namespace {

constexpr QSize kListSize(760, 480);

} // namespace

void showProblemList(QWidget* window, const QString& title, const QStringList& lines) {
  auto* dialog = new QDialog(window);
  dialog->setObjectName(QStringLiteral("problemList"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(title);
  auto* text = new QPlainTextEdit(lines.join(QLatin1Char('\n')));
  text->setReadOnly(true);
  text->setAccessibleName(title);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  const QPushButton* const copy = buttons->addButton(tr("Copy"), QDialogButtonBox::ActionRole);
  QObject::connect(copy, &QPushButton::clicked, dialog,
                   [text] { QGuiApplication::clipboard()->setText(text->toPlainText()); });
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
  auto* column = new QVBoxLayout(dialog);
  column->addWidget(text);
  column->addWidget(buttons);
  dialog->resize(
      QSize(scaledToText(kListSize.width()), scaledToText(kListSize.height())).boundedTo(window->size()));
  dialog->open();
}

} // namespace rankscope::ui
