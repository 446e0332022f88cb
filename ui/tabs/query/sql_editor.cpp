// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/query/sql_editor.h"

#include "ui/base/text_scale.h"
#include "ui/base/theme.h"
#include "ui/job/trace_session.h"
#include "ui/tabs/query/sql_colors.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QStringListModel>
#include <QTextBlock>

namespace rankscope::ui {

namespace {

constexpr int kFontSize = 13;
constexpr int kLeastWord = 2; // letters before words are offered

// The numbers beside the text.
class LineNumbers : public QWidget {
 public:
  explicit LineNumbers(SqlEditor& editor) : QWidget(&editor), m_editor(editor) {}

 protected:
  void paintEvent(QPaintEvent* event) override { m_editor.paintNumbers(*event); }

 private:
  SqlEditor& m_editor;
};

} // namespace

SqlEditor::SqlEditor(const TraceSession& session, QWidget* parent)
    : QPlainTextEdit(parent), m_session(session), m_words(new QStringListModel(this)),
      m_completer(new QCompleter(m_words, this)), m_numbers(new LineNumbers(*this)) {
  setFont(numberFont(kFontSize));
  setLineWrapMode(QPlainTextEdit::NoWrap);
  setTabStopDistance(fontMetrics().horizontalAdvance(QLatin1Char(' ')) * 2);
  setAccessibleName(tr("SQL"));
  new SqlColors(*document(), session); // the document's
  m_completer->setWidget(this);
  m_completer->setCaseSensitivity(Qt::CaseInsensitive);
  m_completer->setCompletionMode(QCompleter::PopupCompletion);
  m_completer->popup()->setObjectName(QStringLiteral("sqlWords"));
  connect(m_completer, qOverload<const QString&>(&QCompleter::activated), this, &SqlEditor::insertCompletion);
  connect(this, &QPlainTextEdit::blockCountChanged, this, &SqlEditor::placeNumbers);
  connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect& rect, int dy) {
    if (dy != 0)
      m_numbers->scroll(0, dy);
    else
      m_numbers->update(0, rect.y(), m_numbers->width(), rect.height());
  });
  placeNumbers();
}

void SqlEditor::setWords(const QStringList& words) {
  m_words->setStringList(words);
}

int SqlEditor::numbersWidth() const {
  const auto digits = QString::number(std::max(10, blockCount())).size();
  return fontMetrics().horizontalAdvance(QLatin1Char('9')) * static_cast<int>(digits) + scaledToText(14);
}

void SqlEditor::placeNumbers() {
  setViewportMargins(numbersWidth(), 0, 0, 0);
  const QRect inside = contentsRect();
  m_numbers->setGeometry(inside.left(), inside.top(), numbersWidth(), inside.height());
}

void SqlEditor::resizeEvent(QResizeEvent* event) {
  QPlainTextEdit::resizeEvent(event);
  placeNumbers();
}

void SqlEditor::paintNumbers(QPaintEvent& event) {
  QPainter painter(m_numbers);
  painter.setFont(font());
  painter.setPen(m_session.theme().muted);
  QTextBlock block = firstVisibleBlock();
  double top = blockBoundingGeometry(block).translated(contentOffset()).top();
  while (block.isValid() && top <= event.rect().bottom()) {
    const double height = blockBoundingRect(block).height();
    if (block.isVisible())
      painter.drawText(QRectF(0, top, m_numbers->width() - scaledToText(8), height), Qt::AlignRight,
                       QString::number(block.blockNumber() + 1));
    top += height;
    block = block.next();
  }
}

void SqlEditor::goTo(int line, int column) {
  const QTextBlock block = document()->findBlockByNumber(line - 1);
  if (!block.isValid()) return;
  QTextCursor cursor(block);
  cursor.setPosition(block.position() + std::clamp(column - 1, 0, block.length() - 1));
  setTextCursor(cursor);
}

QString SqlEditor::wordBeforeCursor() const {
  const QTextCursor cursor = textCursor();
  const QString line = cursor.block().text().left(cursor.positionInBlock());
  qsizetype begin = line.size();
  while (begin > 0 && (line[begin - 1].isLetterOrNumber() || line[begin - 1] == QLatin1Char('_'))) --begin;
  return line.mid(begin);
}

void SqlEditor::complete(bool always) {
  const QString word = wordBeforeCursor();
  if (!always && word.size() < kLeastWord) {
    m_completer->popup()->hide();
    return;
  }
  m_completer->setCompletionPrefix(word);
  const bool whole = m_completer->completionCount() == 1 &&
                     m_completer->currentCompletion().compare(word, Qt::CaseInsensitive) == 0;
  if (m_completer->completionCount() == 0 || whole) {
    m_completer->popup()->hide();
    return;
  }
  m_completer->popup()->setCurrentIndex(m_completer->completionModel()->index(0, 0));
  QRect place = cursorRect();
  place.translate(numbersWidth(), 0);
  place.setWidth(m_completer->popup()->sizeHintForColumn(0) +
                 m_completer->popup()->verticalScrollBar()->sizeHint().width() + scaledToText(8));
  m_completer->complete(place);
}

void SqlEditor::insertCompletion(const QString& word) {
  QTextCursor cursor = textCursor();
  cursor.movePosition(QTextCursor::Left, QTextCursor::KeepAnchor,
                      static_cast<int>(m_completer->completionPrefix().size()));
  cursor.insertText(word);
  setTextCursor(cursor);
}

void SqlEditor::keyPressEvent(QKeyEvent* event) {
  const bool control = event->modifiers().testFlag(Qt::ControlModifier);
  const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  if (m_completer->popup()->isVisible() && !control) {
    // The list takes these.
    if (enter || event->key() == Qt::Key_Tab || event->key() == Qt::Key_Escape ||
        event->key() == Qt::Key_Backtab) {
      event->ignore();
      return;
    }
  }
  if (enter && control) {
    m_completer->popup()->hide();
    emit runWanted();
    return;
  }
  if (event->key() == Qt::Key_Escape) {
    emit cancelWanted();
    return;
  }
  if (control && event->key() == Qt::Key_Space) {
    complete(true);
    return;
  }
  QPlainTextEdit::keyPressEvent(event);
  const bool typed = !event->text().isEmpty() && event->text().front().isPrint();
  if (typed || m_completer->popup()->isVisible()) complete(false);
}

} // namespace rankscope::ui
