// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/folded/folded_reader.h"

#include "core/io/folded/folded_stacks.h"

#include <algorithm>
#include <string>
#include <utility>

namespace rankscope {

namespace {

constexpr std::size_t kLookedAt = std::size_t{1} << 14; // of a file's first bytes
constexpr std::size_t kInflatedAtOnce = std::size_t{1} << 20;
constexpr TimeNs kFirstBegin = 1'000; // an event at time 0 would count as not recorded

// Up to `length` bytes of the text.
std::string textOf(const FileBytes& file, std::size_t length) {
  if (!file.compressed())
    return std::string(file.bytes().data(), std::min<std::size_t>(length, file.bytes().size()));
  Inflater inflater({file.bytes().data(), file.bytes().size()});
  std::string text;
  while (text.size() < length) {
    const std::size_t known = text.size();
    text.resize(std::min(length, known + kInflatedAtOnce));
    const std::size_t wanted = text.size() - known;
    const std::size_t read = inflater.read({text.data() + known, wanted});
    text.resize(known + read);
    if (read < wanted) break;
  }
  return text;
}

// Whether all whole lines are stacks, and one at least has two frames.
bool areStacks(std::string_view text, bool whole) {
  bool deep = false;
  bool any = false;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos && !whole) break;
    const std::string_view line = text.substr(0, std::min(end, text.size()));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    const auto folded = foldedLine(line);
    if (!folded || line.front() == '{' || line.front() == '[' || line.find('\0') != std::string_view::npos)
      return false;
    any = true;
    deep = deep || folded->frames.find(';') != std::string_view::npos;
  }
  return any && deep;
}

bool isPython(std::string_view frame) {
  return frame.starts_with("nn.Module: ") || frame.find(".py(") != std::string_view::npos ||
         frame.starts_with("<built-in");
}

class FoldedDetails final : public DetailSource {
 public:
  [[nodiscard]] Result<std::vector<EventField>> fields(SourceRef /*event*/) const override {
    return std::vector<EventField>();
  }
  [[nodiscard]] std::optional<Error>
  arguments(std::span<const SourceRef> /*events*/, EventArgument /*wanted*/,
            const std::function<void(std::size_t, std::string_view)>& /*take*/,
            const Progress* /*progress*/) const override {
    return std::nullopt;
  }
};

std::string placeText(SourceRef at) {
  return "stack " + std::to_string(at.readerBits());
}

// Frames one after another, each within the one that called it.
FileEvents eventsOf(const FoldedTree& tree) {
  FileEvents file;
  auto tables = std::make_unique<ReaderTables>();
  tables->tracks.push_back({"stacks", "stacks", TrackKind::Python, -1});
  tables->tracks.push_back({"stacks", "stacks", TrackKind::Thread, -1});
  SliceEvents slice;
  slice.objects = tree.lines;
  std::vector<TimeNs> next(tree.nodes.size(), kFirstBegin); // where the next frame below a node begins
  for (std::uint32_t i = 1; i < tree.nodes.size(); ++i) {
    const FoldedNode& node = tree.nodes[i];
    const TimeNs begin = next[node.parent];
    next[node.parent] += node.total;
    next[i] = begin;
    if (node.total == 0) continue;
    RawEvent event{};
    event.begin = begin;
    event.duration = node.total;
    event.setSource(SourceRef(i));
    event.kind = static_cast<std::uint8_t>(isPython(node.frame) ? EventKind::Python : EventKind::CpuOp);
    const NameId name = tables->names.intern(node.frame);
    if (name.value >= tables->nameFirstAt.size()) tables->nameFirstAt.resize(name.value + 1, SourceRef(i));
    event.name = name.value;
    event.track = isPython(node.frame) ? 0 : 1;
    slice.events.push_back(event);
  }
  file.tables.push_back(std::move(tables));
  file.slices.push_back(std::move(slice));
  file.origin.recordedBy = "folded stacks";
  file.placeText = placeText;
  return file;
}

} // namespace

std::span<const std::string_view> FoldedReader::nameEndings() const {
  return {}; // what was exported beside the traces of a job is no part of it
}

FormatMatch FoldedReader::match(const FileBytes& file) const {
  const std::string text = textOf(file, kLookedAt);
  return areStacks(text, text.size() < kLookedAt) ? FormatMatch::Yes : FormatMatch::No;
}

Result<FileReading> FoldedReader::read(const FileBytes& file, ReadContext& context) const {
  const std::string text = textOf(file, std::string().max_size() / 2);
  context.progress.bytesDone += file.bytes().size();
  const FoldedTree tree = foldedTree(text);
  if (tree.nodes.front().total == 0)
    return Error{ErrorKind::NotATrace, "folded stacks without weights", file.path(), std::nullopt};
  FileReading reading;
  reading.textBytes = text.size();
  reading.recordings.push_back(eventsOf(tree));
  Diagnostics& diagnostics = reading.recordings.front().diagnostics;
  diagnostics.add(DiagnosticKind::Suspicious, SourceRef(),
                  "folded stacks: frames are as long as they weigh, in the order of the file; no times were "
                  "recorded");
  for (std::uint64_t i = 0; i < tree.skipped; ++i)
    diagnostics.add(DiagnosticKind::Skipped, SourceRef(), "a line that is no stack");
  if (const auto change = file.change()) diagnostics.add(change->kind, SourceRef(), change->text);
  return reading;
}

std::shared_ptr<const DetailSource> FoldedReader::details(const std::string& /*path*/, std::size_t) const {
  return std::make_shared<const FoldedDetails>();
}

FileSample FoldedReader::sample(const FileBytes& file, const LoadFilter& /*filter*/) const {
  FileSample sample;
  sample.textBytes = static_cast<double>(file.bytes().size()) * (file.compressed() ? 8 : 1);
  sample.entries = sample.events = sample.textBytes / 30; // a frame each
  return sample;
}

std::optional<LoadFilter::Steps> FoldedReader::stepNumbers(const FileBytes& /*file*/,
                                                           const std::atomic<bool>& /*cancel*/) const {
  return std::nullopt;
}

} // namespace rankscope
