// SPDX-License-Identifier: GPL-3.0-or-later
// The main window's menus, shortcuts and dialogs.
#include "ui/window/main_window.h"

#include "ui/actions/key_sheet.h"
#include "ui/actions/quick_pick.h"
#include "ui/base/save_file.h"
#include "ui/details/bottom_panel.h"
#include "ui/details/editor_dialog.h"
#include "ui/help/help_window.h"
#include "ui/opening/start_page.h"
#include "ui/tables/table_card.h"
#include "ui/tables/table_export.h"
#include "ui/timeline/view/timeline_view.h"
#include "ui/window/analysis_tabs.h"
#include "ui/window/report_export.h"
#include "ui/window/screenshot.h"
#include "ui/window/window_style.h"

#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFormLayout>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QSplitter>
#include <QStackedWidget>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace rankscope::ui {

namespace {

const QString kThemeKey = QStringLiteral("theme");
const QString kFolderKey = QStringLiteral("open/folder");
constexpr std::array<std::pair<ThemeChoice, const char*>, 3> kThemes{
    {{ThemeChoice::System, "system"}, {ThemeChoice::Dark, "dark"}, {ThemeChoice::Light, "light"}}};

// Asked once, before the first window changes the palette that tells it.
ThemeName desktopTheme() {
  static const ThemeName theme = systemTheme();
  return theme;
}

// The size to draw in, or nothing when the user thought better of it; empty: as the window is.
std::optional<QSize> askPictureSize(QWidget* parent, QSize window) {
  QDialog dialog(parent);
  dialog.setWindowTitle(MainWindow::tr("Save screenshot"));
  auto* size = new QComboBox;
  size->setEditable(true);
  size->addItem(MainWindow::tr("As the window: %1x%2").arg(window.width()).arg(window.height()), QSize());
  for (const char* known : {"1280x720", "1920x1080", "2560x1440", "3840x2160"})
    size->addItem(QString::fromLatin1(known));
  size->setMinimumWidth(260);
  auto* problem =
      new QLabel(MainWindow::tr("Width x height, each %1 to %2").arg(kSmallestPicture).arg(kLargestPicture));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel);
  auto* form = new QFormLayout(&dialog);
  form->addRow(MainWindow::tr("Size"), size);
  form->addRow(QString(), problem);
  form->addRow(buttons);
  const auto chosen = [size]() -> std::optional<QSize> {
    if (size->currentText() == size->itemText(0)) return QSize();
    return sizeFromText(size->currentText());
  };
  QObject::connect(size, &QComboBox::currentTextChanged, &dialog,
                   [&] { buttons->button(QDialogButtonBox::Save)->setEnabled(chosen().has_value()); });
  QObject::connect(buttons, &QDialogButtonBox::accepted, &dialog, &QDialog::accept);
  QObject::connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
  if (dialog.exec() != QDialog::Accepted) return std::nullopt;
  return chosen();
}

} // namespace

void MainWindow::buildMenus() {
  m_openMenu = new QMenu(this);
  m_recentMenu = new QMenu(tr("Open recent"), this);
  m_mainMenu = new QMenu(this);
  m_mainMenu->setObjectName(QStringLiteral("mainMenu"));
  m_themeMenu = new QMenu(tr("Theme"), this);
  addActions();
  m_actions.listenIn(*this);
  fillThemeMenu(m_themeMenu);
  // Whoever adds actions later is in it too.
  connect(m_mainMenu, &QMenu::aboutToShow, this, &MainWindow::fillMainMenu);
}

