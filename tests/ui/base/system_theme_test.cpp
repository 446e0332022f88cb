// SPDX-License-Identifier: GPL-3.0-or-later
// The theme follows the desktop while the program runs: a settings portal of the test's own, on a bus that
// the test starts. Covers ui/base/settings_portal too.
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/base/system_theme.h"

#include <QLabel>
#include <QProcess>
#include <QSignalSpy>
#include <QtDBus/QDBusConnection>
#include <QtDBus/QDBusContext>
#include <QtDBus/QDBusError>
#include <QtDBus/QDBusMessage>
#include <QtDBus/QDBusVariant>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

const QString kGroup = QStringLiteral("org.freedesktop.appearance");
const QString kKey = QStringLiteral("color-scheme");

// A bus that nobody else is on; ends with this.
class PrivateBus {
 public:
  PrivateBus() {
    m_daemon.start(QStringLiteral("dbus-daemon"), {QStringLiteral("--session"), QStringLiteral("--nofork"),
                                                   QStringLiteral("--print-address=1"),
                                                   QStringLiteral("--address=unix:dir=") + m_folder.path()});
    if (m_daemon.waitForStarted() && m_daemon.waitForReadyRead())
      m_address = QString::fromUtf8(m_daemon.readLine()).trimmed();
  }
  ~PrivateBus() {
    m_daemon.kill();
    m_daemon.waitForFinished();
  }

  [[nodiscard]] const QString& address() const { return m_address; }

 private:
  QTemporaryDir m_folder;
  QProcess m_daemon;
  QString m_address; // empty: it could not be started
};

// What a desktop offers; older ones know Read only, which wraps the value twice.
class FakePortal : public QObject, protected QDBusContext {
  Q_OBJECT
  Q_CLASSINFO("D-Bus Interface", "org.freedesktop.portal.Settings")

 public:
  FakePortal(const PrivateBus& bus, unsigned scheme, bool isOld = false)
      : m_bus(QDBusConnection::connectToBus(bus.address(), QStringLiteral("portal"))), m_scheme(scheme),
        m_isOld(isOld) {
    m_bus.registerObject(QStringLiteral("/org/freedesktop/portal/desktop"), this,
                         QDBusConnection::ExportAllSlots | QDBusConnection::ExportAllSignals);
    m_bus.registerService(QStringLiteral("org.freedesktop.portal.Desktop"));
  }
  ~FakePortal() override { QDBusConnection::disconnectFromBus(QStringLiteral("portal")); }

  void change(unsigned scheme) {
    m_scheme = scheme;
    emit SettingChanged(kGroup, kKey, QDBusVariant(scheme));
  }

  int asked = 0;

 public slots:
  QDBusVariant ReadOne(const QString& group, const QString& key) { // NOLINT: the portal's own names
    if (m_isOld) sendErrorReply(QDBusError::UnknownMethod);
    return valueOf(group, key);
  }
  QDBusVariant Read(const QString& group, const QString& key) { // NOLINT
    return QDBusVariant(QVariant::fromValue(valueOf(group, key)));
  }

 signals:
  void SettingChanged(const QString& group, const QString& key, const QDBusVariant& value); // NOLINT

 private:
  QDBusVariant valueOf(const QString& group, const QString& key) {
    ++asked;
    if (group != kGroup || key != kKey) sendErrorReply(QDBusError::InvalidArgs);
    return QDBusVariant(m_scheme);
  }

  QDBusConnection m_bus;
  unsigned m_scheme;
  bool m_isOld;
};

// How often the style of a widget was computed again.
class StyleChanges : public QObject {
 public:
  explicit StyleChanges(QWidget& widget) { widget.installEventFilter(this); }
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::StyleChange) ++count;
    return QObject::eventFilter(watched, event);
  }

  int count = 0;
};

constexpr unsigned kNone = 0;
constexpr unsigned kDark = 1;
constexpr unsigned kLight = 2;

} // namespace

class SystemThemeTest : public QObject {
  Q_OBJECT

  PrivateBus m_bus;

 private slots:
  void initTestCase() { QVERIFY2(!m_bus.address().isEmpty(), "dbus-daemon cannot be started"); }

