// SPDX-License-Identifier: GPL-3.0-or-later
// The table of all actions of the window with name, group and keys. Menus, shortcuts, command palette and
// key sheet are made from it, so they always agree. Components add their actions while the window is built.
// UI thread. Invariant: ids are unique; an entry stays at its address once it was added.
#pragma once

#include <QKeyCombination>
#include <QList>
#include <QObject>
#include <QString>
#include <QStringList>

#include <deque>
#include <functional>
#include <vector>

class QAction;
class QKeyEvent;
class QMenu;
class QWidget;

namespace rankscope::ui {

// Where an action's keys are listened to.
enum class KeyScope : std::uint8_t {
  Timeline, // timeline focused: single letters, by position on the keyboard
  Window,   // anywhere in the window, unless a text field takes them
  Tables,   // table focused: handled by the table, listed here
};

struct Action {
  QString id;    // "tracks.pin"; stable, for code and tests
  QString group; // translated; a menu and a part of the key sheet
  QString title; // translated
  std::vector<QKeyCombination> keys = {};
  KeyScope scope = KeyScope::Timeline;
  std::function<void()> run = {};     // empty: a line of the key sheet only
  std::function<void()> release = {}; // for keys that act while held; Shift is ignored
  std::function<bool()> enabled = {}; // empty: always
  std::function<bool()> checked = {}; // for toggles: whether it is on
  QString pointer = {};               // equivalent mouse, wheel or touch gesture: "wheel"
  QString words = {};                 // other words that people search it by: "font zoom"
};

class ActionRegistry : public QObject {
  Q_OBJECT

 public:
  explicit ActionRegistry(QObject* parent = nullptr);
  ~ActionRegistry() override;

  // REQUIRES: no action has this id yet.
  void add(Action action);
  [[nodiscard]] const std::deque<Action>& actions() const { return m_actions; }
  // Null for an unknown id.
  [[nodiscard]] const Action* find(const QString& id) const;
  // In the order in which their first action was added.
  [[nodiscard]] QStringList groups() const;
  // "W / +", optionally followed by the gesture; empty without keys.
  [[nodiscard]] static QString keysText(const Action& action, bool withPointer = false);

  // Runs the action; false if it is unknown or disabled.
  bool run(const QString& id) const;
  // Runs the first enabled action with this key, including window scope: a QShortcut knows the printed
  // letter, but not the key's position, nor '?' with Shift. False: no action has the key.
  bool press(const QKeyEvent& event);
  // Whether press() would take the key by its position, so that no shortcut of its letter may take it.
  [[nodiscard]] bool claimsByPosition(const QKeyEvent& event) const;
  bool release(const QKeyEvent& event);

  // For menus; its objectName is the id.
  [[nodiscard]] QAction* menuAction(const QString& id) const;
  // All actions of a group in their current state.
  void fillMenu(QMenu& menu, const QString& group) const;
  // Listens to the keys of window scope in this window, including those of actions added later.
  void listenIn(QWidget& window);

 private:
  struct Item;
  void refresh(const Item& item) const;
  [[nodiscard]] const Action* availableWith(QKeyCombination key) const;

  std::deque<Action> m_actions;
  std::vector<Item> m_items;   // in the order of m_actions
  QList<QAction*> m_listeners; // to the keys of the window's scope
  QWidget* m_window = nullptr;
};

} // namespace rankscope::ui
