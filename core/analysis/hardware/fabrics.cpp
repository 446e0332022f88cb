// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/hardware/fabrics.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace rankscope {

namespace {

constexpr std::array kFabrics{
    Fabric{"nvlink1", "NVLink 1 (P100)", false, 80, 0.8, 0},
    Fabric{"nvlink2", "NVLink 2 (V100)", false, 150, 0.83, 0},
    Fabric{"nvlink3", "NVLink 3 (A100)", false, 300, 0.78, 0},
    Fabric{"nvlink3-h800", "NVLink of H800", false, 200, 0.82, 1.06},
    Fabric{"nvlink4", "NVLink 4 (H100, H200)", false, 450, 0.82, 1.06},
    Fabric{"nvlink5", "NVLink 5 (B200)", false, 900, 0.92, 0.92},
    Fabric{"xgmi", "xGMI (MI300)", false, 448, 0.7, 0},
    Fabric{"pcie3", "PCIe 3 x16", false, 15.75, 0.75, 0},
    Fabric{"pcie4", "PCIe 4 x16", false, 31.5, 0.75, 0},
    Fabric{"pcie5", "PCIe 5 x16", false, 63, 0.75, 0},
    Fabric{"pcie6", "PCIe 6 x16", false, 121, 0.75, 0},
    Fabric{"ib-edr", "InfiniBand EDR, 100 Gbit/s", true, 12.5, 0.92, 0},
    Fabric{"ib-hdr", "InfiniBand HDR, 200 Gbit/s", true, 25, 0.92, 0},
    Fabric{"ib-ndr", "InfiniBand NDR, 400 Gbit/s", true, 50, 0.92, 0},
    Fabric{"ib-xdr", "InfiniBand XDR, 800 Gbit/s", true, 100, 0.92, 0},
    Fabric{"roce-100", "RoCE, 100 Gbit/s", true, 12.5, 0.88, 0},
    Fabric{"roce-200", "RoCE, 200 Gbit/s", true, 25, 0.88, 0},
    Fabric{"roce-400", "RoCE, 400 Gbit/s", true, 50, 0.88, 0},
    Fabric{"slingshot11", "Slingshot 11, 200 Gbit/s", true, 25, 0.92, 0},
    Fabric{"efa-100", "EFA, 100 Gbit/s (p3dn)", true, 12.5, 0.65, 0},
    Fabric{"efa-400", "EFA, 400 Gbit/s (p4d)", true, 50, 0.75, 0},
    Fabric{"efa-3200", "EFA, 3200 Gbit/s (p5)", true, 400, 0.85, 0},
    Fabric{"tcpx", "GPUDirect-TCPX, 200 Gbit/s", true, 25, 0.9, 0},
    Fabric{"ethernet-10", "Ethernet sockets, 10 Gbit/s", true, 1.25, 0.88, 0},
    Fabric{"ethernet-25", "Ethernet sockets, 25 Gbit/s", true, 3.125, 0.9, 0},
    Fabric{"ethernet-100", "Ethernet sockets, 100 Gbit/s", true, 12.5, 0.4, 0},
};

constexpr std::int64_t kMaxPorts = 64;

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

} // namespace

std::span<const Fabric> fabrics() {
  return kFabrics;
}

const Fabric* fabricNamed(std::string_view name) {
  const auto found = std::ranges::find(kFabrics, name, &Fabric::name);
  return found == kFabrics.end() ? nullptr : &*found;
}

const Fabric* fabricOfGpu(std::string_view gpu) {
  const bool pcie = has(gpu, "PCIe") || has(gpu, "PCIE") || has(gpu, "NVL ") || gpu.ends_with(" NVL");
  struct Model {
    std::string_view part, linked, alone;
  };
  static constexpr Model kModels[] = {{"GB200", "nvlink5", ""},
                                      {"GB300", "nvlink5", ""},
                                      {"B200", "nvlink5", ""},
                                      {"B300", "nvlink5", ""},
                                      {"H800", "nvlink3-h800", "pcie5"},
                                      {"H100", "nvlink4", "pcie5"},
                                      {"H200", "nvlink4", "pcie5"},
                                      {"H20", "nvlink4", "pcie5"},
                                      {"GH200", "nvlink4", ""},
                                      {"A100", "nvlink3", "pcie4"},
                                      {"A800", "nvlink3", "pcie4"},
                                      {"V100", "nvlink2", "pcie3"},
                                      {"P100-SXM", "nvlink1", ""},
                                      {"MI300", "xgmi", ""},
                                      {"MI325", "xgmi", ""},
                                      {"MI308", "xgmi", ""},
                                      {"RTX 5090", "pcie5", "pcie5"},
                                      {"RTX 4090", "pcie4", "pcie4"},
                                      {"L40", "pcie4", "pcie4"},
                                      {"L4", "pcie4", "pcie4"},
                                      {"A10", "pcie4", "pcie4"},
                                      {"Tesla T4", "pcie3", "pcie3"}};
  for (const Model& model : kModels)
    if (has(gpu, model.part)) return fabricNamed(pcie && !model.alone.empty() ? model.alone : model.linked);
  return nullptr;
}

const Fabric* fabricOfNetwork(std::string_view network, double gbitS) {
  const auto rated = [&](std::initializer_list<std::pair<double, std::string_view>> rates) -> const Fabric* {
    for (const auto& [rate, name] : rates)
      if (gbitS > 0.75 * rate && gbitS < 1.25 * rate) return fabricNamed(name);
    return nullptr;
  };
  if (has(network, "IB")) return rated({{100, "ib-edr"}, {200, "ib-hdr"}, {400, "ib-ndr"}, {800, "ib-xdr"}});
  if (has(network, "RoCE")) return rated({{100, "roce-100"}, {200, "roce-200"}, {400, "roce-400"}});
  if (has(network, "Socket")) return rated({{10, "ethernet-10"}, {25, "ethernet-25"}, {100, "ethernet-100"}});
  if (has(network, "FasTrak") || has(network, "TCPX")) return fabricNamed("tcpx");
  return nullptr;
}

std::optional<FabricChoice> fabricChoice(std::string_view text) {
  FabricChoice choice;
  const std::size_t colon = text.find(':');
  choice.fabric = fabricNamed(text.substr(0, std::min(colon, text.size())));
  if (choice.fabric == nullptr) return std::nullopt;
  if (colon == std::string_view::npos) return choice;
  const std::string_view number = text.substr(colon + 1);
  std::int64_t ports = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), ports);
  if (error != std::errc() || end != number.data() + number.size() || ports < 1 || ports > kMaxPorts)
    return std::nullopt;
  choice.ports = ports;
  return choice;
}

} // namespace rankscope
