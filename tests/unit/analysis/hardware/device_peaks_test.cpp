// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/hardware/device_peaks.h"

#include <gtest/gtest.h>

namespace rankscope {

namespace {

DeviceProperties device(std::string name, double gigabytes, int major, int minor, int multiprocessors) {
  return {0, std::move(name), static_cast<std::uint64_t>(gigabytes * 1e9), major, minor, multiprocessors};
}

std::string_view nameOf(const DeviceProperties& properties) {
  const std::optional<DevicePeaks> peaks = devicePeaks(properties);
  return peaks ? peaks->name : std::string_view();
}

} // namespace

TEST(DevicePeaks, areFoundByTheNamesOfRecordings) {
  EXPECT_EQ(nameOf(device("Tesla V100-SXM2-32GB", 34.1, 7, 0, 80)), "V100");
  EXPECT_EQ(nameOf(device("Tesla V100-DGXS-32GB", 34.1, 7, 0, 80)), "V100");
  EXPECT_EQ(nameOf(device("Tesla V100-PCIE-16GB", 16.9, 7, 0, 80)), "V100 PCIe");
  EXPECT_EQ(nameOf(device("Tesla T4", 15.8, 7, 5, 40)), "T4");
  EXPECT_EQ(nameOf(device("NVIDIA GeForce RTX 2080 Ti", 11.5, 7, 5, 68)), "RTX 2080 Ti");
  EXPECT_EQ(nameOf(device("NVIDIA A100-PG509-200", 42.3, 8, 0, 108)), "A100 40GB");
  EXPECT_EQ(nameOf(device("NVIDIA A100-SXM4-80GB", 85.0, 8, 0, 108)), "A100 80GB");
  EXPECT_EQ(nameOf(device("NVIDIA A100 80GB PCIe", 85.0, 8, 0, 108)), "A100 80GB PCIe");
  EXPECT_EQ(nameOf(device("NVIDIA A10G", 24, 8, 6, 80)), "A10G");
  EXPECT_EQ(nameOf(device("NVIDIA H100 80GB HBM3", 85.0, 9, 0, 132)), "H100");
  EXPECT_EQ(nameOf(device("NVIDIA H100 NVL", 99.9, 9, 0, 132)), "H100 NVL");
  EXPECT_EQ(nameOf(device("NVIDIA GH200 480GB", 101, 9, 0, 132)), "GH200 96GB");
  EXPECT_EQ(nameOf(device("NVIDIA H20", 102, 9, 0, 78)), "H20");
  EXPECT_EQ(nameOf(device("NVIDIA B200", 191, 10, 0, 148)), "B200");
  EXPECT_EQ(nameOf(device("AMD Instinct MI300X VF", 205.6, 9, 4, 304)), "MI300X");
}

TEST(DevicePeaks, areFoundByFingerprintWhereTheNameSaysNothing) {
  EXPECT_EQ(nameOf(device("", 206.1, 9, 4, 304)), "MI300X");
  EXPECT_EQ(nameOf(device("AMD Radeon Graphics", 68.7, 9, 0, 104)), "MI250, one die");
  EXPECT_EQ(nameOf(device("", 85.0, 8, 0, 108)), "A100 80GB");
  EXPECT_EQ(nameOf(device("", 85.0, 8, 0, 107)), "");
  EXPECT_EQ(nameOf(device("Quadro K2000", 2.1, 3, 0, 2)), "");
}

TEST(DevicePeaks, holdTheRatesOfDataSheets) {
  const auto h100 = devicePeaks(device("NVIDIA H100 80GB HBM3", 85.0, 9, 0, 132));
  ASSERT_TRUE(h100);
  EXPECT_EQ(h100->matrix16, 989);
  EXPECT_EQ(h100->tf32, 495);
  EXPECT_EQ(h100->memory, 3352);
  const auto v100 = devicePeaks(device("Tesla V100-SXM2-16GB", 16.9, 7, 0, 80));
  ASSERT_TRUE(v100);
  EXPECT_EQ(v100->tf32, 0);
  EXPECT_EQ(v100->fp32, 15.7);
  EXPECT_EQ(v100->fp4, 0);
  const auto b200 = devicePeaks(device("NVIDIA B200", 191, 10, 0, 148));
  ASSERT_TRUE(b200);
  EXPECT_EQ(b200->fp4, 2 * b200->fp8);
}

TEST(DeviceGeneration, saysWhatMatrixUnitsTake) {
  const DeviceGeneration pascal = generationOf(device("Tesla P100-PCIE-16GB", 17, 6, 0, 56));
  EXPECT_FALSE(hasMatrixUnits(pascal));
  const DeviceGeneration volta = generationOf(device("Tesla V100-SXM2-16GB", 17, 7, 0, 80));
  EXPECT_TRUE(hasMatrixUnits(volta));
  EXPECT_FALSE(multipliesTf32(volta));
  EXPECT_FALSE(multipliesBfloat16(volta));
  EXPECT_EQ(generationOf(device("NVIDIA RTX 6000 Ada Generation", 51, 8, 9, 142)), DeviceGeneration::Ada);
  EXPECT_EQ(generationOf(device("NVIDIA something new", 300, 12, 0, 160)), DeviceGeneration::Blackwell);
  EXPECT_TRUE(multipliesTf32(DeviceGeneration::Ampere));
}

TEST(DeviceGeneration, tellsHopperFromAmd) {
  EXPECT_EQ(generationOf(device("", 85.0, 9, 0, 132)), DeviceGeneration::Hopper);
  EXPECT_EQ(generationOf(device("AMD Radeon Graphics", 68.7, 9, 0, 104)), DeviceGeneration::Cdna2);
  EXPECT_EQ(generationOf(device("", 250, 9, 4, 256)), DeviceGeneration::Cdna3);
  EXPECT_EQ(generationOf(device("AMD Instinct MI355X", 309, 9, 5, 256)), DeviceGeneration::Cdna4);
  EXPECT_TRUE(isAmd(DeviceGeneration::Cdna4));
  EXPECT_EQ(generationOf(device("", 0, 0, 0, 0)), DeviceGeneration::Unknown);
  EXPECT_EQ(generationText(DeviceGeneration::Cdna3), "CDNA 3");
}

TEST(DeviceProperties, areThoseOfTheDevice) {
  RankTrace trace;
  EXPECT_EQ(propertiesOf(trace, 0), nullptr);
  trace.metadata.devices = {device("a", 1, 8, 0, 1), device("b", 1, 8, 0, 1)};
  trace.metadata.devices[1].id = 1;
  EXPECT_EQ(propertiesOf(trace, 1)->name, "b");
  EXPECT_EQ(propertiesOf(trace, 2), nullptr);
}

} // namespace rankscope
