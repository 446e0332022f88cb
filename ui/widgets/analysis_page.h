// SPDX-License-Identifier: GPL-3.0-or-later
// A tab over the analysis. What it shows is made on a worker by a pure function when the tab is first looked
// at, and again when there is another analysis; until it is there the former stays, so that nothing flickers
// while a range is dragged. An answer carries what it was made of: what the tab shows and does refers to
// that, and an answer to what is no longer asked is dropped. UI thread.
#pragma once

#include "core/report/job_report.h"
#include "ui/base/latest_task.h"
#include "ui/widgets/tab_page.h"

#include <functional>
#include <memory>
#include <utility>

namespace rankscope::ui {

class AnalysisPage : public TabPage {
  Q_OBJECT
 public:
  // Null: there is nothing to show, or not yet.
  void setReport(std::shared_ptr<const JobReport> report) override;
  // What is shown was made of it; another one than was set as long as its answer is to come, null while there
  // is none.
  [[nodiscard]] const std::shared_ptr<const JobReport>& report() const { return m_shownOf; }
  // Of that report.
  [[nodiscard]] std::shared_ptr<const Analysis> analysis() const;
  // Computes its content although it is not visible yet.
  void prepare() override { refresh(); }
  [[nodiscard]] bool upToDate() const override { return !m_stale && m_report == m_shownOf; }

 protected:
  AnalysisPage(PendingWork& pending, QWidget* parent) : TabPage(parent), m_task(pending) {}

  // make runs on a worker and owns what it uses; show runs on the UI thread, with null while there is nothing
  // to show. May be called again, when a choice of the tab requires other content.
  template <class Data>
  void setContents(std::function<Data(const Analysis&)> make,
                   std::function<void(const std::shared_ptr<const Data>&)> show) {
    setReportContents<Data>(
        [make = std::move(make)](const JobReport& report) { return make(report.analysis()); },
        std::move(show));
  }

  // The same for data that goes on using the analysis it was made from.
  template <class Data>
  void setSharedContents(std::function<Data(const std::shared_ptr<const Analysis>&)> make,
                         std::function<void(const std::shared_ptr<const Data>&)> show) {
    setReportContents<Data>(
        [make = std::move(make)](const JobReport& report) { return make(report.sharedAnalysis()); },
        std::move(show));
  }

  // The same for what shows findings.
  template <class Data>
  void setReportContents(std::function<Data(const JobReport&)> make,
                         std::function<void(const std::shared_ptr<const Data>&)> show) {
    m_make = [make = std::move(make), show](const JobReport& report) -> Shown {
      return [show, data = std::make_shared<const Data>(make(report))] { show(data); };
    };
    m_clear = [show = std::move(show)] { show(nullptr); };
    m_stale = true;
    m_task.drop();
    if (isVisible()) refresh();
  }

  void showEvent(QShowEvent* event) override;

 private:
  using Shown = std::function<void()>;

  void refresh();

  std::shared_ptr<const JobReport> m_report;  // that is to be shown
  std::shared_ptr<const JobReport> m_shownOf; // see report()
  std::function<Shown(const JobReport&)> m_make;
  Shown m_clear;
  bool m_stale = false;
  LatestTask<Shown> m_task;
};

} // namespace rankscope::ui
