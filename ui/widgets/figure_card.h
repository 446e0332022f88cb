// SPDX-License-Identifier: GPL-3.0-or-later
// A card with a large value, its name above and a note below; and a row of such cards that wraps, with all
// cards of equal size. Colored only for bad values; an en dash if unknown. The tooltip has the definition. UI
// thread.
#pragma once

#include <QFrame>
#include <QString>

#include <cstdint>
#include <vector>

class QLabel;

namespace rankscope::ui {

class WrappedLabel;

enum class FigureLevel : std::uint8_t { Fine, Warning, Critical, Unknown };

struct Figure {
  QString value;     // empty: an en dash
  QString note = {}; // basis of the value, or why it is unknown
  FigureLevel level = FigureLevel::Fine;
  QString more = {}; // what the tooltip adds to the definition
};

class FigureCard : public QFrame {
  Q_OBJECT
 public:
  // definition: the tooltip.
  explicit FigureCard(const QString& title, const QString& definition = {}, QWidget* parent = nullptr);

  void setFigure(const Figure& figure);
  [[nodiscard]] const Figure& figure() const { return m_figure; }
  [[nodiscard]] QString title() const;

 private:
  Figure m_figure;
  QString m_definition;
  QLabel* m_title;
  QLabel* m_value;
  WrappedLabel* m_note;
};

class FigureRow : public QWidget {
  Q_OBJECT
 public:
  explicit FigureRow(QWidget* parent = nullptr);

  // Takes ownership; appends the card.
  void addCard(FigureCard* card);
  [[nodiscard]] const std::vector<FigureCard*>& cards() const { return m_cards; }

  [[nodiscard]] bool hasHeightForWidth() const override { return true; }
  [[nodiscard]] int heightForWidth(int width) const override;
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;

 private:
  [[nodiscard]] int narrowestCard() const;
  [[nodiscard]] int columnsFor(int width) const;
  [[nodiscard]] int cardHeight(int cardWidth) const;
  void place();

  std::vector<FigureCard*> m_cards;
};

} // namespace rankscope::ui
