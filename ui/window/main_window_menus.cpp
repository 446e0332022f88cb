// SPDX-License-Identifier: GPL-3.0-or-later
// The main window's menus, shortcuts and dialogs.
#include "ui/window/main_window.h"

#include "core/model/rank_digest.h"
#include "ui/actions/key_sheet.h"
#include "ui/actions/quick_pick.h"
#include "ui/base/remote_names.h"
#include "ui/base/save_file.h"
#include "ui/base/system_theme.h"
#include "ui/base/text_scale.h"
#include "ui/details/editor_dialog.h"
#include "ui/help/help_window.h"
#include "ui/opening/remote_dialog.h"
#include "ui/opening/start_page.h"
#include "ui/tables/table_card.h"
#include "ui/tables/table_export.h"
#include "ui/tabs/tab_registry.h"
#include "ui/widgets/message_banner.h"
#include "ui/widgets/tab_row.h"
#include "ui/window/report_export.h"
#include "ui/window/screenshot.h"
#include "ui/window/tab_pages.h"
#include "ui/window/window_style.h"

#include <QApplication>
#include <QComboBox>
#include <QDesktopServices>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QStackedWidget>
#include <QUrl>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace rankscope::ui {

namespace {

const QString kThemeKey = QStringLiteral("theme");
const QString kFolderKey = QStringLiteral("open/folder");
const QString kRemoteKey = QStringLiteral("open/remote");
constexpr std::array<std::pair<ThemeChoice, const char*>, 3> kThemes{
    {{ThemeChoice::System, "system"}, {ThemeChoice::Dark, "dark"}, {ThemeChoice::Light, "light"}}};

// The size to draw in: empty for the window's own, nothing if the user cancels.
std::optional<QSize> askPictureSize(QWidget* parent, QSize window) {
  QDialog dialog(parent);
  dialog.setWindowTitle(MainWindow::tr("Save screenshot"));
  auto* size = new QComboBox;
  size->setEditable(true);
  size->addItem(MainWindow::tr("Window size: %1x%2").arg(window.width()).arg(window.height()), QSize());
  for (const char* known : {"1280x720", "1920x1080", "2560x1440", "3840x2160"})
    size->addItem(QString::fromLatin1(known));
  size->setMinimumWidth(260);
  auto* problem =
      new QLabel(MainWindow::tr("Width x height, each %1 to %2").arg(kMinPictureSize).arg(kMaxPictureSize));
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
  addActions();
  m_actions.listenIn(*this);
  // Includes actions added later.
  connect(m_mainMenu, &QMenu::aboutToShow, this, &MainWindow::fillMainMenu);
}

void MainWindow::addActions() {
  const auto add = [this](const char* id, const QString& group, const QString& title,
                          const std::vector<QKeyCombination>& keys, auto slot,
                          const std::function<bool()>& enabled = {}, const QString& words = {}) {
    m_actions.add({.id = QString::fromLatin1(id),
                   .group = group,
                   .title = title,
                   .keys = keys,
                   .scope = KeyScope::Window,
                   .run = [this, slot] { std::invoke(slot, this); },
                   .enabled = enabled,
                   .words = words});
  };
  const QString file = tr("File");
  const QString window = tr("Window");
  add("openFolder", file, tr("Open folder …"), {Qt::CTRL | Qt::Key_O}, &MainWindow::chooseFolder);
  add("openFiles", file, tr("Open files …"), {Qt::CTRL | Qt::SHIFT | Qt::Key_O}, &MainWindow::chooseFiles);
  add("file.openRemote", file, tr("Open remote …"), {}, &MainWindow::chooseRemote);
  add("file.openDemo", file, tr("Open a demo job"), {}, &MainWindow::openDemo,
      [this] { return !m_demoJob.isEmpty(); });
  add(
      "file.openPart", file, tr("Open partially …"), {},
      [](MainWindow* self) { self->m_document.choosePart(); },
      [this] { return m_session.trace() || m_document.loading().running(); });
  const auto open = [this] { return m_session.trace() != nullptr; };
  add("file.saveSession", file, tr("Save session as …"), {Qt::CTRL | Qt::SHIFT | Qt::Key_S},
      &MainWindow::saveSession, open);
  add("file.screenshot", file, tr("Save screenshot …"), {Qt::CTRL | Qt::Key_S}, &MainWindow::saveScreenshot);
  add(
      "file.export", file, tr("Export tables, charts and a report …"), {Qt::CTRL | Qt::Key_E},
      [](MainWindow* self) { self->m_export->ask(self); },
      [this] { return m_tabs->scope().report() != nullptr; }, tr("html csv json svg page save"));
  add("file.exportTable", file, tr("Export this table as CSV …"), {Qt::CTRL | Qt::SHIFT | Qt::Key_E},
      &MainWindow::exportTable, [this] { return currentTable() != nullptr; });
  addTabActions();
  const QString settings = tr("Settings");
  m_actions.add({.id = QStringLiteral("alignClocks"),
                 .group = settings,
                 .title = tr("Align host clocks by collectives"),
                 .scope = KeyScope::Window,
                 .run = [this] { m_document.setClocksAligned(!m_document.clocksAligned()); },
                 .enabled = [this] { return !m_session.trace() || !isDigest(*m_session.trace()); },
                 .checked = [this] { return m_document.clocksAligned(); },
                 .words = tr("time skew offset host synchronize")});
  add("window.editor", settings, tr("Source editor …"), {},
      [](MainWindow* self) { EditorDialog(self->m_settings, self).exec(); });
  add("window.palette", window, tr("Command palette …"),
      {Qt::CTRL | Qt::Key_K, Qt::CTRL | Qt::SHIFT | Qt::Key_P}, &MainWindow::showPalette);
  addThemeActions();
  addTextSizeActions();
  const QString help = tr("Help");
  const auto page = [](const char* name) {
    return [name](MainWindow* self) {
      HelpWindow::of(*self, self->m_session).showPage(QString::fromLatin1(name));
    };
  };
  add("help.guide", help, tr("User guide"), {Qt::Key_F1}, page("index.md"));
  add("help.tour", help, tr("Two-minute tour"), {}, &MainWindow::takeTour,
      [this] { return m_session.trace() || !m_demoJob.isEmpty(); });
  add("help.timeline", help, tr("Timeline reference"), {}, page("timeline.md"));
  add("help.findings", help, tr("Findings reference"), {}, page("findings.md"));
  add("help.columns", help, tr("Columns reference"), {}, page("columns.md"));
  add("help.perfetto", help, tr("Differences from Perfetto"), {}, page("perfetto.md"));
  add("window.keys", help, tr("Keyboard and mouse shortcuts"), {Qt::Key_Question}, &MainWindow::showKeys);
  add("file.quit", file, tr("Quit"), {Qt::CTRL | Qt::Key_Q}, &QWidget::close);
}

// The first nine have a key each; previous and next reach all.
void MainWindow::addTabActions() {
  constexpr std::size_t kWithKey = 9;
  const QString window = tr("Tabs");
  const auto open = [this] { return m_session.trace() != nullptr; };
  for (std::size_t i = 0; i < tabSpecs().size(); ++i) {
    std::vector<QKeyCombination> keys;
    if (i < kWithKey) keys.emplace_back(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_1 + i));
    m_actions.add({.id = actionOfTab(tabSpecs()[i]),
                   .group = window,
                   .title = tabSpecs()[i].title(),
                   .keys = std::move(keys),
                   .scope = KeyScope::Window,
                   .run = [this, i] { m_row->setCurrent(static_cast<int>(i)); },
                   .enabled = [this, open, i] { return open() && !m_row->isAbsent(static_cast<int>(i)); }});
  }
  m_actions.add({.id = QStringLiteral("window.previousTab"),
                 .group = window,
                 .title = tr("Previous tab"),
                 .keys = {Qt::CTRL | Qt::Key_PageUp},
                 .scope = KeyScope::Window,
                 .run = [this] { m_row->step(-1); },
                 .enabled = open});
  m_actions.add({.id = QStringLiteral("window.nextTab"),
                 .group = window,
                 .title = tr("Next tab"),
                 .keys = {Qt::CTRL | Qt::Key_PageDown},
                 .scope = KeyScope::Window,
                 .run = [this] { m_row->step(1); },
                 .enabled = open});
}

