// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/view/timeline_interfaces.h"

#include "core/base/unit_text.h"
#include "ui/base/ui_text.h"
#include "ui/timeline/canvas/timeline_canvas.h"
#include "ui/timeline/headers/track_headers.h"
#include "ui/timeline/lanes/track_label.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QPointer>

#include <map>
#include <span>
#include <utility>

namespace rankscope::ui {
namespace {

std::span<const Section> sectionsInSight(const TrackHeaders& headers) {
  if (!headers.session().trace()) return {};
  return headers.layoutShown().sectionsWithin(headers.scrollTop(), headers.scrollTop() + headers.height());
}

QRect onScreen(const QWidget& widget, const QRect& box) {
  return {widget.mapToGlobal(box.topLeft()), box.size()};
}

NotifyFunction& tell() {
  static NotifyFunction now = QAccessible::updateAccessibility;
  return now;
}

// Common base of painted children: they have a parent widget and no children.
class PaintedChild : public QAccessibleInterface {
 public:
  explicit PaintedChild(QWidget* around) : m_around(around) {}

  QObject* object() const override { return nullptr; }
  QAccessibleInterface* parent() const override { return QAccessible::queryAccessibleInterface(m_around); }
  QAccessibleInterface* child(int) const override { return nullptr; }
  QAccessibleInterface* childAt(int, int) const override { return nullptr; }
  int childCount() const override { return 0; }
  int indexOfChild(const QAccessibleInterface*) const override { return -1; }
  void setText(QAccessible::Text, const QString&) override {}
  QWindow* window() const override { return m_around ? m_around->window()->windowHandle() : nullptr; }

 protected:
  [[nodiscard]] QWidget* around() const { return m_around; }

 private:
  QPointer<QWidget> m_around;
};

class HeaderChild : public PaintedChild, public QAccessibleActionInterface {
 public:
  HeaderChild(TrackHeaders* headers, TrackKey key)
      : PaintedChild(headers), m_headers(headers), m_key(std::move(key)) {}

  bool isValid() const override { return section() != nullptr; }
  QAccessible::Role role() const override { return QAccessible::TreeItem; }
  QRect rect() const override {
    const Section* const of = section();
    return of ? onScreen(*m_headers, m_headers->boxOf(*of)) : QRect();
  }
  QString text(QAccessible::Text what) const override {
    const Section* const of = section();
    if (!of) return {};
    if (what == QAccessible::Name) return headerInWords(*m_headers, *of);
    return what == QAccessible::Description ? of->kind->describe(m_headers->facts(), *of) : QString();
  }
  QAccessible::State state() const override {
    QAccessible::State state;
    const Section* const of = section();
    if (!of) {
      state.invalid = true;
      return state;
    }
    state.focusable = true;
    state.focused = m_headers->focused() == m_key;
    state.expandable = of->foldable;
    state.expanded = of->foldable && !of->folded;
    state.collapsed = of->foldable && of->folded;
    state.offscreen = !m_headers->rect().intersects(m_headers->boxOf(*of));
    return state;
  }
  void* interface_cast(QAccessible::InterfaceType type) override {
    return type == QAccessible::ActionInterface ? static_cast<QAccessibleActionInterface*>(this) : nullptr;
  }

  QStringList actionNames() const override {
    const Section* const of = section();
    return of && of->foldable ? QStringList{toggleAction()} : QStringList();
  }
  void doAction(const QString& name) override {
    if (section() && name == toggleAction()) emit m_headers->toggled(m_key);
  }
  QStringList keyBindingsForAction(const QString& name) const override {
    return name == toggleAction() ? QStringList{tr("Space")} : QStringList();
  }

 private:
  [[nodiscard]] const Section* section() const {
    return around() && m_headers->session().trace() ? m_headers->layoutShown().sectionOf(m_key) : nullptr;
  }

  TrackHeaders* m_headers; // valid as long as around() is not null
  TrackKey m_key;
};

class HeadersInterface : public QAccessibleWidget {
 public:
  explicit HeadersInterface(TrackHeaders* headers)
      : QAccessibleWidget(headers, QAccessible::Tree), m_headers(headers) {}
  ~HeadersInterface() override {
    for (const auto& [key, id] : m_children) QAccessible::deleteAccessibleInterface(id);
  }

  int childCount() const override { return static_cast<int>(sectionsInSight(*m_headers).size()); }
  QAccessibleInterface* child(int index) const override {
    const auto sections = sectionsInSight(*m_headers);
    if (index < 0 || static_cast<std::size_t>(index) >= sections.size()) return nullptr;
    return childOf(sections[static_cast<std::size_t>(index)].key);
  }
  int indexOfChild(const QAccessibleInterface* child) const override {
    for (int i = 0; i < childCount(); ++i)
      if (this->child(i) == child) return i;
    return -1;
  }
  QAccessibleInterface* childAt(int x, int y) const override {
    for (const Section& section : sectionsInSight(*m_headers))
      if (onScreen(*m_headers, m_headers->boxOf(section)).contains(x, y)) return childOf(section.key);
    return nullptr;
  }
  QAccessibleInterface* focusChild() const override {
    const auto key = m_headers->focused();
    return key && m_headers->layoutShown().sectionOf(*key) ? childOf(*key) : nullptr;
  }