  void aThemeThatStaysTouchesNoWidget() {
    applyTheme(*qApp, Theme::of(ThemeName::Dark));
    QLabel label(QStringLiteral("Rank 0"));
    label.ensurePolished();
    const StyleChanges changes(label);
    applyTheme(*qApp, Theme::of(ThemeName::Dark));
    QCOMPARE(changes.count, 0);
    applyTheme(*qApp, Theme::of(ThemeName::Light));
    QVERIFY(changes.count > 0);
    QCOMPARE(QApplication::palette().color(QPalette::Window), Theme::of(ThemeName::Light).background);
  }

  void withoutAPortalItStaysAsItWas() {
    const SystemTheme nowhere(ThemeName::Light, QStringLiteral("unix:path=/nowhere"));
    QCOMPARE(nowhere.theme(), ThemeName::Light);
    SystemTheme theme(ThemeName::Light, m_bus.address());
    const QSignalSpy changed(&theme, &SystemTheme::changed);
    // A portal that comes later is asked.
    FakePortal portal(m_bus, kDark);
    QTRY_COMPARE(theme.theme(), ThemeName::Dark);
    QCOMPARE(changed.count(), 1);
    // And its changes are heard, though nothing in this process had to do with D-Bus before.
    portal.change(kLight);
    QTRY_COMPARE(theme.theme(), ThemeName::Light);
  }

  void itIsWhatThePortalSaysNowAndLater_data() {
    QTest::addColumn<bool>("old");
    QTest::newRow("portal of today") << false;
    QTest::newRow("portal that wraps twice") << true;
  }
  void itIsWhatThePortalSaysNowAndLater() {
    QFETCH(bool, old);
    FakePortal portal(m_bus, kDark, old);
    SystemTheme theme(ThemeName::Light, m_bus.address());
    QCOMPARE(theme.theme(), ThemeName::Light); // nobody waited
    QSignalSpy changed(&theme, &SystemTheme::changed);
    QVERIFY(changed.wait());
    QCOMPARE(theme.theme(), ThemeName::Dark);
    portal.change(kLight);
    QVERIFY(changed.wait());
    QCOMPARE(theme.theme(), ThemeName::Light);
    // Other settings, and what is no number, mean nothing.
    emit portal.SettingChanged(QStringLiteral("org.gnome.desktop"), kKey, QDBusVariant(kDark));
    emit portal.SettingChanged(kGroup, QStringLiteral("contrast"), QDBusVariant(kDark));
    emit portal.SettingChanged(kGroup, kKey, QDBusVariant(QStringLiteral("dark")));
    portal.change(kDark); // comes after them
    QVERIFY(changed.wait());
    QCOMPARE(changed.count(), 3);
    // No preference: as it was.
    portal.change(kNone);
    QVERIFY(changed.wait());
    QCOMPARE(theme.theme(), ThemeName::Light);
  }

  void theOpenWindowFollowsUnlessOneChose() {
    FakePortal portal(m_bus, kDark);
    TestWindow shown;
    TraceSession& session = shown.window.session();
    QSignalSpy changed(&session, &TraceSession::themeChanged);
    shown.window.setThemeChoice(ThemeChoice::System);
    shown.window.followSystemTheme(m_bus.address());
    QTRY_COMPARE(session.themeName(), ThemeName::Dark);
    portal.change(kLight);
    QTRY_COMPARE(session.themeName(), ThemeName::Light);
    QCOMPARE(QApplication::palette().color(QPalette::Window), Theme::of(ThemeName::Light).background);
    QVERIFY(shown.window.styleSheet().contains(Theme::of(ThemeName::Light).panel.name()));
    const auto switches = changed.count();

    shown.window.setThemeChoice(ThemeChoice::Light);
    const int before = portal.asked;
    SystemTheme other(ThemeName::Light, m_bus.address()); // hears of the change with the window
    portal.change(kDark);
    QTRY_COMPARE(other.theme(), ThemeName::Dark);
    QVERIFY(portal.asked >= before);
    QCOMPARE(session.themeName(), ThemeName::Light);
    QCOMPARE(changed.count(), switches);
    // Whoever goes back to the desktop's gets what it is now.
    shown.window.setThemeChoice(ThemeChoice::System);
    QTRY_COMPARE(session.themeName(), ThemeName::Dark);
  }
};

RANKSCOPE_UI_TEST(SystemThemeTest)
#include "system_theme_test.moc"