// Files at top level, all other actions by group.
void MainWindow::fillMainMenu() {
  m_mainMenu->clear();
  qDeleteAll(std::exchange(m_groupMenus, {}));
  for (const char* id : {"openFolder", "openFiles", "file.openRemote", "file.openDemo", "file.openPart"})
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
  m_mainMenu->addSeparator();
  m_mainMenu->addAction(m_actions.menuAction(QStringLiteral("file.quit")));
}

void MainWindow::showPalette() {
  QuickPick::of(content()).ask(tr("Search commands"), [this](const QString& text) {
    return fittingItems(paletteItems(m_actions), text);
  });
}

void MainWindow::showKeys() {
  (new KeySheet(m_actions, m_session.theme(), this))->open();
}

void MainWindow::addThemeActions() {
  const QString stored = m_settings.value(kThemeKey, QStringLiteral("system")).toString();
  const std::array<QString, kThemes.size()> titles{tr("System theme"), tr("Dark theme"), tr("Light theme")};
  for (std::size_t i = 0; i < kThemes.size(); ++i) {
    const ThemeChoice choice = kThemes[i].first;
    const QString name = QString::fromLatin1(kThemes[i].second);
    if (stored == name) m_themeChoice = choice;
    m_actions.add({.id = QStringLiteral("theme.") + name,
                   .group = tr("Theme"),
                   .title = titles[i],
                   .scope = KeyScope::Window,
                   .run =
                       [this, choice, name] {
                         m_settings.setValue(kThemeKey, name);
                         setThemeChoice(choice);
                       },
                   .checked = [this, choice] { return m_themeChoice == choice; },
                   .words = tr("appearance colors mode settings")});
  }
}

