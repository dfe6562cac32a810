// The parts of a gated delta net with their gradients. On the CPU in fp32 they run the loops of recurrent.h; on any
// other device or type they are libtorch's operations over [sequences, steps], the delta rule in chunks.
#include "delta.h"
#include "guard.h"
#include "loops.h"
#include "recurrent.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/linalg_solve_triangular.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/softplus.h>
#include <ATen/ops/square.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/zeros.h>
#include <limits>
#include <torch/csrc/autograd/custom_function.h>

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

namespace {

// A packed batch that a backward pass can keep.
struct Rows {
  std::vector<int64_t> offset, lane, past;

  explicit Rows(const hone_packing &p)
      : offset(p.offset, p.offset + p.sequences + 1), lane(p.lane, p.lane + p.sequences),
        past(p.past, p.past + p.sequences) {}
  explicit Rows(std::vector<int64_t> o) : offset(std::move(o)), lane(offset.size() - 1), past(offset.size() - 1) {}

  hone::Packed loops() const {
    return {offset.data(), lane.data(), past.data(), static_cast<int64_t>(past.size())};
  }
};

float *state_of(const at::Tensor *state) { return state != nullptr ? out_of(*state) : nullptr; }

struct CausalConv : Function<CausalConv> {
  static at::Tensor forward(AutogradContext *ctx, const at::Tensor &x0, const at::Tensor &weight0, const Rows &rows,
                            const at::Tensor *state) {
    at::Tensor x = x0.contiguous(), weight = weight0.contiguous(), y = at::empty_like(x);
    hone::Convolution c{rows.loops(), in(x), in(weight), state_of(state), x.size(1), weight.size(-1)};
    float *py = out_of(y);
    at::parallel_for(0, blocks(c), grain(x),
                     [&](int64_t from, int64_t to) { hone::convolution_forward(c, py, from, to); });
    ctx->save_for_backward({x, weight});
    ctx->saved_data["offset"] = rows.offset;
    return y;
  }

  static variable_list backward(AutogradContext *ctx, variable_list g) {
    variable_list saved = ctx->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1];
    at::Tensor dy = g[0].contiguous(), dx = at::empty_like(x), dw = at::empty_like(weight);
    Rows rows(ctx->saved_data["offset"].toIntVector());
    hone::Convolution c{rows.loops(), in(x), in(weight), nullptr, x.size(1), weight.size(-1)};
    const float *pd = in(dy);
    float *ox = out_of(dx), *ow = out_of(dw);
    at::parallel_for(0, blocks(c), 1,
                     [&](int64_t from, int64_t to) { hone::convolution_backward(c, pd, ox, ow, from, to); });
    return {dx, dw, at::Tensor(), at::Tensor()};
  }

  static int64_t blocks(const hone::Convolution &c) {
    return (c.channels + hone::channel_block - 1) / hone::channel_block;
  }
  static int64_t grain(const at::Tensor &x) { return x.numel() < 65536 ? 1 << 20 : 1; }
};

struct Sizes {
  int64_t key_heads, value_heads, key_width, value_width;

  int64_t keys() const { return key_heads * key_width; }
  int64_t values() const { return value_heads * value_width; }
};

struct DeltaRule : Function<DeltaRule> {
  static hone::DeltaRule loops(const Rows &rows, const variable_list &t, float *state, const Sizes &s) {
    return {rows.loops(), in(t[0]), in(t[1]), in(t[2]), in(t[3]), in(t[4]), state,
            s.key_heads, s.value_heads, s.key_width, s.value_width};
  }

  static at::Tensor forward(AutogradContext *ctx, const at::Tensor &mixed, const at::Tensor &a, const at::Tensor &b,
                            const at::Tensor &a_log, const at::Tensor &dt_bias, const Rows &rows, const Sizes &s,
                            const at::Tensor *state) {
    variable_list t{mixed.contiguous(), a.contiguous(), b.contiguous(), a_log.contiguous(), dt_bias.contiguous()};
    at::Tensor out = at::empty({mixed.size(0), s.values()}, mixed.options());
    hone::DeltaRule d = loops(rows, t, state_of(state), s);
    float *po = out_of(out);
    const int64_t tasks = d.p.sequences * s.key_heads;
    const int64_t grain = mixed.size(0) * s.values() * s.key_width < 65536 ? tasks : 1; // not worth waking threads
    at::parallel_for(0, tasks, grain, [&](int64_t from, int64_t to) { hone::delta_forward(d, po, from, to); });
    ctx->save_for_backward(t);
    ctx->saved_data["offset"] = rows.offset;
    ctx->saved_data["sizes"] = std::vector<int64_t>{s.key_heads, s.value_heads, s.key_width, s.value_width};
    return out;
  }

