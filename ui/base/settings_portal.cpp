// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/settings_portal.h"

#include <QFileInfo>
#include <QtDBus/QDBusConnection>
#include <QtDBus/QDBusMessage>
#include <QtDBus/QDBusPendingCallWatcher>
#include <QtDBus/QDBusPendingReply>
#include <QtDBus/QDBusServiceWatcher>
#include <QtDBus/QDBusVariant>

#include <utility>

namespace rankscope::ui {

namespace {

const QString kService = QStringLiteral("org.freedesktop.portal.Desktop");
const QString kPath = QStringLiteral("/org/freedesktop/portal/desktop");
const QString kInterface = QStringLiteral("org.freedesktop.portal.Settings");
const QString kNamespace = QStringLiteral("org.freedesktop.appearance");
const QString kKey = QStringLiteral("color-scheme");

// Older portals wrap the value twice.
QVariant unwrapped(QVariant value) {
  while (value.metaType() == QMetaType::fromType<QDBusVariant>())
    value = qvariant_cast<QDBusVariant>(value).variant();
  return value;
}

// Asking for the session bus would start one if there is none.
bool hasSessionBus() {
  return qEnvironmentVariableIsSet("DBUS_SESSION_BUS_ADDRESS") ||
         QFileInfo::exists(qEnvironmentVariable("XDG_RUNTIME_DIR") + QStringLiteral("/bus"));
}

class SettingsPortal : public QObject {
  Q_OBJECT

 public:
  SettingsPortal(QDBusConnection bus, SchemeTaken taken, QObject* owner)
      : QObject(owner), m_bus(std::move(bus)), m_taken(std::move(taken)),
        m_watcher(kService, m_bus, QDBusServiceWatcher::WatchForRegistration) {
    // Qt D-Bus matches signals with slots by type names, which it registers late.
    qRegisterMetaType<QDBusVariant>("QDBusVariant");
    m_bus.connect(kService, kPath, kInterface, QStringLiteral("SettingChanged"), this,
                  SLOT(settingChanged(QString, QString, QDBusVariant)));
    connect(&m_watcher, &QDBusServiceWatcher::serviceRegistered, this, [this] { read(); });
    read();
  }

 private slots:
  void settingChanged(const QString& group, const QString& key, const QDBusVariant& value) {
    if (group != kNamespace || key != kKey) return;
    m_heard = true;
    take(value.variant());
  }

 private:
  // ReadOne is newer than Read.
  void read() {
    m_heard = false;
    ask(QStringLiteral("ReadOne"), [this] { ask(QStringLiteral("Read"), [] {}); });
  }

  template <class Otherwise> void ask(const QString& method, Otherwise otherwise) {
    QDBusMessage call = QDBusMessage::createMethodCall(kService, kPath, kInterface, method);
    call << kNamespace << kKey;
    auto* const watcher = new QDBusPendingCallWatcher(m_bus.asyncCall(call), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher, otherwise] {
      watcher->deleteLater();
      const QDBusPendingReply<QDBusVariant> reply = *watcher;
      if (reply.isError())
        otherwise();
      else if (!m_heard) // a change reported meanwhile is newer
        take(reply.value().variant());
    });
  }

  void take(const QVariant& value) {
    bool isNumber = false;
    const unsigned scheme = unwrapped(value).toUInt(&isNumber);
    if (isNumber) m_taken(scheme);
  }

  QDBusConnection m_bus;
  SchemeTaken m_taken;
  QDBusServiceWatcher m_watcher;
  bool m_heard = false; // a change was reported since the request
};

} // namespace

QObject* followSettingsPortal(const QString& busAddress, SchemeTaken taken, QObject* owner) {
  if (busAddress.isEmpty() && !hasSessionBus()) return nullptr;
  QDBusConnection bus = busAddress.isEmpty() ? QDBusConnection::sessionBus()
                                             : QDBusConnection::connectToBus(busAddress, busAddress);
  return bus.isConnected() ? new SettingsPortal(std::move(bus), std::move(taken), owner) : nullptr;
}

} // namespace rankscope::ui

#include "settings_portal.moc"
