// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/theme.h"

#include "ui/base/contrast.h"
#include "ui/base/text_scale.h"

#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QEvent>
#include <QFontDatabase>
#include <QRegularExpression>
#include <QSettings>
#include <QStyleFactory>
#include <QWidget>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace rankscope::ui {
namespace {

// A wheel that turns over a choice scrolls the page, and does not choose something else on the way.
class WheelOverChoices : public QObject {
 public:
  using QObject::QObject;

  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() != QEvent::Wheel) return false;
    if (!qobject_cast<QComboBox*>(watched) && !qobject_cast<QAbstractSpinBox*>(watched)) return false;
    event->ignore(); // for the widgets around it
    return true;
  }
};

struct ColorPair {
  QColor Theme::*member;
  QRgb dark;
  QRgb light;
};

constexpr std::array kColors{
    ColorPair{&Theme::background, 0xff14171c, 0xfff6f7f9},
    ColorPair{&Theme::panel, 0xff1a1e25, 0xffffffff},
    ColorPair{&Theme::raised, 0xff222833, 0xffe9edf3},
    ColorPair{&Theme::line, 0xff2c333f, 0xffd5dbe5},
    ColorPair{&Theme::text, 0xffe6e9ef, 0xff1a202b},
    ColorPair{&Theme::muted, 0xff8d97a8, 0xff566173},
    ColorPair{&Theme::faint, 0xff707c8f, 0xff707d95},
    ColorPair{&Theme::accent, 0xff5aa9ff, 0xff1a67c8},
    ColorPair{&Theme::bad, 0xffff5563, 0xffcf2438},
    ColorPair{&Theme::warn, 0xffffb02e, 0xff965c00},
    ColorPair{&Theme::good, 0xff3ecf8e, 0xff0d784e},
    ColorPair{&Theme::forward, 0xff4f9cf9, 0xff6aabf7},
    ColorPair{&Theme::backward, 0xff2fb8a0, 0xff4cc3ae},
    ColorPair{&Theme::optimizer, 0xffe2a93b, 0xffebb752},
    ColorPair{&Theme::dataLoader, 0xffa9b84a, 0xffb9c663},
    ColorPair{&Theme::cpuOp, 0xff5f7189, 0xffb2c0d3},
    ColorPair{&Theme::runtime, 0xff7f8b9c, 0xffcfd5de},
    ColorPair{&Theme::python, 0xff4a5670, 0xffc3cce4},
    ColorPair{&Theme::annotation, 0xff6b7a94, 0xffa9b7cd},
    ColorPair{&Theme::kernel, 0xff57b67a, 0xff74c896},
    ColorPair{&Theme::gemm, 0xff3f9f68, 0xff52b47e},
    ColorPair{&Theme::attention, 0xff7cc9a0, 0xff9cdcbb},
    ColorPair{&Theme::memoryCopy, 0xffb98557, 0xffd6a377},
    ColorPair{&Theme::communication, 0xff8f7cf0, 0xffa493f5},
    ColorPair{&Theme::exposed, 0xffff7a45, 0xfff5783f},
    ColorPair{&Theme::onLight, 0xff0d1117, 0xff10151d},
    ColorPair{&Theme::onDark, 0xffffffff, 0xffffffff},
};

Theme makeTheme(ThemeName name) {
  Theme theme{};
  theme.name = name;
  for (const ColorPair& color : kColors)
    theme.*color.member = QColor::fromRgb(name == ThemeName::Dark ? color.dark : color.light);
  return theme;
}

QString firstInstalled(const QStringList& wanted, QFontDatabase::SystemFont otherwise) {
  const QStringList installed = QFontDatabase::families();
  for (const QString& family : wanted) {
    if (installed.contains(family)) return family;
  }
  return QFontDatabase::systemFont(otherwise).family();
}

QFont fontOf(const QString& family, qreal pixelSize, QFont::Weight weight) {
  QFont font(family);
  // Whole pixels keep hinted text crisp; fractions are rounded.
  font.setPixelSize(std::max(1, qRound(pixelSize * textScale())));
  font.setWeight(weight);
  return font;
}