 private:
  QAccessibleInterface* childOf(const TrackKey& key) const {
    const auto known = m_children.find(key);
    if (known != m_children.end()) return QAccessible::accessibleInterface(known->second);
    auto* const made = new HeaderChild(m_headers, key);
    m_children.emplace(key, QAccessible::registerAccessibleInterface(made));
    return made;
  }

  TrackHeaders* m_headers;
  mutable std::map<TrackKey, QAccessible::Id> m_children; // also of headers that are no longer visible
};

class SliceChild : public PaintedChild {
 public:
  explicit SliceChild(TimelineCanvas* canvas) : PaintedChild(canvas), m_canvas(canvas) {}

  bool isValid() const override {
    return around() && m_canvas->session().trace() && m_canvas->session().selection().valid();
  }
  QAccessible::Role role() const override { return QAccessible::ListItem; }
  QRect rect() const override { return isValid() ? onScreen(*m_canvas, box()) : QRect(); }
  QString text(QAccessible::Text what) const override {
    if (!isValid() || what != QAccessible::Name) return {};
    return sliceInWords(*m_canvas->session().trace(), m_canvas->session().selection());
  }
  QAccessible::State state() const override {
    QAccessible::State state;
    if (!isValid()) {
      state.invalid = true;
      return state;
    }
    state.selectable = true;
    state.selected = true;
    state.focusable = true;
    state.focused = m_canvas->hasFocus();
    state.offscreen = box().isEmpty();
    return state;
  }

 private:
  // The visible part.
  [[nodiscard]] QRect box() const {
    return m_canvas->outlineOf(m_canvas->session().selection()).toAlignedRect() & m_canvas->rect();
  }

  TimelineCanvas* m_canvas; // valid as long as around() is not null
};

class CanvasInterface : public QAccessibleWidget {
 public:
  explicit CanvasInterface(TimelineCanvas* canvas)
      : QAccessibleWidget(canvas, QAccessible::List), m_slice(new SliceChild(canvas)),
        m_id(QAccessible::registerAccessibleInterface(m_slice)) {}
  ~CanvasInterface() override { QAccessible::deleteAccessibleInterface(m_id); }

  int childCount() const override { return m_slice->isValid() ? 1 : 0; }
  QAccessibleInterface* child(int index) const override {
    return index == 0 && m_slice->isValid() ? m_slice : nullptr;
  }
  int indexOfChild(const QAccessibleInterface* child) const override {
    return child == m_slice && m_slice->isValid() ? 0 : -1;
  }
  QAccessibleInterface* childAt(int x, int y) const override {
    return m_slice->rect().contains(x, y) ? m_slice : nullptr;
  }
  QAccessibleInterface* focusChild() const override { return m_slice->state().focused ? m_slice : nullptr; }

 private:
  SliceChild* m_slice; // owned by Qt, under m_id
  QAccessible::Id m_id;
};

QAccessibleInterface* interfaceOf(const QString& className, QObject* object) {
  if (className == QLatin1String(TrackHeaders::staticMetaObject.className()))
    return new HeadersInterface(static_cast<TrackHeaders*>(object));
  if (className == QLatin1String(TimelineCanvas::staticMetaObject.className()))
    return new CanvasInterface(static_cast<TimelineCanvas*>(object));
  return nullptr;
}

} // namespace

void setNotifyFunction(NotifyFunction function) {
  tell() = function ? function : QAccessible::updateAccessibility;
}

void installTimelineInterfaces() {
  QAccessible::installFactory(interfaceOf);
}

void notifyHeadersChanged(TrackHeaders& headers) {
  QAccessibleEvent event(&headers, QAccessible::ObjectReorder);
  tell()(&event);
}

void notifyHeaderFocused(TrackHeaders& headers) {
  const auto sections = sectionsInSight(headers);
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (headers.focused() != sections[i].key) continue;
    const QString fold = !sections[i].foldable ? QString()
                         : sections[i].folded  ? tr(", collapsed")
                                               : tr(", expanded");
    headers.setAccessibleDescription(headerInWords(headers, sections[i]) + fold);
    QAccessibleEvent event(&headers, QAccessible::Focus);
    event.setChild(static_cast<int>(i));
    tell()(&event);
  }
}

void notifySliceSelected(TimelineCanvas& canvas) {
  if (!canvas.session().selection().valid()) return;
  for (const QAccessible::Event what : {QAccessible::Selection, QAccessible::Focus}) {
    if (what == QAccessible::Focus && !canvas.hasFocus()) continue;
    QAccessibleEvent event(&canvas, what);
    event.setChild(0);
    tell()(&event);
  }
}

QString headerInWords(const TrackHeaders& headers, const Section& section) {
  return section.kind->inWords(headers.facts(), section);
}

QString sliceInWords(const TraceSet& traces, EventRef event) {
  const RankTrace& trace = *traces.rank(event.rank).trace;
  const TimeRange range = trace.events.range(event.event);
  const Track& track = trace.tracks[trace.trackOf(event.event).value];
  const QStringList words{textOf(traces.names()[trace.events.name[event.event]]).left(200),
                          textOf(kindText(trace.events.kind[event.event])),
                          textOf(durationText(range.length())),
                          tr("at %1").arg(textOf(durationText(range.begin - traces.extent().begin))),
                          rankTitle(traces, event.rank),
                          trackLabel(trace, traces.names(), track, true).simplified()};
  return words.join(QStringLiteral(", "));
}

} // namespace rankscope::ui
