// SPDX-License-Identifier: GPL-3.0-or-later
// Covers core/analysis/efficiency/flop_rules, core/analysis/efficiency/exact_product,
// core/analysis/operators/operator_inputs.
#include "core/analysis/efficiency/flop_formula.h"

#include "core/analysis/efficiency/exact_product.h"

#include <gtest/gtest.h>
#include <string>

namespace rankscope {

namespace {

OperatorInputs called(const std::string& shapes, const std::string& types, const std::string& values = "") {
  std::string text = shapes;
  text += kFieldEnd;
  text += types;
  text += kFieldEnd;
  text += values;
  return operatorInputsInText(text);
}

constexpr const char* kTwoFloats = R"(["float", "float"])";

} // namespace

TEST(FlopFormula, knowsWhichOperatorsCount) {
  EXPECT_EQ(flopRoleOf("aten::mm"), FlopRole::Counted);
  EXPECT_EQ(flopRoleOf("aten::linear"), FlopRole::Composite);
  EXPECT_EQ(flopRoleOf("aten::add"), FlopRole::None);
  EXPECT_EQ(flopRoleOf("triton_tem_fused_mm_0"), FlopRole::Counted);
  EXPECT_TRUE(isConvolutionNode("CudnnConvolutionBackward"));
  EXPECT_FALSE(isConvolutionNode("aten::convolution_backward"));
}

TEST(FlopFormula, countsMatrixProducts) {
  const FlopWork mm = flopsOf("aten::mm", called("[[32, 48], [48, 64]]", kTwoFloats));
  EXPECT_EQ(mm.flops, 2 * 32 * 48 * 64);
  EXPECT_EQ(mm.executed, mm.flops);
  EXPECT_EQ(mm.bytes, 4 * (32 * 48 + 48 * 64 + 32 * 64));
  EXPECT_EQ(mm.format, NumberFormat::Float32);
  EXPECT_EQ(mm.m, 32);
  EXPECT_EQ(mm.n, 64);
  EXPECT_EQ(mm.k, 48);
  EXPECT_EQ(mm.tier, FlopTier::Shapes);
  // An output that is given stands last and is no operand.
  const FlopWork out =
      flopsOf("aten::mm", called("[[8, 4], [4, 2], [8, 2]]", R"(["float", "float", "float"])"));
  EXPECT_EQ(out.flops, 2 * 8 * 4 * 2);
  const FlopWork addmm = flopsOf("aten::addmm", called("[[64], [32, 48], [48, 64], [], []]",
                                                       R"(["float", "float", "float", "Scalar", "Scalar"])"));
  EXPECT_EQ(addmm.flops, mm.flops);
  EXPECT_EQ(addmm.bytes, mm.bytes + std::int64_t{4} * 64);
  const FlopWork bmm = flopsOf("aten::bmm", called("[[5, 16, 24], [5, 24, 40]]", kTwoFloats));
  EXPECT_EQ(bmm.flops, 2 * 5 * 16 * 24 * 40);
  EXPECT_EQ(bmm.batch, 5);
  const FlopWork linear = flopsOf("aten::linear", called("[[2, 9, 48], [64, 48], [64]]", kTwoFloats));
  EXPECT_EQ(linear.flops, 2 * 18 * 48 * 64);
  const FlopWork broadcast = flopsOf("aten::matmul", called("[[7, 1, 2, 3], [5, 3, 4]]", kTwoFloats));
  EXPECT_EQ(broadcast.flops, 2 * 35 * 2 * 3 * 4);
  const FlopWork grouped = flopsOf("aten::_grouped_mm", called("[[100, 16], [4, 16, 32], [4]]", kTwoFloats));
  EXPECT_EQ(grouped.flops, 2 * 100 * 16 * 32);
  const FlopWork vector = flopsOf("aten::mv", called("[[6, 7], [7]]", kTwoFloats));
  EXPECT_EQ(vector.flops, 2 * 6 * 7);
  EXPECT_EQ(vector.kind, FlopKind::Vector);
  EXPECT_EQ(vector.batch, 0);
}

TEST(FlopFormula, knowsEightAndFourBitFormats) {
  const FlopWork fp8 = flopsOf("aten::_scaled_mm", called("[[32, 64], [64, 16]]",
                                                          R"(["c10::Float8_e4m3fn", "c10::Float8_e4m3fn"])",
                                                          R"(["", "", "", "", "", "", "15"])"));
  EXPECT_EQ(fp8.flops, 2 * 32 * 64 * 16);
  EXPECT_EQ(fp8.bytes, 32 * 64 + 64 * 16 + 2 * 32 * 16);
  EXPECT_EQ(fp8.format, NumberFormat::Float8);
  const FlopWork fp4 =
      flopsOf("aten::_scaled_mm",
              called("[[32, 32], [32, 16]]", R"(["c10::Float4_e2m1fn_x2", "c10::Float4_e2m1fn_x2"])"));
  EXPECT_EQ(fp4.flops, 2 * 32 * 64 * 16);
  EXPECT_EQ(fp4.format, NumberFormat::Float4);
  const FlopWork complex =
      flopsOf("aten::mm", called("[[2, 2], [2, 2]]", R"(["c10::complex<float>", "c10::complex<float>"])"));
  EXPECT_EQ(complex.flops, 4 * 16);
}

TEST(FlopFormula, countsConvolutions) {
  const std::string values = R"(["", "", "", "[2, 2]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1"])";
  const std::string shapes = "[[2, 8, 20, 22], [16, 8, 3, 3], [16], [], [], [], [], [], []]";
  const FlopWork strided =
      flopsOf("aten::convolution", called(shapes, R"(["float", "float", "float"])", values));
  EXPECT_EQ(strided.flops, 506'880);
  EXPECT_EQ(strided.bytes, 46'912);
  // One element of a list is that of all axes.
  const FlopWork shared =
      flopsOf("aten::conv2d", called("[[2, 8, 20, 22], [16, 8, 3, 3], [], [], [], [], []]", kTwoFloats,
                                     R"(["", "", "", "[2]", "[1]", "[1]", "1"])"));
  EXPECT_EQ(shared.flops, 506'880);
  const FlopWork transposed = flopsOf(
      "aten::convolution", called("[[2, 8, 10, 11], [8, 16, 3, 3], []]", kTwoFloats,
                                  R"(["", "", "", "[2, 2]", "[1, 1]", "[1, 1]", "True", "[1, 1]", "1"])"));
  EXPECT_EQ(transposed.flops, 506'880);
  EXPECT_EQ(transposed.bytes, 67'968);
  // The groups of a grouped backward pass are in its weight already.
  const std::string backward =
      R"(["", "", "", "[0]", "[1, 1]", "[0, 0]", "[1, 1]", "False", "[0, 0]", "4", "[True, True, False]"])";
  EXPECT_EQ(flopsOf("aten::convolution_backward", called("[[2, 16, 18, 20], [2, 8, 20, 22], [16, 2, 3, 3]]",
                                                         R"(["float", "float", "float"])", backward))
                .flops,
            829'440);
  // Without stride and padding the gradient of the result says what the result is.
  const OperatorInputs old = called("[[2, 8, 20, 22], [16, 8, 3, 3], []]", kTwoFloats);
  EXPECT_FALSE(flopsOf("aten::convolution", old).known());
  const TensorShape result{2, 16, 10, 11};
  const FlopWork linked = flopsOf("aten::convolution", old, {&result, nullptr});
  EXPECT_EQ(linked.flops, 506'880);
  EXPECT_EQ(linked.tier, FlopTier::Linked);
  const OperatorInputs parent = called("[[2, 8, 20, 22], [2, 16, 10, 11], [16, 8, 3, 3]]", kTwoFloats);
  EXPECT_EQ(flopsOf("aten::cudnn_convolution_backward_weight",
                    called("[[], [2, 16, 10, 11], [2, 8, 20, 22]]", "[]"), {nullptr, &parent})
                .flops,
            506'880);
}

TEST(FlopFormula, countsAttention) {
  const std::string types = R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16"])";
  const std::string shapes = "[[2, 8, 32, 16], [2, 2, 32, 16], [2, 2, 32, 16], [], [], [], []]";
  const FlopWork full = flopsOf("aten::_scaled_dot_product_flash_attention",
                                called(shapes, types, R"(["", "", "", "0.", "False", "", ""])"));
  EXPECT_EQ(full.flops, 2 * 2 * 8 * 32 * 32 * 32);
  EXPECT_EQ(full.executed, full.flops);
  const FlopWork causal = flopsOf("aten::_scaled_dot_product_flash_attention",
                                  called(shapes, types, R"(["", "", "", "0.", "True", "", ""])"));
  EXPECT_EQ(causal.flops, full.flops);
  EXPECT_EQ(causal.executed, 2 * 2 * 8 * (32 * 33 / 2) * 32);
  const FlopWork backward = flopsOf("aten::_scaled_dot_product_flash_attention_for_cpu_backward",
                                    called("[[2, 4, 1, 16], [2, 4, 1, 16], [2, 4, 96, 16], [2, 4, 96, 16]]",
                                           R"(["float", "float", "float", "float"])"));
  EXPECT_EQ(backward.flops, 122'880);
  EXPECT_EQ(backward.bytes, 198'656);
  // Sequences of several lengths in one tensor.
  const FlopWork packed =
      flopsOf("flash_attn::_flash_attn_forward", called("[[99, 8, 16], [99, 8, 16], [99, 8, 16]]", types));
  EXPECT_FALSE(packed.known());
  EXPECT_FALSE(packed.why.empty());
}

TEST(FlopFormula, countsPairsUnderACausalMask) {
  for (const auto& [queries, keys] : {std::pair(4, 4), std::pair(3, 7), std::pair(7, 3), std::pair(1, 9)}) {
    std::int64_t first = 0;
    std::int64_t last = 0;
    for (std::int64_t i = 1; i <= queries; ++i) {
      first += std::min<std::int64_t>(i, keys);
      last += std::max<std::int64_t>(0, keys - queries + i);
    }
    EXPECT_EQ(causalPairs(queries, keys, false), first);
    EXPECT_EQ(causalPairs(queries, keys, true), last);
  }
}

TEST(FlopFormula, takesWhatACompilerNoted) {
  std::string text = "[[4, 4]]";
  for (const char* field : {R"(["float"])", "", "", "1024", "0.5"}) {
    text += kFieldEnd;
    text += field;
  }
  const FlopWork noted = flopsOf("triton_tem_fused_mm_0", operatorInputsInText(text));
  EXPECT_EQ(noted.flops, 1024);
  EXPECT_EQ(noted.bytes, 500'000'000);
  EXPECT_EQ(noted.tier, FlopTier::Recorded);
  EXPECT_FALSE(flopsOf("triton_poi_fused_add_0", called("[[4, 4]]", "[]")).known());
  const FlopWork shapes = flopsOf("triton_tem_fused_addmm_1", called("[[8, 4], [4, 2], [8, 2]]", "[]"));
  EXPECT_EQ(shapes.flops, 2 * 8 * 4 * 2);
}

TEST(FlopFormula, doesNotGuess) {
  EXPECT_FALSE(flopsOf("aten::mm", called("", "")).known());
  EXPECT_FALSE(flopsOf("aten::mm", called("[[3, 4], [5, 6]]", kTwoFloats)).known());
  EXPECT_FALSE(flopsOf("aten::mm", called("[[-3, 4], [4, 6]]", kTwoFloats)).known());
  EXPECT_FALSE(flopsOf("aten::mm", called("[[4000000000, 4000000000], [4000000000, 4000000000]]", kTwoFloats))
                   .known());
  EXPECT_TRUE(flopsOf("aten::mm", called("[[0, 4], [4, 6]]", kTwoFloats)).known());
  EXPECT_EQ(flopsOf("aten::mm", called("[[2, 4], [4, 6]]", R"(["unknown", "float"])")).bytes, -1);
}

TEST(FlopFormula, countsRecurrentLayers) {
  const std::string values =
      R"(["", "", "4", "", "", "", "2", "16", "0", "2", "False", "0.", "True", "True"])";
  const FlopWork lstm = flopsOf("aten::_cudnn_rnn", called("[[10, 3, 8], []]", kTwoFloats, values));
  EXPECT_EQ(lstm.flops, 2 * 10 * 3 * 4 * 16 * (8 + 16) * 2 + 2 * 10 * 3 * 4 * 16 * (32 + 16) * 2);
  EXPECT_EQ(lstm.kind, FlopKind::Recurrent);
}

TEST(ExactProduct, tellsWhatDoesNotFit) {
  EXPECT_EQ((ExactProduct(3) * 4 + 5).value(), 17);
  EXPECT_FALSE((ExactProduct(std::int64_t{1} << 40) * (std::int64_t{1} << 40)).value());
  EXPECT_FALSE((ExactProduct(-1) + 5).value());
}

TEST(OperatorInputs, areReadFromText) {
  const OperatorInputs inputs = called("[[2, 3], []]", R"(["float", ""])", R"(["", "[1, 2]"])");
  EXPECT_TRUE(inputs.shapesKnown);
  EXPECT_EQ(inputs.shapes, (std::vector<TensorShape>{{2, 3}, {}}));
  EXPECT_EQ(inputs.types, (std::vector<std::string>{"float", ""}));
  EXPECT_EQ(inputs.values, (std::vector<std::string>{"", "[1, 2]"}));
  EXPECT_EQ(inputs.sequence, -1);
  EXPECT_FALSE(called("[[2, 3", "").shapesKnown);
  EXPECT_EQ(integersInText("[1, 22]"), (std::vector<std::int64_t>{1, 22}));
  EXPECT_EQ(integersInText("7"), std::vector<std::int64_t>{7});
  EXPECT_FALSE(integersInText("[1.5]"));
  EXPECT_EQ(stringsInText(R"(["a\"b", ""])"), (std::vector<std::string>{"a\"b", ""}));
}

} // namespace rankscope
