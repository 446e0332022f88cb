// SPDX-License-Identifier: GPL-3.0-or-later
// A line to type into and what it offers, over the top of the window: the command palette, finding a track,
// going to a time. Return or a click takes an offer, the arrows choose another, Escape or a click elsewhere
// closes it and gives the focus back. One in a window; it is made when first asked for. UI thread.
#pragma once

#include <QFrame>
#include <QPointer>

#include <functional>
#include <span>
#include <vector>

class QLabel;
class QLineEdit;
class QListWidget;

namespace rankscope::ui {

class ActionRegistry;

struct PickItem {
  QString title;
  QString note;              // where it belongs; smaller
  QString keys;              // at the right edge
  std::function<void()> run; // empty: a sentence that cannot be taken
};

class QuickPick : public QFrame {
  Q_OBJECT

 public:
  // What is offered for a text, best first; asked again whenever the text changes.
  using Source = std::function<std::vector<PickItem>(const QString& text)>;

  // The one of the window that holds this widget.
  [[nodiscard]] static QuickPick& of(QWidget& widget);

  void ask(const QString& prompt, Source source, const QString& text = {});
  void dismiss();

  [[nodiscard]] QLineEdit& field() { return *m_field; }
  [[nodiscard]] const std::vector<PickItem>& items() const { return m_items; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  explicit QuickPick(QWidget* parent);
  void offer(const QString& text);
  void take(int row);
  void place();

  QLineEdit* m_field;
  QListWidget* m_list;
  QLabel* m_empty;
  Source m_source;
  std::vector<PickItem> m_items;
  QPointer<QWidget> m_focusBefore;
};

// Those whose title (or note) fits the text, best first, or the first ones for none; no more than are
// offered.
[[nodiscard]] std::vector<PickItem> fittingItems(std::span<const PickItem> items, const QString& text);

// Every action that can be done now, with its group and keys.
[[nodiscard]] std::vector<PickItem> paletteItems(const ActionRegistry& actions);

} // namespace rankscope::ui
