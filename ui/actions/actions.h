// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that can be done in the window, each with its name, group and keys, in one table: the menus, the
// keys, the command palette and the key sheet are all made from it, so that none can know more than another.
// Whoever can do something adds it here, once, while the window is built. UI thread.
// Invariant: ids are unique; an entry stays at its address once it was added.
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
  Timeline, // while the timeline has them: single letters, by their place on the keyboard
  Window,   // everywhere in the window, except where a text field takes them
  Tables,   // while a table has them: it listens itself, the registry only knows of them
};

struct Action {
  QString id;    // "tracks.pin"; stable, for code and tests
  QString group; // translated; a menu and a part of the key sheet
  QString title; // translated
  std::vector<QKeyCombination> keys = {};
  KeyScope scope = KeyScope::Timeline;
  std::function<void()> run = {};     // empty: a line of the key sheet only
  std::function<void()> release = {}; // of a key that acts while it is held; Shift does not matter then
  std::function<bool()> enabled = {}; // empty: always
  std::function<bool()> checked = {}; // of a switch: whether it is on
  QString pointer = {};               // the mouse, wheel or touch that does the same: "wheel"
};

class ActionRegistry : public QObject {
  Q_OBJECT

 public:
  explicit ActionRegistry(QObject* parent = nullptr);
  ~ActionRegistry() override;

  // REQUIRES: no action has this id yet.
  void add(Action action);
  [[nodiscard]] const std::deque<Action>& actions() const { return m_actions; }
  // Null for an id that nobody added.
  [[nodiscard]] const Action* find(const QString& id) const;
  // In the order in which their first action was added.
  [[nodiscard]] QStringList groups() const;
  // "W / +", with the pointer's way after it when asked; empty without any.
  [[nodiscard]] static QString keysText(const Action& action, bool withPointer = false);

  // Does it; false when it is not there, or not possible now.
  bool run(const QString& id) const;
  // The first action that has this key and is possible now; of the window's scope too, because a shortcut
  // knows only what is printed, not the key's place, nor '?' with a Shift. False: nobody wants it.
  bool press(const QKeyEvent& event);
  // Whether press() would take a key by its place, so that no shortcut of its letter may have it.
  [[nodiscard]] bool claimsByPosition(const QKeyEvent& event) const;
  bool release(const QKeyEvent& event);

  // For menus; its objectName is the id.
  [[nodiscard]] QAction* menuAction(const QString& id) const;
  // All of a group, as they stand now.
  void fillMenu(QMenu& menu, const QString& group) const;
  // Where the keys of the window's scope are listened to, also those of actions added later.
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
