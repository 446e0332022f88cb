// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/actions/actions.h"

#include "ui/actions/key_position.h"

#include <QAction>
#include <QKeyEvent>
#include <QKeySequence>
#include <QMenu>
#include <QWidget>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

struct ActionRegistry::Item {
  const Action* action;
  QAction* shown;
};

namespace {

bool isAvailable(const Action& action) {
  return action.run && (!action.enabled || action.enabled());
}

bool hasKey(const Action& action, QKeyCombination wanted) {
  if (action.scope == KeyScope::Tables) return false;
  return std::ranges::any_of(action.keys, [&](QKeyCombination key) {
    if (key == wanted) return true;
    // A held key still matches while Shift is pressed.
    return action.release && key.key() == wanted.key() &&
           (wanted.keyboardModifiers() & ~Qt::ShiftModifier) == key.keyboardModifiers();
  });
}

} // namespace

ActionRegistry::ActionRegistry(QObject* parent) : QObject(parent) {}
ActionRegistry::~ActionRegistry() = default;

void ActionRegistry::add(Action action) {
  Q_ASSERT(!find(action.id));
  m_actions.push_back(std::move(action));
  const Action& added = m_actions.back();
  auto* shown = new QAction(this);
  shown->setObjectName(added.id);
  shown->setCheckable(static_cast<bool>(added.checked));
  m_items.push_back({&added, shown});
  QString text = added.title;
  text.replace(QLatin1Char('&'), QStringLiteral("&&"));
  // Only shown here; a separate QAction listens to the keys, because a disabled menu entry would block
  // them.
  if (const QString keys = keysText(added); !keys.isEmpty()) text += QLatin1Char('\t') + keys;
  shown->setText(text);
  connect(shown, &QAction::triggered, this, [this, &added] {
    if (isAvailable(added)) added.run();
    refresh(*std::ranges::find(m_items, &added, &Item::action));
  });
  if (added.scope == KeyScope::Window && !added.keys.empty()) {
    QList<QKeySequence> keys;
    for (const QKeyCombination key : added.keys) keys << QKeySequence(key);
    auto* listener = new QAction(this);
    listener->setShortcuts(keys);
    connect(listener, &QAction::triggered, this, [this, &added] {
      if (isAvailable(added)) added.run();
    });
    m_listeners.push_back(listener);
    if (m_window) m_window->addAction(listener);
  }
  if (added.checked) refresh(m_items.back());
}

void ActionRegistry::refresh(const Item& item) const {
  item.shown->setEnabled(isAvailable(*item.action));
  if (item.action->checked) item.shown->setChecked(item.action->checked());
}

const Action* ActionRegistry::find(const QString& id) const {
  const auto found = std::ranges::find(m_actions, id, &Action::id);
  return found == m_actions.end() ? nullptr : &*found;
}

QStringList ActionRegistry::groups() const {
  QStringList groups;
  for (const Action& action : m_actions)
    if (!groups.contains(action.group)) groups << action.group;
  return groups;
}

QString ActionRegistry::keysText(const Action& action, bool withPointer) {
  QStringList keys;
  for (const QKeyCombination key : action.keys) keys << QKeySequence(key).toString(QKeySequence::NativeText);
  if (withPointer && !action.pointer.isEmpty()) keys << action.pointer;
  return keys.join(QStringLiteral(" / "));
}

bool ActionRegistry::run(const QString& id) const {
  const Action* const action = find(id);
  if (!action || !isAvailable(*action)) return false;
  action->run();
  return true;
}

const Action* ActionRegistry::availableWith(QKeyCombination key) const {
  for (const Action& action : m_actions)
    if (hasKey(action, key) && isAvailable(action)) return &action;
  return nullptr;
}

bool ActionRegistry::press(const QKeyEvent& event) {
  const QKeyCombination key = keyCombinationOf(event);
  const bool isKnown =
      std::ranges::any_of(m_actions, [&](const Action& action) { return hasKey(action, key); });
  const Action* const action = isKnown ? availableWith(key) : availableWith(usCombinationOf(event));
  if (!action) return false;
  // Held keys act until they are released; auto-repeat is ignored.
  if (!action->release || !event.isAutoRepeat()) action->run();
  return true;
}

bool ActionRegistry::claimsByPosition(const QKeyEvent& event) const {
  return isByPosition(event) && availableWith(keyCombinationOf(event));
}

bool ActionRegistry::release(const QKeyEvent& event) {
  const int key = keyByPosition(event);
  bool isKnown = false;
  for (const Action& action : m_actions) {
    if (!action.release || std::ranges::find(action.keys, key, &QKeyCombination::key) == action.keys.end())
      continue;
    isKnown = true;
    if (!event.isAutoRepeat()) action.release();
  }
  return isKnown;
}

QAction* ActionRegistry::menuAction(const QString& id) const {
  for (const Item& item : m_items) {
    if (item.action->id != id) continue;
    refresh(item);
    return item.shown;
  }
  return nullptr;
}

void ActionRegistry::fillMenu(QMenu& menu, const QString& group) const {
  for (const Item& item : m_items) {
    if (item.action->group != group || !item.action->run) continue;
    refresh(item);
    menu.addAction(item.shown);
  }
}

void ActionRegistry::listenIn(QWidget& window) {
  m_window = &window;
  window.addActions(m_listeners);
}

} // namespace rankscope::ui