  static variable_list backward(AutogradContext *ctx, variable_list g) {
    variable_list t = ctx->get_saved_variables();
    Rows rows(ctx->saved_data["offset"].toIntVector());
    std::vector<int64_t> n = ctx->saved_data["sizes"].toIntVector();
    Sizes s{n[0], n[1], n[2], n[3]};
    hone::DeltaRule d = loops(rows, t, nullptr, s);
    at::Tensor dout = g[0].contiguous(), dmixed = at::empty_like(t[0]);
    at::Tensor da = at::empty_like(t[1]), db = at::empty_like(t[2]);
    at::Tensor speeds = at::empty({d.p.sequences, s.value_heads}, dout.options()), biases = at::empty_like(speeds);
    const float *pd = in(dout);
    hone::DeltaGradients grad{out_of(dmixed), out_of(da), out_of(db), out_of(speeds), out_of(biases)};
    at::parallel_for(0, d.p.sequences * s.key_heads, 1,
                     [&](int64_t from, int64_t to) { hone::delta_backward(d, pd, grad, from, to); });
    return {dmixed, da, db, speeds.sum(0), biases.sum(0), at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

struct GatedNorm : Function<GatedNorm> {
  static constexpr int64_t part = 64; // rows summed into one part of the weight's gradient

  static at::Tensor forward(AutogradContext *ctx, const at::Tensor &x0, const at::Tensor &z0, const at::Tensor &weight0,
                            double eps) {
    at::Tensor x = x0.contiguous(), z = z0.contiguous(), weight = weight0.contiguous(), y = at::empty_like(x);
    const int64_t n = weight.size(0), rows = x.numel() / n;
    at::Tensor inverse = at::empty({rows}, x.options());
    const float *px = in(x), *pz = in(z), *pw = in(weight);
    float *py = out_of(y), *pi = out_of(inverse);
    at::parallel_for(0, rows, grain(n), [&](int64_t from, int64_t to) {
      hone::gated_norm_forward(px, pz, pw, py, pi, from, to, n, static_cast<float>(eps));
    });
    ctx->save_for_backward({x, z, weight, inverse});
    return y;
  }

  static variable_list backward(AutogradContext *ctx, variable_list g) {
    variable_list saved = ctx->get_saved_variables();
    const at::Tensor &x = saved[0], &z = saved[1], &weight = saved[2], &inverse = saved[3];
    at::Tensor dy = g[0].contiguous(), dx = at::empty_like(x), dz = at::empty_like(z);
    const int64_t n = weight.size(0), rows = x.numel() / n, parts = (rows + part - 1) / part;
    at::Tensor sums = at::empty({parts, n}, x.options());
    const float *px = in(x), *pz = in(z), *pw = in(weight), *pi = in(inverse), *pd = in(dy);
    float *ox = out_of(dx), *oz = out_of(dz), *os = out_of(sums);
    at::parallel_for(0, parts, 1, [&](int64_t from, int64_t to) {
      for (int64_t i = from; i < to; i++)
        hone::gated_norm_backward(px, pz, pw, pi, pd, ox, oz, os + i * n, i * part, std::min(rows, (i + 1) * part), n);
    });
    return {dx, dz, weight.requires_grad() ? sums.sum(0) : at::Tensor(), at::Tensor()};
  }
};

struct SigmoidMul : Function<SigmoidMul> {
  static at::Tensor forward(AutogradContext *ctx, const at::Tensor &x0, const at::Tensor &gate0) {
    at::Tensor x = x0.contiguous(), gate = gate0.contiguous(), y = at::empty_like(x);
    const float *px = in(x), *pg = in(gate);
    float *py = out_of(y);
    at::parallel_for(0, x.numel(), 16384,
                     [&](int64_t from, int64_t to) { hone::sigmoid_mul_forward(px, pg, py, from, to); });
    ctx->save_for_backward({x, gate});
    return y;
  }

  static variable_list backward(AutogradContext *ctx, variable_list g) {
    variable_list saved = ctx->get_saved_variables();
    at::Tensor dy = g[0].contiguous(), dx = at::empty_like(saved[0]), dgate = at::empty_like(saved[1]);
    const float *px = in(saved[0]), *pg = in(saved[1]), *pd = in(dy);
    float *ox = out_of(dx), *og = out_of(dgate);
    at::parallel_for(0, dx.numel(), 16384,
                     [&](int64_t from, int64_t to) { hone::sigmoid_mul_backward(px, pg, pd, ox, og, from, to); });
    return {dx, dgate};
  }
};

// Rows [rows, ...] as [sequences, steps, ...], zeros behind each sequence's end; and back.
at::Tensor spread(const at::Tensor &x, const hone_packing &p) {
  std::vector<int64_t> shape{p.sequences, p.steps}, ones{p.sequences, p.steps};
  for (int64_t d : x.sizes().slice(1)) shape.push_back(d), ones.push_back(1);
  return x.index_select(0, of(p.gather)).view(shape) * of(p.mask).to(x.scalar_type()).view(ones);
}
at::Tensor gathered(const at::Tensor &x, const hone_packing &p) {
  return x.flatten(0, 1).index_select(0, of(p.scatter));
}

// The sequences' states, zeros for those that begin.
at::Tensor states(const at::Tensor &state, const hone_packing &p) {
  at::Tensor s = state.index_select(0, of(p.lanes));
  std::vector<int64_t> ones(s.dim(), 1);
  ones[0] = p.sequences;
  return s * of(p.fresh).to(s.scalar_type()).view(ones);
}

void keep(const at::Tensor &state, const at::Tensor &values, const hone_packing &p) {
  at::NoGradGuard none;
  at::Tensor s = state;
  s.index_copy_(0, of(p.lanes), values.to(s.scalar_type()));
}

// The sum over taps of shifted inputs. Where a sequence's rows end, its last inputs are found by the mask's sum.
at::Tensor causal_conv(const at::Tensor &x, const at::Tensor &weight, const at::Tensor *state, const hone_packing &p) {
  const int64_t channels = x.size(1), k = weight.size(-1), before = k - 1;
  at::Tensor first = state != nullptr ? states(*state, p).transpose(1, 2).to(x.scalar_type())
                                      : at::zeros({p.sequences, before, channels}, x.options());
  at::Tensor all = at::cat({first, spread(x, p)}, 1), sum;
  for (int64_t j = 0; j < k; j++) {
    at::Tensor one = all.narrow(1, j, p.steps) * weight.select(-1, j).reshape({channels});
    sum = j == 0 ? one : sum + one;
  }
  if (state != nullptr) {
    at::Tensor rows = of(p.mask).sum(1).to(at::kLong).view({p.sequences, 1, 1});
    at::Tensor last = rows + at::arange(before, rows.options()).view({1, before, 1}); // of what came before and new rows
    keep(*state, all.gather(1, last.expand({p.sequences, before, channels})).transpose(1, 2), p);
  }
  return gathered(at::silu(sum), p);
}

constexpr int64_t chunk = 64;

// The sums of a [..., chunk] up to each element, as a product: CUDA's cumsum may add in another order each time, and
// later versions of libtorch refuse it where results are to repeat.
at::Tensor running(const at::Tensor &a) { return at::matmul(a, at::ones({chunk, chunk}, a.options()).triu()); }

// q, k [B, V, T, dk], v [B, V, T, dv], log decay and beta [B, V, T], state [B, V, dk, dv]; T is 1 or a multiple of
// chunk. The result is [B, V, T, dv]; state is the one after T (Yang et al. 2024, section 3.3). In a chunk, with g the
// running sum of the log decays, D_ij = e^(g_i - g_j) for j <= i and else 0, T the strictly lower part of (beta K)K'
// times D with ones on the diagonal, P = QK' times D: T U = beta V, T W = beta K e^g; N = U - W S;
// O = (Q e^g) S + P N; S <- e^(last g) S + (K e^(last g - g))' N.
at::Tensor one_step(const at::Tensor &q, const at::Tensor &k, const at::Tensor &v, const at::Tensor &a,
                    const at::Tensor &beta, at::Tensor &state) {
  at::Tensor s = state * a.exp().unsqueeze(-1);
  at::Tensor delta = (v - at::matmul(k, s)) * beta.unsqueeze(-1);
  state = s + at::matmul(k.transpose(-1, -2), delta);
  return at::matmul(q, state);
}

at::Tensor in_chunks(const at::Tensor &q0, const at::Tensor &k0, const at::Tensor &v0, const at::Tensor &a,
                     const at::Tensor &beta0, at::Tensor &state) {
  const int64_t B = q0.size(0), V = q0.size(1), N = q0.size(2) / chunk, dk = q0.size(3), dv = v0.size(3);
  at::Tensor q = q0.reshape({B, V, N, chunk, dk}), k = k0.reshape({B, V, N, chunk, dk});
  at::Tensor v = v0.reshape({B, V, N, chunk, dv}), beta = beta0.reshape({B, V, N, chunk, 1});
  at::Tensor g = running(a.reshape({B, V, N, chunk})), e = g.exp().unsqueeze(-1);
  at::Tensor later = at::ones({chunk, chunk}, q.options()).triu(1).to(at::kBool);
  // Masked before the exponential: above the diagonal it could overflow.
  at::Tensor D = (g.unsqueeze(-1) - g.unsqueeze(-2)).masked_fill(later, -std::numeric_limits<double>::infinity()).exp();
  at::Tensor kb = k * beta;
  at::Tensor T = at::matmul(kb, k.transpose(-1, -2)) * D;
  at::Tensor UW = at::linalg_solve_triangular(T, at::cat({v * beta, kb * e}, -1), false, true, true);
  at::Tensor U = UW.narrow(-1, 0, dv), W = UW.narrow(-1, dv, dk), P = at::matmul(q, k.transpose(-1, -2)) * D;
  at::Tensor last = g.narrow(-1, chunk - 1, 1), le = last.exp().unsqueeze(-1);
  at::Tensor qe = q * e, ke = k * (last - g).exp().unsqueeze(-1);
  std::vector<at::Tensor> outs;
  for (int64_t i = 0; i < N; i++) {
    at::Tensor n = U.select(2, i) - at::matmul(W.select(2, i), state);
    outs.push_back(at::matmul(qe.select(2, i), state) + at::matmul(P.select(2, i), n));
    state = state * le.select(2, i) + at::matmul(ke.select(2, i).transpose(-1, -2), n);
  }
  return at::cat(outs, 2);
}

at::Tensor delta_rule(const at::Tensor &mixed, const at::Tensor &a, const at::Tensor &b, const at::Tensor &a_log,
                      const at::Tensor &dt_bias, const Sizes &s, const at::Tensor *state, const hone_packing &p) {
  const auto type = mixed.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  const int64_t B = p.sequences, T = p.steps, group = s.value_heads / s.key_heads;
  TORCH_CHECK(T == 1 || T % chunk == 0, T, " steps: expected 1 or a multiple of ", chunk);
  at::Tensor rows = spread(mixed, p).to(type);
  auto units = [&](int64_t from) { // [B, V, T, dk]
    at::Tensor x = rows.narrow(2, from, s.keys()).reshape({B, T, s.key_heads, s.key_width});
    x = x * at::rsqrt(at::square(x).sum(-1, true) + 1e-6);
    if (group > 1)
      x = x.unsqueeze(3).expand({B, T, s.key_heads, group, s.key_width}).reshape({B, T, s.value_heads, s.key_width});
    return x.transpose(1, 2);
  };
  at::Tensor q = units(0) * std::pow(static_cast<double>(s.key_width), -0.5), k = units(s.keys());
  at::Tensor v = rows.narrow(2, 2 * s.keys(), s.values()).reshape({B, T, s.value_heads, s.value_width}).transpose(1, 2);
  at::Tensor decay = -a_log.to(type).exp() * at::softplus(a.to(type) + dt_bias.to(type));
  at::Tensor g = spread(decay, p).transpose(1, 2), beta = spread(at::sigmoid(b).to(type), p).transpose(1, 2);
  at::Tensor now = state != nullptr ? states(*state, p).to(type)
                                    : at::zeros({B, s.value_heads, s.key_width, s.value_width}, q.options());
  at::Tensor o = T == 1 ? one_step(q, k, v, g, beta, now) : in_chunks(q, k, v, g, beta, now);
  if (state != nullptr) keep(*state, now, p);
  return gathered(o.transpose(1, 2).reshape({B, T, s.values()}), p).to(mixed.scalar_type());
}

// The state a call was given, or null; one that is written cannot be part of a gradient.
const at::Tensor *given(const hone_tensor state, const at::Tensor &x) {
  if (state == nullptr) return nullptr;
  TORCH_CHECK(!at::GradMode::is_enabled() || !x.requires_grad(), "a state is kept without gradients only");
  return &of(state);
}

void laid_out(const hone_packing &p) {
  TORCH_CHECK(p.gather != nullptr, "the packing has no tensors for this device or type");
}

void check_rows(const hone_packing &p, const at::Tensor &x, const at::Tensor *state) {
  TORCH_CHECK(p.offset[0] == 0 && p.offset[p.sequences] == x.size(0), "the sequences have ", p.offset[p.sequences],
              " rows");
  for (int64_t s = 0; s < p.sequences; s++) {
    TORCH_CHECK(p.offset[s] <= p.offset[s + 1], "sequence ", s, " ends before it begins");
    TORCH_CHECK(state != nullptr || p.past[s] == 0, "sequence ", s, " goes on from ", p.past[s],
                " tokens without a state");
    TORCH_CHECK(state == nullptr || (p.lane[s] >= 0 && p.lane[s] < state->size(0)), "sequence ", s, " has lane ",
                p.lane[s]);
  }
}

} // namespace

extern "C" {

char *hone_causal_conv(hone_tensor *out, const hone_tensor x, const hone_tensor weight, const hone_tensor state,
                       const hone_packing *p) {
  return guarded([&] {
    const at::Tensor &t = of(x), &w = of(weight), *s = given(state, t);
    TORCH_CHECK(t.dim() == 2 && w.numel() == t.size(1) * w.size(-1) && w.size(-1) > 1,
                "expected x [rows, channels] and a weight of [channels, 1, kernel]");
    TORCH_CHECK(s == nullptr || (s->dim() == 3 && s->size(1) == t.size(1) && s->size(2) == w.size(-1) - 1 &&
                                 s->is_contiguous()),
                "expected a state of [lanes, channels, kernel-1]");
    check_rows(*p, t, s);
    if (plain(t) && plain(w) && (s == nullptr || plain(*s)) && w.size(-1) <= hone::most_taps)
      return give(out, CausalConv::apply(t, w, Rows(*p), s));
    laid_out(*p);
    give(out, causal_conv(t, w, s, *p));
  });
}

char *hone_delta_rule(hone_tensor *out, const hone_tensor mixed, const hone_tensor a, const hone_tensor b,
                      const hone_tensor a_log, const hone_tensor dt_bias, int64_t key_heads, int64_t value_heads,
                      int64_t key_width, int64_t value_width, const hone_tensor state, const hone_packing *p) {
  return guarded([&] {
    const Sizes s{key_heads, value_heads, key_width, value_width};
    const at::Tensor &t = of(mixed), &ta = of(a), &tb = of(b), &tl = of(a_log), &td = of(dt_bias), *ts = given(state, t);
    TORCH_CHECK(key_heads > 0 && value_heads % key_heads == 0, value_heads, " value heads for ", key_heads,
                " key heads");
    TORCH_CHECK(t.dim() == 2 && t.size(1) == 2 * s.keys() + s.values(), "expected rows of ",
                2 * s.keys() + s.values());
    for (const at::Tensor *x : {&ta, &tb})
      TORCH_CHECK(x->dim() == 2 && x->size(0) == t.size(0) && x->size(1) == value_heads,
                  "expected a and b of [rows, value heads]");
    TORCH_CHECK(tl.numel() == value_heads && td.numel() == value_heads,
                "expected A_log and dt_bias of [value heads]");
    TORCH_CHECK(ts == nullptr || (ts->dim() == 4 && ts->size(1) == value_heads && ts->size(2) == key_width &&
                                  ts->size(3) == value_width && ts->is_contiguous()),
                "expected a state of [lanes, value heads, key width, value width]");
    check_rows(*p, t, ts);
    if (plain(t) && plain(ta) && plain(tb) && plain(tl) && plain(td) && (ts == nullptr || plain(*ts)))
      return give(out, DeltaRule::apply(t, ta, tb, tl, td, Rows(*p), s, ts));
    laid_out(*p);
    give(out, delta_rule(t, ta, tb, tl, td, s, ts, *p));
  });
}

char *hone_gated_norm(hone_tensor *out, const hone_tensor x, const hone_tensor z, const hone_tensor weight, double eps) {
  return guarded([&] {
    const at::Tensor &t = of(x), &g = of(z), &w = of(weight);
    TORCH_CHECK(t.sizes() == g.sizes() && w.dim() == 1 && t.dim() > 0 && w.size(0) > 0 && t.size(-1) % w.size(0) == 0,
                "expected x and z alike, their last size a multiple of the weight's");
    if (plain(t) && plain(g) && plain(w)) return give(out, GatedNorm::apply(t, g, w, eps));
    const auto type = t.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
    at::Tensor f = t.to(type).reshape({-1, w.size(0)});
    f = f * at::rsqrt(at::square(f).mean(-1, true) + eps);
    f = w * f.to(t.scalar_type());
    give(out, (f.view(t.sizes()) * at::silu(g.to(type))).to(t.scalar_type()));
  });
}

char *hone_sigmoid_mul(hone_tensor *out, const hone_tensor x, const hone_tensor gate) {
  return guarded([&] {
    const at::Tensor &t = of(x), &g = of(gate);
    TORCH_CHECK(t.sizes() == g.sizes(), "the sizes differ");
    give(out, plain(t) && plain(g) ? SigmoidMul::apply(t, g) : t * at::sigmoid(g));
  });
}
}
