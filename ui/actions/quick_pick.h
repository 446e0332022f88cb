// SPDX-License-Identifier: GPL-3.0-or-later
// An input line with a list of choices over the top of the window: command palette, track search, go to
// time. Return or a click takes a choice, arrow keys select, Escape or a click elsewhere closes it and
// restores the focus. A poor match is not selected by itself. One per window, created on first use. UI
// thread.
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
  std::function<void()> run; // empty: a message that cannot be chosen
  QString words = {};        // found by these too, but not shown
  bool poor = false;         // the text is only found scattered: Return runs it only after it was selected
};

class QuickPick : public QFrame {
  Q_OBJECT

 public:
  // Choices for a text, best first; called whenever the text changes.
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

// Items whose title (or note) matches the text, best first; for an empty text the first ones. Limited to
// the number shown.
[[nodiscard]] std::vector<PickItem> fittingItems(std::span<const PickItem> items, const QString& text);

// All enabled actions with group and keys.
[[nodiscard]] std::vector<PickItem> paletteItems(const ActionRegistry& actions);

} // namespace rankscope::ui
