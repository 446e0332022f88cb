// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/efficiency/model_flops.h"

namespace rankscope {

namespace {

// A lookup is no product: the input embedding does not count.
std::optional<double> multipliedParameters(const ModelSettings& model, std::string& convention) {
  const std::optional<double>& given = model.activeParameters ? model.activeParameters : model.parameters;
  if (!given || !(*given > 0)) return std::nullopt;
  if (!model.vocabulary || !model.hidden) {
    convention = "6Ψ";
    return given;
  }
  const double rest = *given - *model.vocabulary * *model.hidden;
  if (rest <= 0) return std::nullopt;
  convention = "6(Ψ − VH)";
  return rest;
}

} // namespace

std::optional<ModelFlops> modelFlopsPerToken(const ModelSettings& model) {
  if (model.flopsPerToken && *model.flopsPerToken > 0) return ModelFlops{*model.flopsPerToken, "given"};
  ModelFlops flops;
  const std::optional<double> parameters = multipliedParameters(model, flops.convention);
  if (!parameters) return std::nullopt;
  flops.perToken = 6 * *parameters;
  if (model.layers && model.hidden && model.sequence) {
    flops.perToken += (model.causal ? 6 : 12) * *model.layers * *model.hidden * *model.sequence;
    flops.convention += model.causal ? " + 6LHS" : " + 12LHS";
  }
  return flops;
}

std::optional<double> modelFlopsPerStep(const ModelSettings& model) {
  const std::optional<ModelFlops> flops = modelFlopsPerToken(model);
  if (!flops || !model.tokensPerStep || !(*model.tokensPerStep > 0)) return std::nullopt;
  return flops->perToken * *model.tokensPerStep;
}

} // namespace rankscope