// Everything is measured with the scale of the texts when it is made, so another one needs a new window.
void MainWindow::addTextSizeActions() {
  const auto add = [this](int percent, const QString& title) {
    m_actions.add({.id = QStringLiteral("textSize.%1").arg(percent),
                   .group = tr("Text size"),
                   .title = title,
                   .scope = KeyScope::Window,
                   .run =
                       [this, percent] {
                         saveTextSize(m_settings, percent);
                         m_banner->showMessage(MessageBanner::Severity::Notice,
                                               tr("The text size changes when Rankscope starts again"), {});
                       },
                   .checked = [this, percent] { return savedTextSize(m_settings) == percent; },
                   .words = tr("font zoom larger smaller settings")});
  };
  add(0, tr("Text size of the desktop"));
  for (const int percent : kTextSizes) add(percent, tr("Text size %1 %").arg(percent));
}

void MainWindow::setThemeChoice(ThemeChoice choice) {
  m_themeChoice = choice;
  applyChosenTheme();
}

void MainWindow::askForTheme(ThemeChoice choice) {
  m_themeAsked = true;
  setThemeChoice(choice);
}

void MainWindow::followSystemTheme(const QString& busAddress) {
  const auto* const system = new SystemTheme(m_systemTheme, busAddress, this);
  connect(system, &SystemTheme::changed, this, [this](ThemeName theme) {
    m_systemTheme = theme;
    if (m_themeChoice == ThemeChoice::System) applyChosenTheme();
  });
}

ThemeName MainWindow::chosenTheme() const {
  if (m_themeChoice == ThemeChoice::System) return m_systemTheme;
  return m_themeChoice == ThemeChoice::Dark ? ThemeName::Dark : ThemeName::Light;
}

void MainWindow::applyStyle() {
  const Theme& theme = Theme::of(chosenTheme());
  applyTheme(*qApp, theme);
  if (const QString sheet = windowStyleSheet(theme); sheet != styleSheet()) setStyleSheet(sheet);
}

void MainWindow::applyChosenTheme() {
  applyStyle();
  m_appearance.setTheme(chosenTheme());
}

void MainWindow::rebuildRecent() {
  m_openMenu->clear();
  for (const char* name : {"openFolder", "openFiles", "file.openRemote"})
    m_openMenu->addAction(m_actions.menuAction(QLatin1String(name)));
  m_openMenu->addAction(m_actions.menuAction(QStringLiteral("file.openDemo")));
  m_openMenu->addSeparator();
  addRecentActions(m_openMenu);
  m_recentMenu->clear();
  addRecentActions(m_recentMenu);
  m_start->setRecent(m_recent.entries());
}