// @name is replaced by a color of the theme.
constexpr auto kStyleSheet = R"(
QWidget { font-size: 12px; }
QMainWindow, QDialog { background: @background; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QToolTip { background: @raised; color: @text; border: 1px solid @line; padding: 5px 7px; }
QMenuBar { background: @panel; color: @text; }
QMenuBar::item { padding: 4px 9px; background: transparent; }
QMenuBar::item:selected, QMenu::item:selected { background: @raised; }
QMenu { background: @panel; color: @text; border: 1px solid @line; padding: 4px; }
QMenu::item { padding: 5px 24px 5px 12px; border-radius: 4px; }
QMenu::item:disabled { color: @faint; }
QMenu::separator { height: 1px; background: @line; margin: 4px 6px; }
QComboBox, QSpinBox { color: @text; }
QLineEdit, QComboBox, QSpinBox, QPlainTextEdit { background: @background; border: 1px solid @line;
  border-radius: 6px; padding: 4px 8px; selection-background-color: @accent; selection-color: @onAccent; }
QLineEdit:focus, QComboBox:focus, QSpinBox:focus { border-color: @accent; }
QComboBox::drop-down { border: none; width: 20tp; }
QPushButton, QToolButton { background: @raised; color: @text; border: 1px solid transparent; border-radius: 6px;
  padding: 4px 10px; }
QPushButton:hover, QToolButton:hover { border-color: @faint; }
QPushButton:pressed, QToolButton:pressed, QToolButton:checked { background: @line; }
QPushButton:focus, QToolButton:focus { border-color: @accent; }
QPushButton:disabled, QToolButton:disabled { color: @faint; }
QPushButton::menu-indicator { image: none; width: 0; }
QTabWidget::pane { border: none; border-top: 1px solid @line; }
QTabBar { background: @background; qproperty-drawBase: 0; }
QTabBar::tab { background: transparent; color: @muted; padding: 9px 15px 8px 15px; border: none;
  border-bottom: 3px solid transparent; }
QTabBar::tab:hover { color: @text; }
QTabBar::tab:selected { color: @text; font-weight: 600; border-bottom-color: @accent; }
QTabBar::tab:focus { color: @accent; }
QHeaderView { background: @panel; }
QHeaderView::section { background: @panel; color: @muted; border: none; border-bottom: 1px solid @line;
  padding: 5px 8px; }
QTableView, QTreeView, QListView { background: @panel; alternate-background-color: @background; color: @text;
  border: none; gridline-color: @line; selection-background-color: @selection; selection-color: @text; }
QTableView::item, QTreeView::item { padding: 2px 6px; border: none; }
QTableCornerButton::section { background: @panel; border: none; }
QSplitter::handle { background: @line; }
QSplitter::handle:horizontal { width: 1px; }
QSplitter::handle:vertical { height: 1px; }
QScrollArea { border: none; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QScrollBar:vertical { background: transparent; width: 12px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 12px; margin: 0; }
QScrollBar::handle { background: @line; border-radius: 4px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::handle:hover { background: @faint; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QProgressBar { background: @raised; border: none; border-radius: 3px; text-align: center; color: @text; }
QProgressBar::chunk { background: @accent; border-radius: 3px; }
QStatusBar { background: @panel; color: @muted; }
QStatusBar::item { border: none; }
QGroupBox { border: 1px solid @line; border-radius: 8px; margin-top: 10px; padding-top: 8px; }
QGroupBox::title { subcontrol-origin: margin; left: 12px; color: @muted; }
)";

} // namespace

const Theme& Theme::of(ThemeName name) {
  static const Theme dark = makeTheme(ThemeName::Dark);
  static const Theme light = makeTheme(ThemeName::Light);
  return name == ThemeName::Dark ? dark : light;
}

ThemeName systemTheme() {
#ifdef Q_OS_WIN
  const QSettings settings(
      "HKEY_CURRENT_USER\\Software\\Microsoft\\Windows\\CurrentVersion\\Themes\\Personalize",
      QSettings::NativeFormat);
  return settings.value("AppsUseLightTheme", 1).toInt() == 0 ? ThemeName::Dark : ThemeName::Light;
#else
  const QPalette palette = QApplication::palette();
  const bool darkWindow = contrast(palette.color(QPalette::Window), Qt::black) <
                          contrast(palette.color(QPalette::WindowText), Qt::black);
  return darkWindow ? ThemeName::Dark : ThemeName::Light;
#endif
}

QPalette paletteOf(const Theme& theme) {
  QPalette palette;
  const std::array<std::pair<QPalette::ColorRole, QColor>, 19> roles{{
      {QPalette::Window, theme.background},
      {QPalette::WindowText, theme.text},
      {QPalette::Base, theme.panel},
      {QPalette::AlternateBase, theme.background},
      {QPalette::Text, theme.text},
      {QPalette::PlaceholderText, theme.muted},
      {QPalette::Button, theme.raised},
      {QPalette::ButtonText, theme.text},
      {QPalette::BrightText, theme.bad},
      {QPalette::ToolTipBase, theme.raised},
      {QPalette::ToolTipText, theme.text},
      {QPalette::Highlight, theme.accent},
      {QPalette::HighlightedText, textOn(theme, theme.accent)},
      {QPalette::Link, theme.accent},
      {QPalette::LinkVisited, theme.accent},
      {QPalette::Light, theme.raised},
      {QPalette::Mid, theme.line},
      {QPalette::Dark, theme.line},
      {QPalette::Shadow, theme.background},
  }};
  for (const auto& [role, color] : roles) palette.setColor(role, color);
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    palette.setColor(QPalette::Disabled, role, theme.faint);
  return palette;
}

QString styleSheetOf(const Theme& theme) {
  QColor selection = theme.accent;
  selection.setAlpha(60);
  const std::array<std::pair<QLatin1String, QColor>, 10> tokens{{
      {QLatin1String("@background"), theme.background},
      {QLatin1String("@panel"), theme.panel},
      {QLatin1String("@raised"), theme.raised},
      {QLatin1String("@line"), theme.line},
      {QLatin1String("@text"), theme.text},
      {QLatin1String("@muted"), theme.muted},
      {QLatin1String("@faint"), theme.faint},
      {QLatin1String("@accent"), theme.accent},
      {QLatin1String("@onAccent"), textOn(theme, theme.accent)},
      {QLatin1String("@selection"), selection},
  }};
  QString sheet = QString::fromLatin1(kStyleSheet);
  for (const auto& [token, color] : tokens) {
    sheet.replace(token, QStringLiteral("rgba(%1,%2,%3,%4)")
                             .arg(color.red())
                             .arg(color.green())
                             .arg(color.blue())
                             .arg(color.alpha()));
  }
  return withTextScale(sheet);
}

void applyTheme(QApplication& application, const Theme& theme) {
  // Each of these visits all widgets of the program, even if nothing changes.
  static constexpr const char* kStyled = "rankscopeStyled";
  if (!application.property(kStyled).toBool()) {
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    application.installEventFilter(new WheelOverChoices(&application));
    application.setProperty(kStyled, true);
  }
  const QString sheet = styleSheetOf(theme);
  if (application.styleSheet() == sheet) return;
  QApplication::setPalette(paletteOf(theme));
  application.setStyleSheet(sheet);
}

void polishWithChildren(QWidget& widget) {
  widget.ensurePolished();
  for (const QWidget* const child : widget.findChildren<QWidget*>()) child->ensurePolished();
}

// "12tp" is 12 pixels that grow with the text.
QString withTextScale(QString styleSheet) {
  static const QRegularExpression size(QStringLiteral("(font-size: *)(\\d+)px|\\b(\\d+)tp\\b"));
  QRegularExpressionMatch match = size.match(styleSheet);
  while (match.hasMatch()) {
    const bool isFont = match.capturedLength(2) > 0;
    const QString scaled = (isFont ? QStringLiteral("font-size: %1px") : QStringLiteral("%1px"))
                               .arg(scaledToText(match.captured(isFont ? 2 : 3).toInt()));
    styleSheet.replace(match.capturedStart(), match.capturedLength(), scaled);
    match = size.match(styleSheet, match.capturedStart() + scaled.size());
  }
  return styleSheet;
}

QFont textFont(qreal pixelSize, QFont::Weight weight) {
  static const QString family =
      firstInstalled({"Inter", "Inter Display", "Segoe UI", "SF Pro Text", "Noto Sans", "DejaVu Sans"},
                     QFontDatabase::GeneralFont);
  return fontOf(family, pixelSize, weight);
}

QFont nameFont(qreal pixelSize, QFont::Weight weight) {
  QFont font = textFont(pixelSize, weight);
  font.setStyleStrategy(QFont::PreferNoShaping);
  return font;
}

QFont numberFont(qreal pixelSize, QFont::Weight weight) {
  static const QString family =
      firstInstalled({"JetBrains Mono", "Cascadia Mono", "SF Mono", "Noto Sans Mono", "DejaVu Sans Mono"},
                     QFontDatabase::FixedFont);
  return fontOf(family, pixelSize, weight);
}

QColor textOn(const Theme& theme, QColor background) {
  return contrast(theme.onLight, background) >= contrast(theme.onDark, background) ? theme.onLight
                                                                                   : theme.onDark;
}

} // namespace rankscope::ui
