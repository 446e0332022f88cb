// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/hardware/device_peaks.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string>

namespace rankscope {

namespace {

using enum DeviceGeneration;

struct Known {
  std::string_view key; // a word of the name in lower case
  DevicePeaks peaks;
  double memoryFrom = 0; // minimum memory of the device, 10^9 bytes
};

// Rates from data sheets, without sparsity. A key may occur several times, with increasing memory.
constexpr std::array kKnown{
    Known{"v100", {"V100", Volta, 125, 0, 0, 15.7, 0, 900}},
    Known{"v100-pcie", {"V100 PCIe", Volta, 112, 0, 0, 14, 0, 900}},
    Known{"v100s", {"V100S", Volta, 130, 0, 0, 16.4, 0, 1134}},
    Known{"t4", {"T4", Turing, 65, 0, 0, 8.1, 130, 320}},
    Known{"rtx 2080 ti", {"RTX 2080 Ti", Turing, 53.8, 0, 0, 13.4, 215, 616}},
    Known{"a10", {"A10", Ampere, 125, 62.5, 0, 31.2, 250, 600}},
    Known{"a10g", {"A10G", Ampere, 70, 35, 0, 31.5, 140, 600}},
    Known{"a30", {"A30", Ampere, 165, 82, 0, 10.3, 330, 933}},
    Known{"a40", {"A40", Ampere, 150, 75, 0, 37.4, 299, 696}},
    Known{"a100", {"A100 40GB", Ampere, 312, 156, 0, 19.5, 624, 1555}},
    Known{"a100", {"A100 80GB", Ampere, 312, 156, 0, 19.5, 624, 2039}, 60},
    Known{"a100 80gb pcie", {"A100 80GB PCIe", Ampere, 312, 156, 0, 19.5, 624, 1935}},
    Known{"a800", {"A800 40GB", Ampere, 312, 156, 0, 19.5, 624, 1555}},
    Known{"a800", {"A800 80GB", Ampere, 312, 156, 0, 19.5, 624, 2039}, 60},
    Known{"a800 80gb pcie", {"A800 80GB PCIe", Ampere, 312, 156, 0, 19.5, 624, 1935}},
    Known{"rtx a6000", {"RTX A6000", Ampere, 155, 77, 0, 38.7, 310, 768}},
    Known{"rtx 3090", {"RTX 3090", Ampere, 71, 35.6, 0, 35.6, 284, 936}},
    Known{"l4", {"L4", Ada, 121, 60, 242, 30.3, 242, 300}},
    Known{"l40", {"L40", Ada, 181, 90.5, 362, 90.5, 362, 864}},
    Known{"l40s", {"L40S", Ada, 362, 183, 733, 91.6, 733, 864}},
    Known{"rtx 4090", {"RTX 4090", Ada, 165, 82.6, 330, 82.6, 661, 1008}},
    Known{"h100", {"H100", Hopper, 989, 495, 1979, 66.9, 1979, 3352}},
    Known{"h800", {"H800", Hopper, 989, 495, 1979, 66.9, 1979, 3352}},
    Known{"h100 pcie", {"H100 PCIe", Hopper, 756, 378, 1513, 51.2, 1513, 2039}},
    Known{"h100 nvl", {"H100 NVL", Hopper, 835, 418, 1671, 60, 1671, 3938}},
    Known{"h200", {"H200", Hopper, 989, 495, 1979, 66.9, 1979, 4800}},
    Known{"gh200", {"GH200 96GB", Hopper, 989, 495, 1979, 66.9, 1979, 4000}},
    Known{"gh200", {"GH200 144GB", Hopper, 989, 495, 1979, 66.9, 1979, 4900}, 120},
    Known{"h20", {"H20", Hopper, 148, 74, 296, 44, 296, 4000}},
    Known{"b200", {"B200", Blackwell, 2250, 1125, 4500, 75, 4500, 8000, 9000}},
    Known{"gb200", {"GB200", Blackwell, 2500, 1250, 5000, 80, 5000, 8000, 10000}},
    Known{"b300", {"B300", Blackwell, 2250, 1125, 4500, 75, 150, 8000, 13500}},
    Known{"rtx 5090", {"RTX 5090", Blackwell, 210, 105, 419, 105, 838, 1792, 1676}},
    Known{"mi210", {"MI210", Cdna2, 181, 0, 0, 22.6, 181, 1638}},
    Known{"mi250", {"MI250, one die", Cdna2, 181, 0, 0, 22.6, 181, 1638}},
    Known{"mi250x", {"MI250X, one die", Cdna2, 191.5, 0, 0, 23.9, 191.5, 1638}},
    Known{"mi300a", {"MI300A", Cdna3, 981, 490, 1961, 122.6, 1961, 5300}},
    Known{"mi300x", {"MI300X", Cdna3, 1307, 654, 2615, 163.4, 2615, 5300}},
    Known{"mi308x", {"MI308X", Cdna3, 188, 0, 377, 0, 377, 5300}},
    Known{"mi325x", {"MI325X", Cdna3, 1307, 654, 2615, 163.4, 2615, 6000}},
    Known{"mi350x", {"MI350X", Cdna4, 2310, 0, 4614, 144, 4614, 8000, 9228}},
    Known{"mi355x", {"MI355X", Cdna4, 2517, 0, 5033, 157, 5033, 8000, 10066}},
    Known{"gaudi2", {"Gaudi 2", Gaudi, 432, 0, 865, 0, 0, 2450}},
    Known{"hl-225", {"Gaudi 2", Gaudi, 432, 0, 865, 0, 0, 2450}},
    Known{"gaudi3", {"Gaudi 3", Gaudi, 1835, 0, 1835, 0, 0, 3700}},
    Known{"hl-325", {"Gaudi 3", Gaudi, 1835, 0, 1835, 0, 0, 3700}},
    Known{"mtia v2i", {"MTIA v2i", Mtia, 177, 0, 0, 5.5, 354, 205}},
};

// Devices with uninformative names: compute capability, multiprocessors, memory in 10^9 bytes.
struct Fingerprint {
  int major;
  int multiprocessors;
  double memory;
  std::string_view key;
};
constexpr std::array kFingerprints{
    Fingerprint{9, 304, 206, "mi300x"},    Fingerprint{9, 104, 68.7, "mi250"},
    Fingerprint{9, 110, 68.7, "mi250x"},   Fingerprint{7, 80, 16.9, "v100"},
    Fingerprint{7, 80, 34.1, "v100"},      Fingerprint{8, 108, 42.3, "a100"},
    Fingerprint{8, 108, 85.0, "a100"},     Fingerprint{9, 132, 85.0, "h100"},
    Fingerprint{9, 132, 99.9, "h100 nvl"}, Fingerprint{9, 114, 85.0, "h100 pcie"},
    Fingerprint{9, 132, 150, "h200"},      Fingerprint{9, 78, 102, "h20"},
    Fingerprint{10, 148, 191, "b200"},
};

double gigabytes(const DeviceProperties& device) {
  return static_cast<double>(device.totalMemoryBytes) / 1e9;
}

bool isWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

bool hasWord(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !isWordCharacter(text[at - 1])) && (end == text.size() || !isWordCharacter(text[end])))
      return true;
  }
  return false;
}

