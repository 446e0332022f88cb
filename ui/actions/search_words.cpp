// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/actions/search_words.h"

#include <algorithm>
#include <array>

namespace rankscope::ui {
namespace {

struct WordsOfAction {
  const char* action;
  const char* words;
};

constexpr std::array kWordsOfActions = std::to_array<WordsOfAction>({
    {"openFolder", "load import directory"},
    {"openFiles", "load import json"},
    {"file.saveSession", "workspace layout state"},
    {"file.screenshot", "export png image picture"},
    {"file.exportTable", "excel spreadsheet save"},
    {"window.timeline", "trace view perfetto chrome tracing nsight"},
    {"window.overview", "summary dashboard home"},
    {"window.gains", "what-if simulate waterfall breakdown speedup"},
    {"window.distributed", "nccl rccl collectives communication allreduce"},
    {"window.parallelism", "ddp fsdp tensor pipeline expert bubble"},
    {"window.network", "nccl rccl topology bandwidth nic infiniband nvlink"},
    {"window.operators", "aten ops cpu modules layers"},
    {"window.stacks", "flame graph flamegraph icicle call tree python"},
    {"window.kernels", "cuda gpu triton gemm"},
    {"window.efficiency", "mfu roofline flops utilization tensor cores"},
    {"window.memory", "allocator leak oom snapshot"},
    {"window.compare", "diff difference baseline regression"},
    {"window.query", "sql"},
    {"window.files", "diagnostics warnings errors"},
    {"window.hang", "deadlock timeout stuck watchdog flight recorder"},
    {"window.findings", "issues problems recommendations insights sidebar"},
    {"window.bottomPanel", "details drawer"},
    {"window.palette", "commands omnibox"},
    {"window.keys", "hotkeys bindings help"},
    {"window.editor", "ide code"},
    {"help.guide", "documentation manual"},
    {"help.tour", "tutorial introduction getting started"},
    {"move.focus", "zoom slice frame"},
    {"move.fitAll", "zoom out reset view entire everything"},
    {"move.back", "undo zoom"},
    {"move.forward", "redo zoom"},
    {"move.goToTime", "jump seek timestamp"},
    {"select.range", "measure duration zoom"},
    {"select.all", "measure duration everything"},
    {"select.none", "clear selection"},
    {"select.linkBackward", "flow arrow correlation launch"},
    {"select.linkForward", "flow arrow correlation launch"},
    {"highlights.next", "bottleneck problem issue slowest"},
    {"highlights.previous", "bottleneck problem issue slowest"},
    {"highlights.idle", "hide show stall stalls bubble bubbles starvation"},
    {"highlights.exposed", "hide show nccl rccl overlap"},
    {"highlights.waits", "hide show nccl rccl stall stalls blocked"},
    {"highlights.stragglers", "hide show slow late"},
    {"highlights.links", "hide show flows arrows correlation"},
    {"highlights.figures", "hide show statistics"},
    {"highlights.allOn", "show reset"},
    {"path.show", "hide bottleneck dependencies"},
    {"regions.mark", "bookmark measure flag annotate"},
    {"regions.keep", "bookmark measure flag annotate comment"},
    {"regions.note", "bookmark flag annotate comment"},
    {"tracks.pin", "sticky favorite keep"},
    {"tracks.hide", "remove lane row thread"},
    {"tracks.hideRank", "remove process"},
    {"tracks.showHidden", "unhide restore"},
    {"tracks.foldRank", "fold unfold process"},
    {"tracks.foldAll", "fold unfold processes"},
    {"tracks.find", "search jump lane row thread stream"},
    {"tracks.filter", "search lane row thread stream"},
    {"tracks.taller", "row height bigger vertical zoom"},
    {"tracks.lower", "row height smaller vertical zoom"},
    {"tracks.usualHeight", "row reset vertical zoom"},
    {"search.focus", "find query"},
    {"tables.scope", "filter selection"},
});

} // namespace

QString searchWords(const QString& action) {
  const auto found = std::ranges::find_if(
      kWordsOfActions, [&](const WordsOfAction& entry) { return action == QLatin1String(entry.action); });
  return found == kWordsOfActions.end() ? QString() : QString::fromLatin1(found->words);
}

QStringList actionsWithSearchWords() {
  QStringList ids;
  for (const WordsOfAction& entry : kWordsOfActions) ids << QString::fromLatin1(entry.action);
  return ids;
}

} // namespace rankscope::ui
