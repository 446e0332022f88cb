// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/view/track_actions.h"

#include "ui/actions/actions.h"
#include "ui/base/ui_text.h"
#include "ui/job/trace_session.h"
#include "ui/timeline/tracks/rank_arrangement.h"
#include "ui/timeline/tracks/track_edits.h"
#include "ui/timeline/view/timeline_control.h"
#include "ui/timeline/view/track_questions.h"

#include <algorithm>
#include <array>
#include <utility>

namespace rankscope::ui {
namespace {

constexpr int kLaneStep = 20; // percent

// Shortens a pattern of nearly all actions here.
class Adder {
 public:
  Adder(ActionRegistry& actions, TraceSession& session, QString group)
      : m_actions(actions), m_session(session), m_group(std::move(group)) {}

  void add(const char* id, const QString& title, std::vector<QKeyCombination> keys, std::function<void()> run,
           std::function<bool()> enabled = {}, const QString& pointer = {}) const {
    if (!enabled) enabled = [&session = m_session] { return session.trace() != nullptr; };
    m_actions.add({.id = QString::fromLatin1(id),
                   .group = m_group,
                   .title = title,
                   .keys = std::move(keys),
                   .run = std::move(run),
                   .enabled = std::move(enabled),
                   .pointer = pointer});
  }
  // An action that selects one of several values of the choice.
  template <class T>
  void addValue(const char* id, const QString& title, T TimelineChoice::*member, T value) const {
    m_actions.add(
        {.id = QString::fromLatin1(id),
         .group = m_group,
         .title = title,
         .run = [&session = m_session, member,
                 value] { session.editChoice([&](TimelineChoice& choice) { choice.*member = value; }); },
         .checked = [&session = m_session, member, value] { return session.choice().*member == value; }});
  }

  // A way to group ranks, on or off.
  void addGrouping(const char* id, const QString& title, const QString& grouping) const {
    m_actions.add(
        {.id = QString::fromLatin1(id),
         .group = m_group,
         .title = title,
         .run =
             [&session = m_session, grouping] {
               session.editChoice([&](TimelineChoice& choice) {
                 choice.grouping = choice.grouping == grouping ? QString() : grouping;
               });
             },
         .enabled = [&session = m_session] { return session.trace() != nullptr; },
         .checked = [&session = m_session, grouping] { return session.choice().grouping == grouping; }});
  }

  // Long times without a recording drawn short, on or off.
  void addGapFolds() const {
    m_actions.add({.id = QStringLiteral("arrange.foldGaps"),
                   .group = m_group,
                   .title = tr("Fold gaps between captures"),
                   .run =
                       [&session = m_session] {
                         session.editChoice(
                             [](TimelineChoice& choice) { choice.foldGaps = !choice.foldGaps; });
                       },
                   .enabled = [&session = m_session] { return session.trace() != nullptr; },
                   .checked = [&session = m_session] { return session.choice().foldGaps; }});
  }