void MainWindow::addRecentActions(QMenu* menu) {
  const QList<QStringList> entries = m_recent.entries();
  if (entries.isEmpty()) {
    menu->addAction(tr("No recent jobs"))->setEnabled(false);
    return;
  }
  for (const QStringList& paths : entries) {
    QString text = recentTitle(paths) + QStringLiteral("   ") + recentPlace(paths);
    QAction* action = menu->addAction(text.replace(QLatin1Char('&'), QStringLiteral("&&")));
    action->setEnabled(RecentPaths::exists(paths));
    connect(action, &QAction::triggered, this, [this, paths] { open(paths); });
  }
  menu->addSeparator();
  // The action rebuilds its own menu, so it runs queued.
  connect(
      menu->addAction(tr("Clear list")), &QAction::triggered, this,
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
  const QStringList files =
      QFileDialog::getOpenFileNames(this, tr("Open traces"), from,
                                    tr("Traces, archives, memory snapshots, sessions (*.json *.json.gz *.gz "
                                       "*.json.zst *.json.xz *.tar *.tar.* *.tgz "
                                       "*.zip *.sqlite *.jsonl *.pickle *.pkl *.rankscope);;All files (*)"),
                                    nullptr, QFileDialog::HideNameFilterDetails);
  if (files.isEmpty()) return;
  m_settings.setValue(kFolderKey, QFileInfo(files.front()).absolutePath());
  open(files);
}

// It is listed first, and the user chooses what to fetch.
void MainWindow::chooseRemote() {
  RemoteDialog dialog(m_settings.value(kRemoteKey).toString(), this);
  if (dialog.exec() != QDialog::Accepted) return;
  const QString address = withoutCredentialsKept(dialog.address());
  m_settings.setValue(kRemoteKey, address);
  LoadOptions options;
  options.fetchUnasked = 0;
  open({address}, options);
}

// The page if it exports as a whole, else the focused or first table; null if there is none.
TableExport* MainWindow::currentTable() const {
  TabPage* const page = currentPage();
  QWidget* const tables = page ? page->visibleTables() : nullptr;
  if (!tables) return nullptr;
  auto* whole = dynamic_cast<TableExport*>(tables);
  if (!whole) {
    const QList<TableCard*> cards = tables->findChildren<TableCard*>();
    const auto focused = std::ranges::find_if(
        cards, [](const TableCard* card) { return card->isAncestorOf(QApplication::focusWidget()); });
    if (!cards.isEmpty()) whole = focused != cards.end() ? *focused : cards.front();
  }
  return whole && whole->canExport() ? whole : nullptr;
}

void MainWindow::exportTable() {
  if (TableExport* const table = currentTable()) table->exportCsv();
}

void MainWindow::saveSession() {
  SessionState state = m_files.sessionStore().state();
  state.tab = currentTab();
  const QFileInfo first(state.traces.isEmpty() ? QDir::homePath() : state.traces.front());
  const QString suggested =
      QDir(first.absolutePath())
          .filePath(QString::fromStdString(m_session.trace()->jobName()) + QLatin1Char('.') + kSessionSuffix);
  QString path = QFileDialog::getSaveFileName(this, tr("Save session"), suggested,
                                              tr("Rankscope sessions (*.rankscope)"));
  if (path.isEmpty()) return;
  if (!path.endsWith(QLatin1Char('.') + kSessionSuffix)) path += QLatin1Char('.') + kSessionSuffix;
  if (const auto problem = writeSessionFile(path, state))
    return m_banner->showMessage(MessageBanner::Severity::Error, tr("Cannot write %1").arg(path), {*problem});
  m_banner->showMessage(MessageBanner::Severity::Success, tr("Session saved to %1").arg(path), {},
                        tr("Open folder"));
  m_bannerAction = [folder = QFileInfo(path).absolutePath()] {
    QDesktopServices::openUrl(QUrl::fromLocalFile(folder));
  };
}

void MainWindow::saveScreenshot() {
  const std::optional<QSize> size = askPictureSize(this, content().size() * devicePixelRatioF());
  if (!size) return;
  const QString suggested = QDir::home().filePath(QStringLiteral("rankscope.png"));
  QString path = QFileDialog::getSaveFileName(this, tr("Save screenshot"), suggested, tr("PNG (*.png)"));
  if (path.isEmpty()) return;
  if (!path.endsWith(QLatin1String(".png"), Qt::CaseInsensitive)) path += QStringLiteral(".png");
  if (TabPage* const page = m_tabs->currentPage()) page->prepare();
  whenSettled(m_session.pending(), this, [this, path, size = *size] {
    if (const auto problem = savePng(path, picture(content(), size)))
      QMessageBox::warning(this, tr("Save screenshot"), tr("%1: %2").arg(path, *problem));
  });
}

} // namespace rankscope::ui
