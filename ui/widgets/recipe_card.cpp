// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/recipe_card.h"

#include "ui/base/text_scale.h"
#include "ui/base/theme.h"
#include "ui/widgets/wrapped_label.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTimer>
#include <QVBoxLayout>

namespace rankscope::ui {

namespace {

constexpr int kCopiedMs = 2000; // how long the button says that it copied

// As high as its code, and as wide as there is room.
class CodeScroll : public QScrollArea {
 public:
  explicit CodeScroll(QWidget* code) {
    setFrameShape(QFrame::NoFrame);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    viewport()->setAutoFillBackground(false);
    setWidget(code);
    code->setAutoFillBackground(false);
  }

  [[nodiscard]] QSize sizeHint() const override {
    return widget()->sizeHint() + QSize(0, horizontalScrollBar()->sizeHint().height());
  }
  [[nodiscard]] QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }

 protected:
  // The style sets the size of the text when it is shown first.
  void showEvent(QShowEvent* event) override {
    widget()->ensurePolished();
    widget()->adjustSize();
    updateGeometry();
    QScrollArea::showEvent(event);
  }
};

} // namespace

RecipeCard::RecipeCard(const QString& title, const QString& code, QWidget* parent)
    : QFrame(parent), m_code(code), m_top(new QHBoxLayout), m_text(new WrappedLabel),
      m_copy(new QPushButton(tr("Copy"))) {
  setObjectName(QStringLiteral("recipe"));
  auto* heading = new QLabel(title);
  m_heading = heading;
  heading->setObjectName(QStringLiteral("recipeTitle"));
  m_top->setSpacing(8);
  m_top->addWidget(heading);
  m_top->addStretch();
  m_top->addWidget(m_copy);
  m_text->setObjectName(QStringLiteral("startText"));
  auto* lines = new QLabel(code.trimmed());
  lines->setObjectName(QStringLiteral("recipeCode"));
  lines->setFont(numberFont(12));
  lines->setTextFormat(Qt::PlainText);
  lines->setTextInteractionFlags(Qt::TextSelectableByMouse);
  lines->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  auto* scroll = new CodeScroll(lines);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 12, 16, 14);
  column->setSpacing(8);
  column->addLayout(m_top);
  column->addWidget(m_text);
  column->addWidget(scroll);
  m_lines = scroll;
  connect(m_copy, &QPushButton::clicked, this, [this] {
    QGuiApplication::clipboard()->setText(m_code);
    m_copy->setText(tr("Copied"));
    QTimer::singleShot(kCopiedMs, m_copy, [this] { m_copy->setText(tr("Copy")); });
  });
}

void RecipeCard::addButton(QPushButton* button) {
  m_top->insertWidget(m_top->indexOf(m_copy), button);
}

void RecipeCard::setCodeVisible(bool visible) {
  for (QWidget* part : {m_heading, m_lines, static_cast<QWidget*>(m_copy)}) part->setVisible(visible);
}

void RecipeCard::setText(const QString& text) {
  m_text->setText(text);
}

QString RecipeCard::text() const {
  return m_text->text();
}

} // namespace rankscope::ui