 private:
  ActionRegistry& m_actions;
  TraceSession& m_session;
  QString m_group;
};

void addTracks(const Adder& adder, TimelineControl& timeline, TraceSession& session) {
  const auto hasCurrent = [&timeline] {
    const auto key = timeline.currentTrack();
    return key && key->rank >= 0 && key->id != "more";
  };
  adder.add(
      "tracks.pin", tr("Pin or unpin the track"), {Qt::Key_P, Qt::SHIFT | Qt::Key_T},
      [&timeline, &session] { togglePinned(session, *timeline.currentTrack()); }, hasCurrent,
      tr("pin in its header"));
  adder.add(
      "tracks.hide", tr("Hide the track"), {Qt::Key_H},
      [&timeline, &session] { hideTrack(session, *timeline.currentTrack()); }, hasCurrent,
      tr("cross in its header"));
  adder.add(
      "tracks.hideRank", tr("Hide the whole rank"), {Qt::SHIFT | Qt::Key_H},
      [&timeline, &session] {
        TrackKey key = *timeline.currentTrack();
        key.id.clear();
        hideTrack(session, key);
      },
      hasCurrent);
  adder.add(
      "tracks.showHidden", tr("Show hidden tracks"), {},
      [&session] { session.editChoice([](TimelineChoice& choice) { choice.hidden.clear(); }); },
      [&session] { return !session.choice().hidden.empty(); });
  adder.add(
      "tracks.unpinAll", tr("Unpin all"), {},
      [&session] { session.editChoice([](TimelineChoice& choice) { choice.pinned.clear(); }); },
      [&session] { return !session.choice().pinned.empty(); });
  adder.add("tracks.find", tr("Find a track …"), {Qt::CTRL | Qt::Key_P},
            [&timeline, &session] { askForTrack(timeline, session); });
  adder.add("tracks.filter", tr("Filter tracks by name …"), {Qt::CTRL | Qt::SHIFT | Qt::Key_F},
            [&timeline, &session] { askForFilter(timeline, session); });
  const auto changeHeight = [&session](int percent) {
    return [&session, percent] {
      session.editChoice([&](TimelineChoice& choice) {
        choice.lanePercent = std::clamp(choice.lanePercent + percent, kMinLanePercent, kMaxLanePercent);
      });
    };
  };
  adder.add("tracks.taller", tr("Taller lanes"), {Qt::CTRL | Qt::Key_Plus, Qt::CTRL | Qt::Key_Equal},
            changeHeight(kLaneStep), {}, tr("Ctrl+wheel over the headers"));
  adder.add("tracks.lower", tr("Shorter lanes"), {Qt::CTRL | Qt::Key_Minus}, changeHeight(-kLaneStep), {},
            tr("Ctrl+wheel over the headers"));
  adder.add("tracks.usualHeight", tr("Default lane height"), {Qt::CTRL | Qt::Key_0},
            [&session] { session.editChoice([](TimelineChoice& choice) { choice.lanePercent = 100; }); });
}

void addSteps(const Adder& adder, TimelineControl& timeline, TraceSession& session) {
  adder.add("steps.next", tr("Next training step"), {Qt::CTRL | Qt::Key_Right},
            [&timeline] { static_cast<void>(timeline.showStep(1)); });
  adder.add(
      "steps.previous", tr("Previous training step"), {Qt::CTRL | Qt::Key_Left},
      [&timeline] { static_cast<void>(timeline.showStep(-1)); }, {}, tr("double-click a step to fit it"));
  adder.add(
      "steps.align", tr("Align ranks to step start, on or off"), {Qt::Key_O},
      [&timeline, &session] {
        const auto step = session.choice().alignedStep ? std::nullopt : timeline.stepShown();
        session.editChoice([&](TimelineChoice& choice) { choice.alignedStep = step; });
      },
      [&timeline, &session] { return session.choice().alignedStep || timeline.stepShown(); });
}

} // namespace

void addTrackActions(ActionRegistry& actions, TimelineControl& timeline, TraceSession& session) {
  addTracks(Adder(actions, session, tr("Tracks")), timeline, session);
  addSteps(Adder(actions, session, tr("Steps")), timeline, session);
  const Adder arrange(actions, session, tr("Arrange"));
  constexpr std::array kSorts{"arrange.byRank",    "arrange.byStepTime", "arrange.byLateness",
                              "arrange.byExposed", "arrange.byHand",     "arrange.outliers"};
  for (std::size_t i = 0; i < kSorts.size(); ++i)
    arrange.addValue(kSorts[i], sortTitle(static_cast<RankSort>(i)), &TimelineChoice::sort,
                     static_cast<RankSort>(i));
  arrange.addGrouping("arrange.similar", tr("Fold similar ranks"), kSimilarGrouping);
  arrange.addGrouping("arrange.byHost", tr("Group ranks by host"), kHostGrouping);
  arrange.add("arrange.group", tr("Group ranks by …"), {Qt::CTRL | Qt::SHIFT | Qt::Key_G},
              [&timeline, &session] {
                timeline.prepareGroupings();
                askForGrouping(timeline, session);
              });
  arrange.addGapFolds();
  const Adder colors(actions, session, tr("Colors and units"));
  colors.addValue("color.kind", tr("Color by kind"), &TimelineChoice::colorBy, ColorBy::Kind);
  colors.addValue("color.name", tr("Color by name"), &TimelineChoice::colorBy, ColorBy::Name);
  colors.addValue("color.phase", tr("Color by phase"), &TimelineChoice::colorBy, ColorBy::Phase);
  colors.addValue("color.duration", tr("Color by duration"), &TimelineChoice::colorBy, ColorBy::Duration);
  colors.addValue("unit.fitting", tr("Ruler in automatic units"), &TimelineChoice::rulerUnit,
                  TimeUnit::Fitting);
  colors.addValue("unit.s", tr("Ruler in seconds"), &TimelineChoice::rulerUnit, TimeUnit::Seconds);
  colors.addValue("unit.ms", tr("Ruler in milliseconds"), &TimelineChoice::rulerUnit, TimeUnit::Milliseconds);
  colors.addValue("unit.us", tr("Ruler in microseconds"), &TimelineChoice::rulerUnit, TimeUnit::Microseconds);
  colors.addValue("unit.ns", tr("Ruler in nanoseconds"), &TimelineChoice::rulerUnit, TimeUnit::Nanoseconds);
}

} // namespace rankscope::ui
