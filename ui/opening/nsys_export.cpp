// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/nsys_export.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>

#include <utility>

namespace rankscope::ui {

namespace {

constexpr qsizetype kMostSaid = 2000;
constexpr int kMostReports = 4096;
constexpr int kYearWithBlobs = 2026;

bool isReportName(const QString& name) {
  return name.endsWith(QLatin1String(".nsys-rep"), Qt::CaseInsensitive) ||
         name.endsWith(QLatin1String(".qdrep"), Qt::CaseInsensitive);
}

QString withoutEnding(const QString& report) {
  return report.left(report.lastIndexOf(QLatin1Char('.')));
}

// Whether the report says that an nsys of 2026 or later wrote it: "NVIDIA Tegra Profiler Report 2026@1@...".
bool holdsBlobs(const QString& report) {
  QFile file(report);
  if (!file.open(QIODevice::ReadOnly)) return false;
  const QByteArray magic = QByteArrayLiteral("NVIDIA Tegra Profiler Report ");
  const QByteArray start = file.read(magic.size() + 4);
  return start.startsWith(magic) && start.mid(magic.size()).toInt() >= kYearWithBlobs;
}

} // namespace

NsysExport::NsysExport(QObject* parent) : QObject(parent) {
  m_process.setProcessChannelMode(QProcess::MergedChannels);
  m_process.setStandardInputFile(QProcess::nullDevice());
  connect(&m_process, &QProcess::readyRead, this, [this] {
    m_said += QString::fromUtf8(m_process.readAll());
    m_said = m_said.right(kMostSaid);
  });
  connect(&m_process, &QProcess::finished, this, &NsysExport::ended);
  connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error != QProcess::FailedToStart) return; // finished() follows all others
    const QString report = m_reports.value(0);
    m_reports.clear();
    emit failed(report, tr("%1 could not be started: %2").arg(m_program, m_process.errorString()));
  });
}

NsysExport::~NsysExport() {
  m_process.disconnect(this);
  if (!running()) return;
  m_process.kill();
  m_process.waitForFinished(1000);
}

QString NsysExport::program() {
  return QStandardPaths::findExecutable(QStringLiteral("nsys"));
}

QStringList NsysExport::reportsIn(const QStringList& paths) {
  QStringList reports;
  const auto take = [&](const QString& path) {
    if (isReportName(path) && !QFileInfo::exists(withoutEnding(path) + QLatin1String(".sqlite")) &&
        reports.size() < kMostReports)
      reports += path;
  };
  for (const QString& path : paths) {
    if (!QFileInfo(path).isDir()) {
      take(path);
      continue;
    }
    QDirIterator entries(path, QDir::Files, QDirIterator::Subdirectories);
    while (entries.hasNext()) take(entries.next());
  }
  reports.sort();
  return reports;
}

QStringList NsysExport::arguments(const QString& report, const QString& output) {
  QStringList arguments{QStringLiteral("export"), QStringLiteral("--type=sqlite")};
  if (holdsBlobs(report)) arguments += QStringLiteral("--include-blobs=true");
  return arguments << QStringLiteral("--output=") + output << report;
}

void NsysExport::start(const QString& program, const QStringList& reports, const QString& folder) {
  if (running() || reports.isEmpty()) return;
  m_program = program;
  m_folder = folder;
  m_reports = reports;
  m_exports.clear();
  m_count = static_cast<int>(reports.size());
  m_stopped = false;
  next();
}

void NsysExport::cancel() {
  if (!running()) return;
  m_stopped = true;
  m_process.kill();
}

QString NsysExport::outputOf(const QString& report) const {
  const QFileInfo info(report);
  if (QFileInfo(info.absolutePath()).isWritable())
    return withoutEnding(info.absoluteFilePath()) + QLatin1String(".sqlite");
  QDir().mkpath(m_folder);
  return QDir(m_folder).filePath(withoutEnding(info.fileName()) + QLatin1String(".sqlite"));
}

void NsysExport::next() {
  if (m_reports.isEmpty()) {
    emit finished(m_exports);
    return;
  }
  const QString& report = m_reports.front();
  emit progressed(m_count - static_cast<int>(m_reports.size()) + 1, m_count, report);
  m_said.clear();
  m_process.start(m_program, arguments(report, outputOf(report)));
}

void NsysExport::ended(int exitCode, QProcess::ExitStatus status) {
  if (m_reports.isEmpty()) return; // it did not start
  const QString report = m_reports.takeFirst();
  const QString output = outputOf(report);
  if (m_stopped) {
    QFile::remove(output); // half an export
    m_reports.clear();
    emit cancelled();
    return;
  }
  if (status != QProcess::NormalExit || exitCode != 0 || !QFileInfo::exists(output)) {
    m_reports.clear();
    const QString said = m_said.simplified().right(300);
    emit failed(report, said.isEmpty() ? tr("nsys ended with exit code %1").arg(exitCode) : said);
    return;
  }
  m_exports += output;
  next();
}

} // namespace rankscope::ui
