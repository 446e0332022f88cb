// SPDX-License-Identifier: GPL-3.0-or-later
// Covers: mangled_name, and short_name where it reads mangled names.
#include "core/analysis/classify/mangled_name.h"
#include "core/analysis/classify/short_name.h"

#include <gtest/gtest.h>

#include <string>

namespace rankscope {
namespace {

TEST(MangledName, functionsHaveScopesAndArguments) {
  EXPECT_EQ(functionOfMangled("_Z10vector_addPKfS0_Pfi"), "vector_add");
  EXPECT_EQ(functionOfMangled("_ZN3net12_GLOBAL__N_15scaleIfLi4EEEvPT_"),
            "net::(anonymous namespace)::scale<, >");
  // Half types, packs, and scopes that were named before.
  EXPECT_EQ(functionOfMangled("_ZN4tile6kentryILi1ENS_4NormIDF16bDF16_fEEJNS1_5KargsEEEEvDpT1_"),
            "tile::kentry<, _::Norm<, , >, _::Kargs>");
  EXPECT_EQ(functionOfMangled("_ZN3net4copyISt6vectorIfSaIfEEEEvT_"), "net::copy<std::vector<, <>>>");
  EXPECT_EQ(functionOfMangled("_ZN3net3runIXadL_ZNS_4stepEPfEEEEvS1_"), "net::run<>");
  // A lambda of a function.
  EXPECT_EQ(functionOfMangled("_Z6launchIZ4mainEUlfE_Evf"), "launch<main::{lambda}>");
}

TEST(MangledName, otherTextsAreNone) {
  for (const char* const text : {"", "_Z", "_ZN", "vector_add", "_Z99short", "_Z4abc", "_Z0",
                                 "_Z99999999999999999999a", "_ZN3netI", "_ZTI3net"})
    EXPECT_EQ(functionOfMangled(text), "") << text;
  std::string deep = "_Z1f";
  for (int i = 0; i < 100'000; ++i) deep += "I1a";
  EXPECT_EQ(functionOfMangled(deep), "");
}

// Each part that repeats the one before twice doubles the text; 24 of them would be half a gigabyte.
TEST(MangledName, repeatedPartsAreNotWrittenOut) {
  constexpr std::string_view kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string name = "_Z1f1aIiiE";
  for (std::size_t i = 0; i < kDigits.size(); ++i) {
    const std::string part = std::string("S") + kDigits[i] + "_";
    name += "S_I";
    name += part;
    name += part;
    name += 'E';
  }
  EXPECT_EQ(shortName(EventKind::Kernel, name), "f");
}

TEST(MangledName, shortNamesAreThoseOfReadableNames) {
  EXPECT_EQ(shortName(EventKind::Kernel, "_ZN4tile6kentryILi1ENS_4NormIDF16bfEEJNS1_5KargsEEEEvDpT1_"),
            "Norm");
  EXPECT_EQ(shortName(EventKind::Kernel,
                      "_ZN2at6native27unrolled_elementwise_kernelINS0_13BinaryFunctorIfffNS0_"
                      "10MulFunctorIfEEEEEEviT_"),
            "MulFunctor · unrolled_elementwise_kernel");
  EXPECT_EQ(shortName("_ZN3net5scaleIfEEvPT_"), "scale");
  EXPECT_EQ(shortName(EventKind::Kernel, "_Znot_mangled"), "_Znot_mangled");
}

TEST(ShortName, writesSendsAndReceivesWithOneKindOfArrow) {
  EXPECT_EQ(shortName(EventKind::CpuOp, "nccl:send 0->3"), "nccl:send 0→3");
  EXPECT_EQ(shortName("nccl:recv 3<-0"), "nccl:recv 3←0");
  EXPECT_EQ(shortName("Memcpy HtoD (Pinned -> Device)"), "Memcpy HtoD (Pinned -> Device)");
}

} // namespace
} // namespace rankscope