std::string lowerCase(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

// The longest key in the name; among equal ones, that with the most memory that fits the device.
const Known* knownBy(std::string_view name, double memory) {
  const Known* found = nullptr;
  for (const Known& known : kKnown) {
    if (memory < known.memoryFrom || !hasWord(name, known.key)) continue;
    if (found == nullptr || known.key.size() >= found->key.size()) found = &known;
  }
  return found;
}

const Known* knownDevice(const DeviceProperties& device) {
  if (const Known* const byName = knownBy(lowerCase(device.name), gigabytes(device))) return byName;
  for (const Fingerprint& print : kFingerprints) {
    if (print.major == device.computeMajor && print.multiprocessors == device.multiprocessors &&
        std::abs(gigabytes(device) / print.memory - 1) <= 0.03)
      return knownBy(print.key, gigabytes(device));
  }
  return nullptr;
}

// AMD uses its own numbers 9.x: gfx90a is 9.0, gfx942 is 9.4.
DeviceGeneration amdGeneration(const DeviceProperties& device) {
  if (device.computeMajor != 9) return Unknown;
  if (device.computeMinor == 4) return Cdna3;
  if (device.computeMinor == 5) return Cdna4;
  if (device.multiprocessors == 104 || device.multiprocessors == 110) return Cdna2;
  return device.multiprocessors == 120 ? Cdna1 : Unknown;
}

DeviceGeneration nvidiaGeneration(int major, int minor) {
  switch (major) {
  case 6:
    return Pascal;
  case 7:
    return minor >= 5 ? Turing : Volta;
  case 8:
    return minor == 9 ? Ada : Ampere;
  case 9:
    return Hopper;
  case 10:
  case 11:
  case 12:
    return Blackwell;
  default:
    return Unknown;
  }
}

} // namespace

std::string_view generationText(DeviceGeneration generation) {
  static constexpr std::array<std::string_view, 15> kTexts{
      "",          "Pascal", "Volta",  "Turing", "Ampere", "Ada",   "Hopper",
      "Blackwell", "CDNA 1", "CDNA 2", "CDNA 3", "CDNA 4", "Gaudi", "Data Center GPU Max",
      "MTIA"};
  return kTexts[static_cast<std::size_t>(generation)];
}

DeviceGeneration generationOf(const DeviceProperties& device) {
  if (const Known* const known = knownDevice(device)) return known->peaks.generation;
  const std::string name = lowerCase(device.name);
  if (hasWord(name, "amd") || hasWord(name, "radeon") || hasWord(name, "instinct"))
    return amdGeneration(device);
  if (name.find("data center gpu max") != std::string::npos) return XeHpc;
  if (device.computeMajor == 9 && device.computeMinor > 0) return amdGeneration(device);
  return nvidiaGeneration(device.computeMajor, device.computeMinor);
}

bool hasMatrixUnits(DeviceGeneration generation) {
  return generation != Unknown && generation != Pascal;
}

bool multipliesBfloat16(DeviceGeneration generation) {
  return hasMatrixUnits(generation) && generation != Volta && generation != Turing;
}

bool multipliesTf32(DeviceGeneration generation) {
  return generation == Ampere || generation == Ada || generation == Hopper || generation == Blackwell ||
         generation == Cdna3;
}

bool isAmd(DeviceGeneration generation) {
  return generation == Cdna1 || generation == Cdna2 || generation == Cdna3 || generation == Cdna4;
}

std::optional<DevicePeaks> devicePeaks(const DeviceProperties& device) {
  const Known* const known = knownDevice(device);
  if (known == nullptr) return std::nullopt;
  return known->peaks;
}

const DeviceProperties* propertiesOf(const RankTrace& trace, int device) {
  const std::vector<DeviceProperties>& devices = trace.metadata.devices;
  const auto found = std::ranges::find(devices, device, &DeviceProperties::id);
  if (found != devices.end()) return &*found;
  return devices.size() == 1 && devices.front().id < 0 ? &devices.front() : nullptr;
}

} // namespace rankscope
