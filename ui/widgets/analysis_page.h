// SPDX-License-Identifier: GPL-3.0-or-later
// A tab based on the analysis. A pure function computes its content on a worker when the tab is first shown,
// and again when the analysis changes; the previous content stays until then, so that nothing flickers while
// a range is dragged. Results carry the analysis that they are based on; outdated results are dropped. UI
// thread.
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
  // Null: nothing to show, or not yet.
  void setReport(std::shared_ptr<const JobReport> report) override;
  // The report of the displayed content; differs from the one that was set while its content is being
  // computed; null if there is none.
  [[nodiscard]] const std::shared_ptr<const JobReport>& report() const { return m_shownOf; }
  // The analysis of that report.
  [[nodiscard]] std::shared_ptr<const Analysis> analysis() const;
  // Computes the content even if the tab is not visible.
  void prepare() override { refresh(); }
  [[nodiscard]] bool upToDate() const override { return !m_stale && m_report == m_shownOf; }

 protected:
  AnalysisPage(PendingWork& pending, QWidget* parent) : TabPage(parent), m_task(pending) {}

  // make runs on a worker and owns what it uses; show runs on the UI thread, with null if there is nothing to
  // show. Called again if a choice in the tab requires other content.
  template <class Data>
  void setContents(std::function<Data(const Analysis&)> make,
                   std::function<void(const std::shared_ptr<const Data>&)> show) {
    setReportContents<Data>(
        [make = std::move(make)](const JobReport& report) { return make(report.analysis()); },
        std::move(show));
  }

  // The same for content that keeps using its analysis.
  template <class Data>
  void setSharedContents(std::function<Data(const std::shared_ptr<const Analysis>&)> make,
                         std::function<void(const std::shared_ptr<const Data>&)> show) {
    setReportContents<Data>(
        [make = std::move(make)](const JobReport& report) { return make(report.sharedAnalysis()); },
        std::move(show));
  }

  // The same for content based on findings.
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

  std::shared_ptr<const JobReport> m_report;  // the report to show
  std::shared_ptr<const JobReport> m_shownOf; // see report()
  std::function<Shown(const JobReport&)> m_make;
  Shown m_clear;
  bool m_stale = false;
  LatestTask<Shown> m_task;
};

} // namespace rankscope::ui