void MainWindow::addActions() {
  const auto add = [this](const char* id, const QString& group, const QString& title,
                          std::vector<QKeyCombination> keys, auto slot, std::function<bool()> enabled = {}) {
    m_actions.add({.id = QString::fromLatin1(id),
                   .group = group,
                   .title = title,
                   .keys = std::move(keys),
                   .scope = KeyScope::Window,
                   .run = [this, slot] { std::invoke(slot, this); },
                   .enabled = std::move(enabled)});
  };
  const QString file = tr("File");
  const QString window = tr("Window");
  add("openFolder", file, tr("Open folder …"), {Qt::CTRL | Qt::Key_O}, &MainWindow::chooseFolder);
  add("openFiles", file, tr("Open files …"), {Qt::CTRL | Qt::SHIFT | Qt::Key_O}, &MainWindow::chooseFiles);
  add(
      "file.openPart", file, tr("Open a part of this job …"), {},
      [](MainWindow* self) { self->m_document.choosePart(); },
      [this] { return m_session.trace() || m_document.loading().running(); });
  add("file.screenshot", file, tr("Save screenshot …"), {Qt::CTRL | Qt::Key_S}, &MainWindow::saveScreenshot);
  add(
      "file.export", file, tr("Export tables, charts and a report …"), {Qt::CTRL | Qt::Key_E},
      [](MainWindow* self) { self->m_export->ask(self); },
      [this] { return m_analysis->scope().report() != nullptr; });
  add("file.exportTable", file, tr("Export this table as CSV …"), {Qt::CTRL | Qt::SHIFT | Qt::Key_E},
      &MainWindow::exportTable,
      [this] { return m_session.trace() && (view() != View::Timeline || bottomExport()); });
  const QStringList names = viewNames();
  for (int i = 0; i < names.size(); ++i) {
    const auto view = static_cast<View>(i);
    add(("window." + names[i].toStdString()).c_str(), window, viewTitle(view),
        {Qt::CTRL | static_cast<Qt::Key>(Qt::Key_1 + i)}, [view](MainWindow* self) { self->setView(view); },
        [this] { return m_session.trace() != nullptr; });
  }
  add(
      "window.bottomPanel", window, tr("Show or hide the bottom panel"), {Qt::Key_Q},
      [](MainWindow* self) { self->m_bottom->toggle(); },
      [this] { return m_pages->currentWidget() == m_splitter; });
  m_actions.add({.id = QStringLiteral("alignClocks"),
                 .group = window,
                 .title = tr("Align the hosts' clocks by their collectives"),
                 .scope = KeyScope::Window,
                 .run = [this] { m_document.setClocksAligned(!m_document.clocksAligned()); },
                 .checked = [this] { return m_document.clocksAligned(); }});
  add("window.editor", window, tr("Editor for source lines …"), {},
      [](MainWindow* self) { EditorDialog(self->m_settings, self).exec(); });
  m_actions.add({.id = QStringLiteral("details.copy"),
                 .group = tr("Select"),
                 .title = tr("Copy all that is known of the slice"),
                 .keys = {Qt::CTRL | Qt::Key_C},
                 .run = [this] { QGuiApplication::clipboard()->setText(m_details->asText()); },
                 .enabled = [this] { return m_session.selection().valid(); }});
  add("window.palette", window, tr("Find an action …"),
      {Qt::CTRL | Qt::Key_K, Qt::CTRL | Qt::SHIFT | Qt::Key_P}, &MainWindow::showPalette);
  const QString help = tr("Help");
  const auto page = [](const char* name) {
    return [name](MainWindow* self) {
      HelpWindow::of(*self, self->m_session).showPage(QString::fromLatin1(name));
    };
  };
  add("help.guide", help, tr("User guide"), {Qt::Key_F1}, page("index.md"));
  add("help.timeline", help, tr("How to read the timeline"), {}, page("timeline.md"));
  add("help.findings", help, tr("What each finding means"), {}, page("findings.md"));
  add("help.columns", help, tr("What each column means"), {}, page("columns.md"));
  add("help.perfetto", help, tr("Coming from Perfetto"), {}, page("perfetto.md"));
  add("window.keys", help, tr("Keys, mouse and touch"), {Qt::Key_Question}, &MainWindow::showKeys);
  add("file.quit", file, tr("Quit"), {Qt::CTRL | Qt::Key_Q}, &QWidget::close);
}

// Files, recordings and the theme at hand; the rest by group.
void MainWindow::fillMainMenu() {
  m_mainMenu->clear();
  qDeleteAll(std::exchange(m_groupMenus, {}));
  for (const char* id : {"openFolder", "openFiles", "file.openPart"})
    m_mainMenu->addAction(m_actions.menuAction(QLatin1String(id)));
  m_mainMenu->addMenu(m_recentMenu);
  m_mainMenu->addSeparator();
  for (const char* id : {"file.saveSession", "file.screenshot", "file.export", "file.exportTable"})
    m_mainMenu->addAction(m_actions.menuAction(QLatin1String(id)));
  m_mainMenu->addSeparator();
  for (const QString& group : m_actions.groups()) {
    if (group == tr("File")) continue;
    auto* menu = new QMenu(group, m_mainMenu);
    m_actions.fillMenu(*menu, group);
    m_mainMenu->addMenu(menu);
    m_groupMenus.push_back(menu);
  }
  m_mainMenu->addMenu(m_themeMenu);
  m_mainMenu->addSeparator();
  for (const char* id : {"help.guide", "window.keys", "window.palette", "file.quit"})
    m_mainMenu->addAction(m_actions.menuAction(QLatin1String(id)));
}

void MainWindow::showPalette() {
  QuickPick::of(content()).ask(tr("What do you want to do?"), [this](const QString& text) {
    return fittingItems(paletteItems(m_actions), text);
  });
}

void MainWindow::showKeys() {
  (new KeySheet(m_actions, m_session.theme(), this))->open();
}

