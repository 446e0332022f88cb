// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/network/network_columns.h"

#include "ui/base/ui_text.h"

namespace rankscope::ui {

namespace {

// Bandwidth in GB/s with three digits.
QString gigabytes(const Cell& cell) {
  const auto* const number = std::get_if<double>(&cell);
  if (number == nullptr) return QStringLiteral("–");
  return QString::number(*number, 'f', *number < 1 ? 3 : *number < 100 ? 1 : 0);
}

// The index of a connection, as NCCL logs it.
QString connectionUse(const Cell& cell) {
  const auto* const number = std::get_if<std::int64_t>(&cell);
  if (number == nullptr) return QStringLiteral("–");
  if (*number > 1) return QString::number(*number);
  return *number == 1 ? tr("send, recv") : tr("collectives");
}

QString modelText(const Cell& cell) {
  const auto* const text = std::get_if<std::string_view>(&cell);
  if (text == nullptr) return QStringLiteral("–");
  if (*text == "alpha_beta") return QStringLiteral("α + S / β");
  if (*text == "beta_only") return QStringLiteral("S / β");
  if (*text == "latency_only") return QStringLiteral("α");
  return tr("none");
}

QString severityText(const Cell& cell) {
  const auto* const text = std::get_if<std::string_view>(&cell);
  return text != nullptr && *text == "warning" ? tr("warning") : tr("info");
}

} // namespace

std::vector<ShownColumn> communicatorColumns() {
  return {
      {.source = "communicator", .title = tr("No."), .tip = tr("In the order of the log")},
      {.source = "group",
       .title = tr("Group"),
       .tip = tr("The process group of the same ranks; empty where the log does not tell one"),
       .hide = Hide::AllEmpty},
      {.source = "ranks", .title = tr("Ranks")},
      {.source = "members_known", .title = tr("Known"), .tip = tr("Ranks whose log is among the files")},
      {.source = "shape",
       .title = tr("Hosts × GPUs"),
       .tip = tr("Hosts and ranks of each"),
       .hide = Hide::AllEmpty},
      {.source = "coll_channels",
       .title = tr("Channels"),
       .tip = tr("Channels of collectives: rings or trees that work side by side"),
       .hide = Hide::AllEmpty},
      {.source = "p2p_channels",
       .title = tr("P2P channels"),
       .tip = tr("Channels of send and receive"),
       .hide = Hide::AllEmpty,
       .hidden = true},
      {.source = "nvls_channels",
       .title = tr("NVLS"),
       .tip = tr("Channels of NVLink SHARP, which reduces in the NVLink switch"),
       .hide = Hide::AllZero},
      {.source = "links",
       .title = tr("Links"),
       .tip = tr("By transport, over all channels"),
       .hide = Hide::AllEmpty},
      {.source = "gdr_pct",
       .title = tr("GDR"),
       .tip = tr("Share of the network's links in which the NIC reads GPU memory: GPUDirect RDMA"),
       .hide = Hide::AllEmpty},
      {.source = "version", .title = tr("Version"), .hide = Hide::AllSame},
      {.source = "init_us",
       .title = tr("Init"),
       .tip = tr("Time of its initialization on the slowest rank"),
       .hide = Hide::AllEmpty},
      {.source = "init_part", .title = tr("Longest part"), .hide = Hide::AllEmpty, .hidden = true},
      {.source = "warnings", .title = tr("Warnings"), .hide = Hide::AllZero},
  };
}

std::vector<ShownColumn> algorithmColumns() {
  return {
      {.source = "group", .title = tr("Group"), .tip = tr("Process group, or the table of nccl-tests")},
      {.source = "operation", .title = tr("Operation")},
      {.source = "bytes",
       .title = tr("Size"),
       .tip = tr("As nccl-tests counts it: the buffer of one rank; for AllGather and ReduceScatter the sum "
                 "over ranks")},
      {.source = "algorithm",
       .title = tr("Algorithm"),
       .tip = tr("As NCCL logged its choice"),
       .hide = Hide::AllEmpty},
      {.source = "protocol",
       .title = tr("Protocol"),
       .tip = tr("LL and LL128 for small sizes, Simple for large ones"),
       .hide = Hide::AllEmpty},
      {.source = "channels", .title = tr("Channels"), .hide = Hide::AllEmpty},
      {.source = "predicted_us",
       .title = tr("NCCL estimate"),
       .tip =
           tr("Time by NCCL's tuning model, with which it chooses the algorithm; not an accurate prediction"),
       .hide = Hide::AllEmpty},
      {.source = "median_us",
       .title = tr("Measured"),
       .tip = tr("Median of transfers, waiting taken out"),
       .hide = Hide::AllEmpty},
      {.source = "samples",
       .title = tr("Calls"),
       .tip = tr("Number of calls of the median"),
       .hide = Hide::AllEmpty},
      {.source = "algbw_gb_s",
       .title = tr("algbw GB/s"),
       .tip = tr("Algorithm bandwidth: size over time"),
       .hide = Hide::AllEmpty,
       .words = gigabytes},
      {.source = "busbw_gb_s",
       .title = tr("busbw GB/s"),
       .tip = tr("Bus bandwidth: algbw times the operation's factor of nccl-tests, comparable with links"),
       .hide = Hide::AllEmpty,
       .words = gigabytes},
      {.source = "expected_busbw_gb_s",
       .title = tr("Expected busbw"),
       .tip = tr("Bus bandwidth that such links reach in practice, for sizes large enough to be judged"),
       .hide = Hide::AllEmpty,
       .words = gigabytes},
      {.source = "efficiency_pct",
       .title = tr("Of expected"),
       .tip = tr("busbw over what is expected: 85 % and more is good"),
       .hide = Hide::AllEmpty},
  };
}

std::vector<ShownColumn> fitColumns() {
  return {
      {.source = "group", .title = tr("Group")},
      {.source = "operation", .title = tr("Operation")},
      {.source = "model",
       .title = tr("Model"),
       .tip = tr(
           "α + size / β needs 4 sizes, the largest 16 times the smallest; β alone needs 2, 4 times apart"),
       .words = modelText},
      {.source = "alpha_us", .title = tr("α"), .tip = tr("Latency"), .hide = Hide::AllEmpty},
      {.source = "beta_gb_s",
       .title = tr("β GB/s"),
       .tip = tr("Algorithm bandwidth of large sizes"),
       .hide = Hide::AllEmpty,
       .words = gigabytes},
      {.source = "beta_bus_gb_s",
       .title = tr("β bus GB/s"),
       .tip = tr("β as bus bandwidth"),
       .hide = Hide::AllEmpty,
       .words = gigabytes},
      {.source = "r2", .title = tr("R²"), .hide = Hide::AllEmpty},
      {.source = "mean_error_pct",
       .title = tr("Mean error"),
       .tip = tr("Of the fit, over all sizes"),
       .hide = Hide::AllEmpty},
      {.source = "max_error_pct", .title = tr("Largest error"), .hide = Hide::AllEmpty},
      {.source = "max_error_bytes",
       .title = tr("At size"),
       .tip = tr("Size of the largest error"),
       .hide = Hide::AllEmpty},
      {.source = "sizes", .title = tr("Sizes"), .tip = tr("Distinct sizes")},
      {.source = "crossover_bytes",
       .title = tr("Tree below"),
       .tip = tr("Size of an AllReduce below which an ideal tree is faster than an ideal ring, by this fit"),
       .hide = Hide::AllEmpty},
      {.source = "verdict",
       .title = tr("Verdict"),
       .tip = tr("good: mean error up to 10 %, usable: up to 25 %")},
      {.source = "contended_beta_gb_s",
       .title = tr("β contended"),
       .tip = tr("The same fit of calls that ran beside another communication kernel, in GB/s: these are not "
                 "in the other figures"),
       .hide = Hide::AllEmpty,
       .words = gigabytes},
      {.source = "pieces",
       .title = tr("By size"),
       .tip = tr("Three lines instead of one, with 12 sizes or more: NCCL changes its protocol and algorithm "
                 "with size"),
       .hide = Hide::AllEmpty},
      {.source = "left_out",
       .title = tr("Calls left out"),
       .tip =
           tr("Calls that the fit is not of, and why. First calls make connections; sizes far off the line "
              "are kept in the curve"),
       .hide = Hide::AllEmpty},
  };
}

std::vector<ShownColumn> linkColumns() {
  return {
      {.source = "channel", .title = tr("Channel")},
      {.source = "from_rank", .title = tr("From"), .tip = tr("Rank of the communicator")},
      {.source = "to_rank", .title = tr("To"), .tip = tr("Rank of the communicator")},
      {.source = "from_host", .title = tr("From host"), .hide = Hide::AllSame},
      {.source = "to_host", .title = tr("To host"), .hide = Hide::AllSame},
      {.source = "kind", .title = tr("Transport")},
      {.source = "nic", .title = tr("NIC"), .tip = tr("Number of the sender's NIC"), .hide = Hide::AllEmpty},
      {.source = "gdr",
       .title = tr("GDR"),
       .tip = tr("Whether the NIC reads GPU memory"),
       .hide = Hide::AllEmpty,
       .words = yesOrNo},
      {.source = "pxn", .title = tr("PXN"), .tip = tr("Rank whose NIC is used"), .hide = Hide::AllEmpty},
      {.source = "connection",
       .title = tr("Use"),
       .tip = tr("Channels of collectives, or of send and receive"),
       .hide = Hide::AllSame,
       .words = connectionUse},
      {.source = "seen_by", .title = tr("Files"), .tip = tr("Log files that contain it"), .hidden = true},
  };
}

std::vector<ShownColumn> nicColumns() {
  return {
      {.source = "host", .title = tr("Host")},
      {.source = "nic", .title = tr("NIC")},
      {.source = "device", .title = tr("Device"), .hide = Hide::AllEmpty},
      {.source = "network",
       .title = tr("Network"),
       .tip = tr("What NCCL's log calls the NIC's kind of network"),
       .hide = Hide::AllEmpty},
      {.source = "rate_gbit_s", .title = tr("Gbit/s"), .hide = Hide::AllEmpty},
      {.source = "links",
       .title = tr("Links"),
       .tip = tr("Links that end at it, over all communicators and channels")},
      {.source = "without_gdr",
       .title = tr("Without GDR"),
       .tip = tr("Links in which data goes through host memory"),
       .hide = Hide::AllEmpty},
  };
}

std::vector<ShownColumn> settingColumns() {
  return {
      {.source = "variable", .title = tr("Variable")},
      {.source = "value", .title = tr("Value"), .tip = tr("As the log has it")},
      {.source = "processes", .title = tr("Processes"), .tip = tr("Processes that logged this value")},
  };
}

std::vector<ShownColumn> problemColumns() {
  return {
      {.source = "severity", .title = tr("Severity"), .words = severityText},
      {.source = "title", .title = tr("Problem")},
      {.source = "evidence", .title = tr("Evidence"), .tip = tr("With the line of the log")},
      {.source = "fix", .title = tr("Fix")},
  };
}

std::vector<ShownColumn> warningColumns() {
  return {
      {.source = "cause",
       .title = tr("Cause"),
       .tip = tr("Known cause of the warning"),
       .hide = Hide::AllEmpty},
      {.source = "text", .title = tr("Text"), .tip = tr("Numbers and addresses are replaced by #")},
      {.source = "count", .title = tr("Lines")},
      {.source = "hosts",
       .title = tr("Hosts"),
       .tip = tr("Hosts that logged this warning"),
       .hide = Hide::AllEmpty},
      {.source = "first_file", .title = tr("First file"), .hide = Hide::AllSame, .elideStart = true},
      {.source = "first_line", .title = tr("First line")},
  };
}

std::vector<ShownColumn> fileColumns() {
  return {
      {.source = "file", .title = tr("File"), .elideStart = true},
      {.source = "lines", .title = tr("Lines"), .footer = Footer::Sum},
      {.source = "nccl_lines", .title = tr("NCCL lines"), .footer = Footer::Sum},
      {.source = "damaged_lines",
       .title = tr("Damaged"),
       .tip = tr("Lines that are cut, or that two processes wrote into"),
       .footer = Footer::Sum},
      {.source = "unused_lines",
       .title = tr("Not used"),
       .tip = tr("NCCL lines that Rankscope does not use"),
       .footer = Footer::Sum},
      {.source = "first_damaged_line",
       .title = tr("First damaged"),
       .tip = tr("Number of the first damaged line"),
       .hide = Hide::AllEmpty},
      {.source = "problem",
       .title = tr("Problem"),
       .tip = tr("Why the rest of the file could not be read, or what is wrong with its first damaged line"),
       .hide = Hide::AllEmpty},
  };
}

std::vector<ShownColumn> bucketColumns() {
  return {
      {.source = "group", .title = tr("Group"), .hide = Hide::AllSame},
      {.source = "cap_mb", .title = tr("bucket_cap_mb"), .tip = tr("Empty: the recorded buckets, replayed")},
      {.source = "buckets", .title = tr("Buckets"), .tip = tr("AllReduces of a backward pass")},
      {.source = "communication_us",
       .title = tr("Transfers"),
       .tip = tr("Sum of the transfers of a step, without waiting")},
      {.source = "exposed_us",
       .title = tr("After backward"),
       .tip = tr("From the end of the backward pass to the end of the last bucket, mean over ranks, with the "
                 "waiting for "
                 "late ranks. What is exposed within the backward pass is not in it")},
      {.source = "waiting_us",
       .title = tr("Of it waiting"),
       .tip = tr("For ranks that end their backward pass later: no cap changes it"),
       .hide = Hide::AllZero},
      {.source = "step_us", .title = tr("Step"), .tip = tr("Predicted; the median over steps")},
      {.source = "gain_us",
       .title = tr("Gain"),
       .tip =
           tr("How much shorter the step is than with the recorded buckets, both replayed; negative: longer"),
       .hide = Hide::AllEmpty},
  };
}

} // namespace rankscope::ui
