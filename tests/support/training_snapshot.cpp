// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/training_snapshot.h"

#include "tests/support/pickle_writer.h"

#include <map>
#include <vector>

namespace rankscope::test {

namespace {

constexpr std::int64_t kSegment = std::int64_t{2} << 20; // segments are multiples of it
constexpr std::int64_t kFirstAddress = std::int64_t{1} << 40;

struct Frame {
  std::string file;
  std::string name;
  int line;
};
using Stack = std::vector<Frame>;

Stack forwardStack(int layer, int line) {
  return {{"/data/me/model.py", layer < 0 ? "loss" : "forward", line},
          {"/env/lib/python3.12/site-packages/torch/nn/modules/module.py", "_call_impl", 1784},
          {"/data/me/train.py", "train_step", 41}};
}
Stack backwardStack() {
  return {{"/env/lib/python3.12/site-packages/torch/autograd/graph.py", "_engine_run_backward", 829},
          {"/data/me/train.py", "train_step", 43}};
}
Stack optimizerStack() {
  return {{"/env/lib/python3.12/site-packages/torch/optim/adamw.py", "step", 232},
          {"/data/me/train.py", "train_step", 44}};
}

// An allocator with a segment for each block, which is used again for blocks of the same size.
class Recording {
 public:
  explicit Recording(const TrainingShape& shape) : m_time(shape.beginMicroseconds) {}

  struct Entry {
    const char* action;
    std::int64_t address, bytes, time;
    Stack stack;
  };
  struct Segment {
    std::int64_t bytes = 0;
    std::int64_t requested = 0; // 0: free
    Stack stack;
  };
  struct Annotation {
    std::string name;
    const char* stage;
    std::int64_t time;
  };

  std::int64_t alloc(std::int64_t bytes, const Stack& stack, bool recorded = true) {
    const std::int64_t whole = (bytes + kSegment - 1) / kSegment * kSegment;
    std::int64_t address = 0;
    for (const auto& [at, segment] : m_segments)
      if (address == 0 && segment.requested == 0 && segment.bytes == whole) address = at;
    if (address == 0) {
      address = m_next;
      m_next += whole + kSegment;
      if (recorded) add("segment_alloc", address, whole, stack);
    }
    m_segments[address] = {whole, bytes, stack};
    if (recorded) add("alloc", address, bytes, stack);
    return address;
  }

  void free(std::int64_t address) {
    Segment& segment = m_segments[address];
    add("free_requested", address, segment.requested, {});
    add("free_completed", address, segment.requested, {});
    segment.requested = 0;
  }

  void add(const char* action, std::int64_t address, std::int64_t bytes, const Stack& stack) {
    m_time += 180;
    m_entries.push_back({action, address, bytes, m_time, stack});
  }
  void annotate(const std::string& name, const char* stage) {
    m_annotations.push_back({name, stage, m_time + 1});
  }

  [[nodiscard]] std::string file() const;

 private:
  std::int64_t m_time;
  std::int64_t m_next = kFirstAddress;
  std::map<std::int64_t, Segment> m_segments; // by address
  std::vector<Entry> m_entries;
  std::vector<Annotation> m_annotations;
};

void writeStack(PickleWriter& to, const Stack& stack) {
  to.text("frames");
  to.listOf([&] {
    for (const Frame& frame : stack)
      to.dictOf([&] {
        to.key("filename", frame.file);
        to.key("name", frame.name);
        to.key("line", frame.line);
      });
  });
}

std::string Recording::file() const {
  PickleWriter to;
  to.dictOf([&] {
    to.text("segments");
    to.listOf([&] {
      for (const auto& placed : m_segments)
        to.dictOf([&] {
          const auto& address = placed.first;
          const auto& segment = placed.second;
          to.key("device", 0);
          to.key("address", address);
          to.key("total_size", segment.bytes);
          to.key("stream", 0);
          to.key("segment_type", "large");
          to.text("blocks");
          to.listOf([&] {
            to.dictOf([&] {
              to.key("address", address);
              to.key("size", segment.bytes);
              to.key("requested_size", segment.requested);
              to.key("state", segment.requested > 0 ? "active_allocated" : "inactive");
              writeStack(to, segment.stack);
            });
          });
        });
    });
    to.text("device_traces");
    to.listOf([&] {
      to.listOf([&] {
        for (const Entry& entry : m_entries)
          to.dictOf([&] {
            const bool failed = std::string_view(entry.action) == "oom";
            to.key("action", entry.action);
            to.key(failed ? "device_free" : "addr", entry.address);
            to.key("size", entry.bytes);
            to.key("stream", 0);
            to.key("time_us", entry.time);
            writeStack(to, entry.stack);
          });
      });
    });
    to.text("external_annotations");
    to.listOf([&] {
      for (const Annotation& annotation : m_annotations)
        to.dictOf([&] {
          to.key("stage", annotation.stage);
          to.key("name", annotation.name);
          to.key("device", 0);
          to.key("time_us", annotation.time);
        });
    });
  });
  return to.take();
}

// What one step leaves for the next.
struct Model {
  std::vector<std::int64_t> state;
};

void trainStep(Recording& to, const TrainingShape& shape, Model& model) {
  std::vector<std::int64_t> activations;
  to.annotate("forward", "START");
  for (int layer = 0; layer < shape.layers; ++layer) {
    const std::int64_t scratch = to.alloc(shape.activationBytes / 4, forwardStack(layer, 31));
    activations.push_back(to.alloc(shape.activationBytes / 3 * 2, forwardStack(layer, 33)));
    activations.push_back(to.alloc(shape.activationBytes / 3, forwardStack(layer, 36)));
    to.free(scratch);
  }
  to.annotate("forward", "END");
  to.annotate("backward", "START");
  std::vector<std::int64_t> gradients;
  for (int layer = 0; layer < shape.layers; ++layer) {
    const std::int64_t detail = to.alloc(shape.activationBytes / 3, backwardStack());
    gradients.push_back(to.alloc(shape.parameterBytes, backwardStack()));
    for (int i = 0; i < 2; ++i) {
      to.free(activations.back());
      activations.pop_back();
    }
    to.free(detail);
  }
  to.annotate("backward", "END");
  to.annotate("Optimizer.step#AdamW.step", "START");
  for (int layer = 0; layer < shape.layers; ++layer) {
    const std::int64_t scratch = to.alloc(shape.parameterBytes / 8, optimizerStack());
    if (model.state.size() < 2 * static_cast<std::size_t>(shape.layers)) {
      for (int i = 0; i < 2; ++i) model.state.push_back(to.alloc(shape.parameterBytes, optimizerStack()));
    }
    to.free(scratch);
  }
  to.annotate("Optimizer.step#AdamW.step", "END");
  for (const std::int64_t gradient : gradients) to.free(gradient);
}

} // namespace

std::string trainingSnapshot(const TrainingShape& shape) {
  Recording recording(shape);
  for (int layer = 0; layer < shape.layers; ++layer)
    static_cast<void>(recording.alloc(shape.parameterBytes, {}, false));
  Model model;
  for (int step = 0; step < shape.steps; ++step) {
    const std::string name = "ProfilerStep#" + std::to_string(step);
    recording.annotate(name, "START");
    trainStep(recording, shape, model);
    recording.annotate(name, "END");
  }
  if (shape.outOfMemory)
    recording.add("oom", std::int64_t{200} << 20, 40 * shape.activationBytes, forwardStack(-1, 58));
  return recording.file();
}

} // namespace rankscope::test
