// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/window_style.h"

#include "ui/base/contrast.h"

#include <array>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr auto kSheet = R"(
#titleBar { background: @panel; border: none; border-bottom: 1px solid @line; }
#jobName { font-size: 14px; font-weight: 600; color: @text; }
#jobSummary, #caption, #loadText { color: @muted; }
#titleBar QToolButton::menu-indicator { image: none; width: 0; }
QFileDialog QToolButton { padding: 3px; }
QComboBox::down-arrow { image: url(:/chevron-down.svg); width: 10tp; height: 10tp; }
QCheckBox::indicator, QTableView::indicator, QTreeView::indicator, QListView::indicator, QMenu::indicator:non-exclusive {
  width: 12tp; height: 12tp; border: 1px solid @muted; border-radius: 3px; background: @background; }
QMenu::indicator:non-exclusive { margin-left: 6px; }
QCheckBox::indicator:hover { border-color: @text; }
QCheckBox::indicator:checked, QTableView::indicator:checked, QTreeView::indicator:checked, QListView::indicator:checked, QMenu::indicator:non-exclusive:checked {
  background: @accent; border-color: @accent; image: url(:/check-@check.svg); }
QCheckBox::indicator:disabled { border-color: @faint; }
QCheckBox:focus { color: @accent; }
#viewTabs { background: @background; border-bottom: 1px solid @line; }
#viewTabs QTabBar::tab { font-size: 13px; padding: 8px 14px 7px 14px; margin-right: 6px; }
#highlightBar { background: @panel; border: none; border-top: 1px solid @line; }
#legend, #allOn { background: transparent; color: @muted; padding: 1px 6px; font-size: 11px; border: 1px solid transparent; }
#legend:checked { color: @text; }
#allOn { color: @accent; font-weight: 600; }
#legend:hover, #allOn:hover { background: @raised; }
#legend:focus, #allOn:focus { border-color: @accent; }
#legend:disabled { color: @faint; }
#page { background: @background; }
#bottomPanel { background: @panel; border: none; border-top: 1px solid @line; }
#bottomTabs { background: @panel; border: none; }
#bottomTabs QTabBar { background: @panel; }
#bottomTabs QTabBar::tab { padding: 8px 10px 6px 10px; border-bottom: 2px solid transparent; }
#bottomTabs QTabBar::tab:selected { border-bottom-color: @accent; }
#fold, #forget, #bannerClose { background: transparent; color: @muted; padding: 2px 8px; font-size: 14px; }
#fold:hover, #forget:hover, #bannerClose:hover { color: @text; background: @raised; border-color: transparent; }
#details { background: @panel; color: @text; border: none; }
#card { background: @panel; border: 1px solid @line; border-radius: 10px; }
#cardTitle { font-size: 14px; font-weight: 600; color: @text; }
#figureTitle, #figureNote { color: @muted; }
#sideA, #sideB { font-weight: 700; border: 1px solid @muted; border-radius: 4px; color: @text; }
#sideB { background: @text; color: @panel; border-color: @text; }
#verdict { color: @text; border: 1px solid @muted; border-radius: 9px; padding: 2px 10px; }
#verdict[level="good"] { color: @good; border-color: @good; }
#verdict[level="bad"] { color: @warn; border-color: @warn; }
#figureValue { font-size: 22px; font-weight: 600; color: @text; }
#figureValue[level="warning"] { color: @warn; }
#figureValue[level="critical"] { color: @bad; }
#figureValue[level="unknown"] { color: @faint; }
#findings { background: @panel; border-left: 1px solid @line; }
#findingsInner { background: @panel; }
#findingCard { background: @raised; border: 1px solid transparent; border-left: 3px solid @accent; border-radius: 6px; }
#findingCard[severity="warning"] { border-left-color: @warn; }
#findingCard[severity="critical"] { border-left-color: @bad; }
#findingCard:hover, #findingCard:focus { border-top-color: @accent; border-right-color: @accent; border-bottom-color: @accent; }
#findingCount { color: @muted; background: @raised; border-radius: 9px; padding: 1px 8px; }
#findingTitle, #findingCost { font-weight: 600; color: @text; background: transparent; }
#findingPlace, #findingEvidence { color: @muted; background: transparent; }
#findingFix { color: @good; background: transparent; }
#findingCard[accepted="true"] { border-left-color: @line; }
#findingCard[accepted="true"] #findingTitle, #findingCard[accepted="true"] #findingCost, #findingCard[accepted="true"] #findingFix { color: @muted; }
#findingAcceptedLine, #findingTop { background: transparent; }
#findingAccepted { color: @text; background: transparent; }
#findingWithdraw { background: transparent; color: @accent; border: none; padding: 0 2px; }
#findingWithdraw:hover { text-decoration: underline; }
#findingCopy { background: transparent; color: @accent; border: none; padding: 0 4px; }
#findingCopy:hover { color: @text; }
#severityButton { background: transparent; color: @muted; border: 1px solid @line; border-radius: 10px; padding: 1px 9px; }
#severityButton:checked { color: @text; border-color: @accent; }
#severityButton[severity="warning"]:checked { border-color: @warn; }
#severityButton[severity="critical"]:checked { border-color: @bad; }
#severityButton:hover, #severityButton:focus { background: @raised; }
#quietButton { background: transparent; color: @muted; border: 1px solid transparent; padding: 3px 6px; }
#quietButton:hover { color: @text; }
#quietButton:focus { border-color: @accent; }
#checkTitle { font-weight: 600; color: @text; }
#checkLine, #checkMissing { color: @muted; }
#checkFound { color: @text; }
#checkReason { color: @warn; }
#scopeButton, #findingsButton, #moreTabs, #captureChoice { background: transparent; color: @muted; border: 1px solid transparent; padding: 3px 10px; border-radius: 6px; }
#scopeButton[limited="true"], #captureChoice[limited="true"] { color: @accent; border-color: @accent; }
#moreTabs::menu-indicator, #captureChoice::menu-indicator { image: none; width: 0; }
#moreTabs:focus, #captureChoice:focus { border-color: @accent; }
#scopeButton:hover, #findingsButton:hover, #moreTabs:hover, #captureChoice:hover { background: @raised; color: @text; }
#findingsButton:checked { color: @text; background: @raised; }
#scopeButton:disabled { color: @faint; }
#choice { background: transparent; color: @muted; border: 1px solid @line; border-radius: 6px; padding: 5px 12px; }
#choice:hover { color: @text; background: @raised; }
#choice:checked { color: @text; background: @raised; border-color: @raised; font-weight: 600; }
#choice:focus { border-color: @accent; }
#resultTable { background: @panel; selection-background-color: transparent; }
#tableFilter { padding: 3px 8px; }
#airSplitter::handle:vertical { background: transparent; height: 16px; }
#airSplitter::handle:horizontal { background: transparent; width: 12px; }
#emptyText { color: @muted; font-size: 13px; }
#loadBar { background: @panel; border: none; border-top: 1px solid @line; }
#banner { background: @noticeFill; border: none; border-left: 3px solid @warn; border-bottom: 1px solid @line; }
#banner[severity="error"] { background: @errorFill; border-left-color: @bad; }
#banner[severity="success"] { background: @successFill; border-left-color: @good; }
#tour { background: @raised; border: none; border-left: 3px solid @accent; border-bottom: 1px solid @line; }
#bannerTitle { font-weight: 600; color: @text; }
#bannerDetails { color: @muted; }
#dropWell { background: @panel; border: 2px dashed @line; border-radius: 14px; }
#startTitle { font-size: 20px; font-weight: 600; color: @text; }
#startText { font-size: 13px; color: @muted; }
#recipe { background: @panel; border: 1px solid @line; border-radius: 8px; }
#recipeTitle { font-size: 14px; font-weight: 600; color: @text; }
#recipeCode { color: @text; }
#partPage QCheckBox { font-size: 13px; }
#partPage QLabel[figure="true"] { color: @muted; }
#partPage QPushButton { padding: 7px 16px; font-size: 13px; }
#partVerdict { font-size: 13px; color: @text; }
#dropWell QPushButton { padding: 7px 16px; font-size: 13px; }
#primary { background: @accent; color: @onAccent; font-weight: 600; }
#primary:hover { border-color: @text; }
#primary:disabled { background: @raised; color: @faint; }
#recentTitle { color: @muted; font-weight: 600; padding-left: 14px; }
#recentRow { background: transparent; border: 1px solid transparent; border-radius: 8px; padding: 0; text-align: left; }
#recentRow:hover { background: @panel; border-color: @line; }
#recentRow:focus { border-color: @accent; }
#recentName { font-size: 13px; color: @text; }
#recentPlace { color: @muted; }
#viewChip, #warningChip { border-radius: 10px; padding: 1px 10px; }
#warningChip { background: @noticeFill; color: @warn; border: 1px solid @warn; font-weight: 600; }
#quickPick { background: @raised; border: 1px solid @accent; border-radius: 10px; }
#quickPickField { font-size: 14px; padding: 7px 10px; }
#quickPickList { background: @raised; }
#recentName:disabled, #recentPlace:disabled { color: @faint; }
)";

} // namespace

QString windowStyleSheet(const Theme& theme) {
  // A token must not be a prefix of a later one.
  const std::array<std::pair<const char*, QColor>, 15> tokens{{
      {"@background", theme.background},
      {"@panel", theme.panel},
      {"@raised", theme.raised},
      {"@line", theme.line},
      {"@text", theme.text},
      {"@muted", theme.muted},
      {"@faint", theme.faint},
      {"@accent", theme.accent},
      {"@onAccent", textOn(theme, theme.accent)},
      {"@bad", theme.bad},
      {"@warn", theme.warn},
      {"@good", theme.good},
      {"@noticeFill", onGround(theme.warn, theme.panel, 0.10)},
      {"@successFill", onGround(theme.good, theme.panel, 0.12)},
      {"@errorFill", onGround(theme.bad, theme.panel, 0.12)},
  }};
  QString sheet = QString::fromLatin1(kSheet);
  for (const auto& [token, color] : tokens) sheet.replace(QLatin1String(token), color.name());
  sheet.replace(QLatin1String("@check"),
                theme.name == ThemeName::Dark ? QLatin1String("dark") : QLatin1String("light"));
  return withTextScale(sheet);
}

} // namespace rankscope::ui
