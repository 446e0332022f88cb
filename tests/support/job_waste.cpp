// SPDX-License-Identifier: GPL-3.0-or-later
//
// Work that a step need not do, for the rules of findings that look for it; without it the same job is the
// truth of what it costs.
#include "tests/support/job_simulation.h"

#include <algorithm>

namespace rankscope::test {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;

} // namespace

bool RankSimulation::wastes(Waste waste) const {
  return std::ranges::find(m_plan.options.waste, waste) != m_plan.options.waste.end();
}

void RankSimulation::launchIn(std::string_view op, KernelId kernel) {
  const std::uint32_t opened = open(EventKind::CpuOp, op, Row::Main);
  m_now += ns(3'000);
  launch(kernel, Row::Main, m_external, 0);
  close(opened);
}

void RankSimulation::launchForward(KernelId kernel) {
  if (wastes(Waste::Attention) && kernel == KernelId::FlashForward) {
    launchIn("aten::bmm", KernelId::ScoresGemm);
    launchIn("aten::softmax", KernelId::Softmax);
    launchIn("aten::bmm", KernelId::ScoresGemm);
    return;
  }
  const bool isProduct = kernel == KernelId::GemmForward || kernel == KernelId::GemmCutlass;
  const KernelId run = isProduct && wastes(Waste::Simt) ? KernelId::Sgemm : kernel;
  launch(run, Row::Main, m_external, slowdown(kernel));
}

void RankSimulation::wasteInLayer() {
  if (wastes(Waste::Layout)) {
    launchIn("aten::cudnn_convolution", KernelId::NchwToNhwc);
    launchIn("aten::cudnn_convolution", KernelId::NchwToNhwc);
  }
  if (wastes(Waste::Unfused)) {
    for (int i = 0; i < 24; ++i) launchIn("aten::mul", KernelId::Multiply);
  }
}

void RankSimulation::whileDrained(std::string_view op, std::string_view call, int calls,
                                  std::int64_t duration) {
  const std::uint32_t opened = open(EventKind::CpuOp, op, Row::Main);
  m_now = std::max(m_now, m_free[static_cast<std::size_t>(Row::Compute)]) + ns(3'000);
  for (int i = 0; i < calls; ++i) runtime(call, 22, m_plan.quantize(duration / calls), Row::Main, false);
  if (calls == 0) m_now += m_plan.quantize(duration);
  close(opened);
}

void RankSimulation::wasteInForward() {
  if (wastes(Waste::Barrier)) whileDrained("c10d::barrier", {}, 0, kMillisecond);
  if (wastes(Waste::EmptyCache)) {
    whileDrained("aten::empty", "cudaFree", 16, kMillisecond / 2);
    whileDrained("aten::empty", "cudaMalloc", 4, kMillisecond / 2);
  }
  if (wastes(Waste::Pinning)) whileDrained("aten::pin_memory", "cudaHostAlloc", 1, kMillisecond);
}

void RankSimulation::wasteOnInput() {
  if (!wastes(Waste::Random)) return;
  const std::uint32_t made = open(EventKind::CpuOp, "aten::randn", Row::Main);
  m_now += m_plan.quantize(kMillisecond);
  close(made);
  const std::uint32_t copied = open(EventKind::CpuOp, "aten::to", Row::Main);
  m_now += ns(3'000);
  const std::uint32_t correlation = runtime("cudaMemcpyAsync", 41, ns(7'000), Row::Main, true);
  const std::int64_t begin = std::max(m_now + ns(1'500), m_free[static_cast<std::size_t>(Row::Compute)]);
  device(EventKind::Copy, "Memcpy HtoD (Pageable -> Device)", Row::Compute, {begin, begin + ns(20'000)},
         m_external, correlation, 100'000);
  close(copied);
}

void RankSimulation::wasteOnZeros() {
  if (!wastes(Waste::ZeroGrad)) return;
  for (int i = 0; i < 20 * m_plan.options.layers; ++i) launchIn("aten::zero_", KernelId::Fill);
}

void RankSimulation::wasteBeforeOptimizer() {
  if (!wastes(Waste::ClipNorm)) return;
  launchIn("aten::_foreach_norm", KernelId::Fill);
  item(kMillisecond);
}

// What was broadcast goes back into the buffers, one by one.
void RankSimulation::wasteOnBuffers() {
  if (!m_plan.streams.buffers) return;
  const std::uint32_t opened = open(EventKind::CpuOp, "aten::unflatten_dense_tensors", Row::Main);
  m_now += ns(40'000);
  close(opened);
  for (int i = 0; i < 4 * m_plan.options.layers; ++i) {
    m_now += ns(80'000);
    launchIn("aten::copy_", KernelId::Tiny);
  }
}

// As all_gather_object does: the object is pickled, its size and then its bytes are gathered, and the host
// reads each before it goes on.
void RankSimulation::beginObjects() {
  if (!m_plan.streams.objects) return;
  endBackward();
  openPython("torch/distributed/distributed_c10d.py(2890): all_gather_object");
  openPython("torch/distributed/distributed_c10d.py(2640): _object_to_tensor");
  m_now += ns(120'000);
  closePython();
}

void RankSimulation::sendObjects() {
  if (m_plan.streams.objects) item(0);
}

void RankSimulation::endObjects() {
  if (!m_plan.streams.objects) return;
  item(0);
  openPython("torch/distributed/distributed_c10d.py(2660): _tensor_to_object");
  m_now += m_plan.quantize(kMillisecond);
  closePython();
  closePython();
}

void RankSimulation::stepParameters() {
  if (wastes(Waste::Optimizer)) {
    for (int i = 0; i < 20 * m_plan.options.layers; ++i) {
      launchIn("aten::mul_", KernelId::Fill);
      launchIn("aten::addcmul_", KernelId::AdamPart);
      launchIn("aten::addcdiv_", KernelId::AdamPart);
    }
    return;
  }
  const int chunks = std::max(1, m_plan.options.layers / 2);
  const std::uint32_t op = open(EventKind::CpuOp, "aten::_fused_adamw_", Row::Main);
  for (int i = 0; i < chunks; ++i) {
    m_now += ns(5'000);
    launch(KernelId::FusedAdam, Row::Main, m_external, 0);
  }
  close(op);
}

} // namespace rankscope::test
