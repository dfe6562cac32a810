#include "plain.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/square.h>
#include <torch/csrc/autograd/custom_function.h>

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

namespace {

// In the type that sums and products are taken in: a copy of what is in fewer bits, else the tensor itself.
at::Tensor exact(const at::Tensor &x) { return x.scalar_type() == at::kDouble ? x : x.to(at::kFloat); }

// x*y, in x's memory where x is a copy of original.
at::Tensor times(at::Tensor x, const at::Tensor &y, const at::Tensor &original) {
  return x.is_same(original) ? x * y : x.mul_(y);
}

struct RMSNorm : Function<RMSNorm> {
  static at::Tensor forward(AutogradContext *ctx, const at::Tensor &x, const at::Tensor &weight, double eps) {
    at::Tensor f = exact(x), inverse = at::rsqrt(at::square(f).mean(-1, true) + eps);
    ctx->save_for_backward({x, weight, inverse});
    f = times(f, inverse, x);
    f = f.to(x.scalar_type());
    return f.mul_(weight);
  }

  // With n = x*r, r = 1/sqrt(mean(x^2) + eps), y = n*w and g = dy*w: dx = r*(g - n*mean(g*n)).
  static variable_list backward(AutogradContext *ctx, variable_list grads) {
    variable_list saved = ctx->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1], &inverse = saved[2];
    at::Tensor n = times(exact(x), inverse, x), g = exact(grads[0]), dweight;
    if (ctx->needs_input_grad(1)) dweight = (g * n).reshape({-1, x.size(-1)}).sum(0).to(weight.scalar_type());
    if (!ctx->needs_input_grad(0)) return {at::Tensor(), dweight, at::Tensor()};
    g = times(g, exact(weight), grads[0]);
    at::Tensor mean = (g * n).mean(-1, true);
    g.sub_(n.mul_(mean)).mul_(inverse);
    return {g.to(x.scalar_type()), dweight, at::Tensor()};
  }
};

struct SiluMul : Function<SiluMul> {
  static at::Tensor forward(AutogradContext *ctx, const at::Tensor &gate, const at::Tensor &up) {
    ctx->save_for_backward({gate, up});
    return at::silu(gate).mul_(up);
  }

  // With s = sigmoid(x): silu(x) = x*s, silu'(x) = s*(1 + x*(1 - s)).
  static variable_list backward(AutogradContext *ctx, variable_list grads) {
    variable_list saved = ctx->get_saved_variables();
    at::Tensor x = exact(saved[0]), s = at::sigmoid(x), dy = exact(grads[0]);
    at::Tensor dup = (x * s).mul_(dy).to(saved[1].scalar_type());
    at::Tensor d = (1 - s).mul_(x).add_(1).mul_(s).mul_(dy);
    x = s = dy = at::Tensor();
    return {d.mul_(exact(saved[1])).to(saved[0].scalar_type()), dup};
  }
};

at::Tensor turned(const at::Tensor &x, const at::Tensor &cos, const at::Tensor &sin, const at::Tensor &positions,
                  double sign) {
  const int64_t half = cos.size(1), width = x.size(2);
  at::Tensor c = cos.index_select(0, positions).unsqueeze(1), s = sin.index_select(0, positions).unsqueeze(1).mul_(sign);
  at::Tensor a = exact(x.narrow(2, 0, half)), b = exact(x.narrow(2, half, half));
  std::vector<at::Tensor> parts;
  parts.push_back((a * c).sub_(b * s).to(x.scalar_type()));
  parts.push_back((b * c).add_(a * s).to(x.scalar_type()));
  if (2 * half < width) parts.push_back(x.narrow(2, 2 * half, width - 2 * half));
  return at::cat(parts, 2);
}

struct Rotary : Function<Rotary> {
  static at::Tensor forward(AutogradContext *ctx, const at::Tensor &x, const at::Tensor &cos, const at::Tensor &sin,
                            const at::Tensor &positions) {
    ctx->save_for_backward({cos, sin, positions});
    return turned(x, cos, sin, positions, 1);
  }

  static variable_list backward(AutogradContext *ctx, variable_list grads) {
    variable_list saved = ctx->get_saved_variables();
    return {turned(grads[0], saved[0], saved[1], saved[2], -1), at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

} // namespace

namespace hone {

at::Tensor rms_norm_plain(const at::Tensor &x, const at::Tensor &weight, double eps) { return RMSNorm::apply(x, weight, eps); }

at::Tensor silu_mul_plain(const at::Tensor &gate, const at::Tensor &up) { return SiluMul::apply(gate, up); }

at::Tensor rotary_plain(const at::Tensor &x, const at::Tensor &cos, const at::Tensor &sin, const at::Tensor &positions) {
  return Rotary::apply(x, cos, sin, positions);
}

} // namespace hone