void MainWindow::fillThemeMenu(QMenu* menu) {
  const QString kept = m_settings.value(kThemeKey, QStringLiteral("system")).toString();
  auto* group = new QActionGroup(this);
  const std::array<QString, kThemes.size()> titles{tr("As the system"), tr("Dark"), tr("Light")};
  for (std::size_t i = 0; i < kThemes.size(); ++i) {
    const auto& [choice, name] = kThemes[i];
    QAction* action = group->addAction(titles[i]);
    action->setCheckable(true);
    action->setChecked(kept == QLatin1String(name));
    if (action->isChecked()) m_themeChoice = choice;
    connect(action, &QAction::triggered, this, [this, choice = choice, name = name] {
      m_settings.setValue(kThemeKey, QString::fromLatin1(name));
      setThemeChoice(choice);
    });
    menu->addAction(action);
  }
}

void MainWindow::setThemeChoice(ThemeChoice choice) {
  m_themeChoice = choice;
  applyChosenTheme();
}

void MainWindow::applyChosenTheme() {
  ThemeName name = desktopTheme();
  if (m_themeChoice != ThemeChoice::System)
    name = m_themeChoice == ThemeChoice::Dark ? ThemeName::Dark : ThemeName::Light;
  applyTheme(*qApp, Theme::of(name));
  setStyleSheet(windowStyleSheet(Theme::of(name)));
  m_appearance.setTheme(name);
}

void MainWindow::rebuildRecent() {
  m_openMenu->clear();
  for (const char* name : {"openFolder", "openFiles"})
    m_openMenu->addAction(m_actions.menuAction(QLatin1String(name)));
  m_openMenu->addSeparator();
  addRecentActions(m_openMenu);
  m_recentMenu->clear();
  addRecentActions(m_recentMenu);
  m_start->setRecent(m_recent.entries());
}

void MainWindow::addRecentActions(QMenu* menu) {
  const QList<QStringList> entries = m_recent.entries();
  if (entries.isEmpty()) {
    menu->addAction(tr("Nothing opened yet"))->setEnabled(false);
    return;
  }
  for (const QStringList& paths : entries) {
    QString text = recentTitle(paths) + QStringLiteral("   ") + recentPlace(paths);
    QAction* action = menu->addAction(text.replace(QLatin1Char('&'), QStringLiteral("&&")));
    action->setEnabled(RecentPaths::exists(paths));
    connect(action, &QAction::triggered, this, [this, paths] { open(paths); });
  }
  menu->addSeparator();
  // The menu that this action is in is rebuilt by it: later, when nobody stands in it any more.
  connect(
      menu->addAction(tr("Clear this list")), &QAction::triggered, this,
      [this] {
        m_recent.clear();
        rebuildRecent();
      },
      Qt::QueuedConnection);
}

void MainWindow::chooseFolder() {
  const QString from = m_settings.value(kFolderKey, QDir::homePath()).toString();
  const QString folder = QFileDialog::getExistingDirectory(this, tr("Open a folder of traces"), from);
  if (folder.isEmpty()) return;
  m_settings.setValue(kFolderKey, folder);
  open({folder});
}

void MainWindow::chooseFiles() {
  const QString from = m_settings.value(kFolderKey, QDir::homePath()).toString();
  const QStringList files = QFileDialog::getOpenFileNames(
      this, tr("Open traces"), from,
      tr("Traces and sessions (*.json *.json.gz *.gz *.rankscope);;All files (*)"));
  if (files.isEmpty()) return;
  m_settings.setValue(kFolderKey, QFileInfo(files.front()).absolutePath());
  open(files);
}

// Of the panel in sight under the timeline, if it has anything to export.
TableExport* MainWindow::bottomExport() const {
  if (m_bottom->collapsed()) return nullptr;
  auto* const panel = dynamic_cast<TableExport*>(m_bottom->currentPanel());
  return panel && panel->canExport() ? panel : nullptr;
}

void MainWindow::exportTable() {
  if (!m_session.trace()) return;
  if (view() == View::Timeline) {
    if (TableExport* const panel = bottomExport()) panel->exportCsv();
    return;
  }
  const QList<TableCard*> cards = m_pages->currentWidget()->findChildren<TableCard*>();
  const auto focused = std::ranges::find_if(
      cards, [](const TableCard* card) { return card->isAncestorOf(QApplication::focusWidget()); });
  if (!cards.isEmpty()) (focused != cards.end() ? *focused : cards.front())->exportCsv();
}

void MainWindow::saveScreenshot() {
  const std::optional<QSize> size = askPictureSize(this, content().size() * devicePixelRatioF());
  if (!size) return;
  const QString suggested = QDir::home().filePath(QStringLiteral("rankscope.png"));
  QString path = QFileDialog::getSaveFileName(this, tr("Save screenshot"), suggested, tr("PNG (*.png)"));
  if (path.isEmpty()) return;
  if (!path.endsWith(QLatin1String(".png"), Qt::CaseInsensitive)) path += QStringLiteral(".png");
  m_timeline->finishSummaries();
  if (const auto problem = savePng(path, picture(content(), *size)))
    QMessageBox::warning(this, tr("Save screenshot"), tr("%1: %2").arg(path, *problem));
}

} // namespace rankscope::ui
