// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/details/source_view.h"

#include "ui/base/theme.h"

#include <QCoreApplication>
#include <QDialog>
#include <QFile>
#include <QFileInfo>
#include <QPlainTextEdit>
#include <QTextBlock>
#include <QVBoxLayout>

namespace rankscope::ui {

namespace {

constexpr qint64 kMaxFileBytes = qint64{4} << 20;

// The line is highlighted and centered.
void goToLine(QPlainTextEdit& text, int line) {
  const QTextBlock block = text.document()->findBlockByNumber(std::max(0, line - 1));
  if (!block.isValid()) return;
  QTextCursor cursor(block);
  text.setTextCursor(cursor);
  QTextEdit::ExtraSelection marked;
  marked.cursor = cursor;
  QColor ground = text.palette().color(QPalette::Highlight);
  ground.setAlphaF(0.3F);
  marked.format.setBackground(ground);
  marked.format.setProperty(QTextFormat::FullWidthSelection, true);
  text.setExtraSelections({marked});
  text.centerCursor();
}

} // namespace

bool showSourceView(QWidget& parent, const QString& path, int line) {
  QFile file(path);
  if (file.size() > kMaxFileBytes || !file.open(QIODevice::ReadOnly)) return false;
  const QByteArray bytes = file.readAll();
  if (bytes.contains('\0')) return false;
  auto* dialog = new QDialog(&parent);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setObjectName(QStringLiteral("sourceView"));
  dialog->setWindowTitle(
      QCoreApplication::translate("SourceView", "%1, line %2").arg(QFileInfo(path).fileName()).arg(line));
  auto* text = new QPlainTextEdit(QString::fromUtf8(bytes));
  text->setReadOnly(true);
  text->setFont(numberFont(13));
  text->setLineWrapMode(QPlainTextEdit::NoWrap);
  text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  text->setToolTip(path);
  auto* column = new QVBoxLayout(dialog);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(text);
  dialog->resize(900, 620);
  dialog->show();
  goToLine(*text, line);
  return true;
}

} // namespace rankscope::ui
