// Log-probabilities of tokens, a loss over them, and gradients, without ever holding the logits of all rows: a chunk
// of rows is multiplied by the head, looked at, turned into its gradient where it lies, and multiplied back.
// Softmax and sums are in fp32 whatever the model's type.
#include "loss.h"
#include "guard.h"
#include "loops.h"
#include "softmax.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/argmax.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros.h>

namespace {

// How many rows of logits are held at once: 16 MB of them on a CPU, 512 MB elsewhere, but enough for a product to
// pay. Rows are then spread evenly, so that no chunk is small.
int64_t chunk(int64_t n, int64_t vocabulary, bool cpu, int64_t asked) {
  int64_t most = asked;
  if (most <= 0)
    most = cpu ? std::clamp<int64_t>((1 << 22) / vocabulary, 64, 1024)
               : std::clamp<int64_t>((1 << 27) / vocabulary, 256, 8192);
  const int64_t chunks = std::max<int64_t>(1, (n + most - 1) / most);
  return (n + chunks - 1) / chunks;
}

// The end of a model, and rows of its states on their way through it.
struct End {
  at::Tensor hidden, head, target;
  double temperature;
  int64_t n, vocabulary, rows;
  at::Tensor space; // [rows, vocabulary] in the model's type, used again by every chunk

  End(const hone_tensor hidden_, const hone_tensor head_, const hone_tensor target_, double temperature_, int64_t most)
      : hidden(of(hidden_).detach().contiguous()), head(of(head_)), target(of(target_).contiguous()),
        temperature(temperature_), n(hidden.dim() == 2 ? hidden.size(0) : -1), vocabulary(head.size(0)) {
    TORCH_CHECK(n >= 0 && head.dim() == 2 && head.size(1) == hidden.size(1) && target.dim() == 1 &&
                    target.size(0) == n && target.scalar_type() == at::kLong,
                "expected states [n, width], a head [vocabulary, width] and n targets");
    TORCH_CHECK(temperature > 0, "temperature ", temperature, ": expected above 0");
    TORCH_CHECK(hidden.scalar_type() == head.scalar_type(), "the states are ", hidden.scalar_type(), ", the head is ",
                head.scalar_type());
    if (target.is_cpu()) {
      const int64_t *t = target.const_data_ptr<int64_t>();
      for (int64_t i = 0; i < n; i++)
        TORCH_CHECK(t[i] >= 0 && t[i] < vocabulary, "target ", t[i], ": the head has ", vocabulary);
    }
    rows = chunk(n, vocabulary, hidden.is_cpu(), most);
    if (n > 0) space = at::empty({rows, vocabulary}, hidden.options());
  }

  bool loops() const { return plain(hidden); } // rather than libtorch's operations

  at::Tensor part(const at::Tensor &t, int64_t from) const { return t.narrow(0, from, std::min(rows, n - from)); }

  at::Tensor logits(int64_t from) const {
    at::Tensor h = part(hidden, from), z = space.narrow(0, 0, h.size(0));
    at::mm_out(z, h, head.detach().t());
    return z;
  }
};

float *at_row(const at::Tensor &t, int64_t row) {
  return t.defined() ? t.mutable_data_ptr<float>() + row : nullptr;
}

struct Scores {
  at::Tensor log_prob, lse, entropy, best;
};

Scores room(const End &e, bool entropy, bool best) {
  at::TensorOptions f = e.hidden.options().dtype(at::kFloat);
  return {at::empty({e.n}, f), at::empty({e.n}, f), entropy ? at::empty({e.n}, f) : at::Tensor(),
          best ? at::empty({e.n}, e.target.options()) : at::Tensor()};
}

// Fills in the scores of the chunk that begins at from; z are its logits and stay as they are.
void score(const End &e, const at::Tensor &z, int64_t from, Scores &s) {
  const int64_t rows = z.size(0);
  if (e.loops()) {
    const hone::TokenScores to{at_row(s.log_prob, from), at_row(s.lse, from), at_row(s.entropy, from),
                               s.best.defined() ? s.best.mutable_data_ptr<int64_t>() + from : nullptr};
    const float *p = z.const_data_ptr<float>();
    const int64_t *t = e.target.const_data_ptr<int64_t>() + from;
    const float scale = static_cast<float>(1 / e.temperature);
    at::parallel_for(0, rows, 1, [&](int64_t a, int64_t b) {
      hone::token_scores(p, t, scale, to, a, b, e.vocabulary);
    });
    return;
  }
  at::Tensor x = z.to(at::kFloat) / e.temperature, top = x.amax(1, true);
  at::Tensor lse = (x - top).exp_().sum(1).log_().add_(top.squeeze(1));
  s.lse.narrow(0, from, rows).copy_(lse);
  s.log_prob.narrow(0, from, rows).copy_(x.gather(1, e.part(e.target, from).unsqueeze(1)).squeeze(1) - lse);
  if (s.best.defined()) s.best.narrow(0, from, rows).copy_(at::argmax(x, 1));
  if (s.entropy.defined()) {
    at::Tensor p = (x - lse.unsqueeze(1)).exp_();
    s.entropy.narrow(0, from, rows).copy_(lse - p.mul_(x).sum(1));
  }
}

// The gradient by the logits z of a chunk, in the model's type; z is used up.
at::Tensor slope(const End &e, const at::Tensor &z, int64_t from, const Scores &s, const at::Tensor &g,
                 const at::Tensor &h) {
  const int64_t rows = z.size(0);
  if (e.loops()) {
    const float scale = static_cast<float>(1 / e.temperature);
    float *p = z.mutable_data_ptr<float>();
    const int64_t *t = e.target.const_data_ptr<int64_t>() + from;
    const float *lse = at_row(s.lse, from), *entropy = at_row(s.entropy, from), *pg = at_row(g, from);
    const float *ph = at_row(h, from);
    at::parallel_for(0, rows, 1, [&](int64_t a, int64_t b) {
      hone::token_gradient(p, t, scale, lse, pg, entropy, ph, a, b, e.vocabulary);
    });
    return z;
  }
  auto column = [&](const at::Tensor &t) { return t.narrow(0, from, rows).unsqueeze(1); };
  at::Tensor x = (z.to(at::kFloat) / e.temperature).sub_(column(s.lse)), p = x.exp();
  at::Tensor d = p * -column(g);
  if (h.defined()) d.sub_(p.mul_(x.add_(column(s.entropy))).mul_(column(h)));
  d.scatter_add_(1, e.part(e.target, from).unsqueeze(1), column(g));
  return d.div_(e.temperature).to(z.scalar_type());
}

// Carries the chunk's gradient d by the logits to the states and to the head, if that is trained.
void carry(const End &e, const at::Tensor &d, int64_t from, at::Tensor &out) {
  at::Tensor to = e.part(out, from);
  at::mm_out(to, d, e.head.detach());
  if (!e.head.requires_grad()) return;
  at::Tensor &grad = e.head.mutable_grad();
  if (!grad.defined()) grad = at::zeros(e.head.sizes(), e.head.options());
  at::Tensor h = e.part(e.hidden, from);
  if (grad.scalar_type() == d.scalar_type()) grad.addmm_(d.t(), h);
  else grad.add_(at::mm(d.t(), h));
}

at::Tensor optional(const hone_tensor t) { return t == nullptr ? at::Tensor() : of(t); }

at::Tensor weights(const End &e, const at::Tensor &w) {
  if (!w.defined()) return w;
  TORCH_CHECK(w.dim() == 1 && w.size(0) == e.n && w.scalar_type() == at::kFloat, "expected one fp32 number a row");
  return w.contiguous();
}

} // namespace

extern "C" {

char *hone_token_scores(hone_tensor *log_prob, hone_tensor *lse, hone_tensor *entropy, hone_tensor *best,
                        const hone_tensor hidden, const hone_tensor head, const hone_tensor target,
                        double temperature, int64_t rows) {
  return guarded([&] {
    at::NoGradGuard none;
    End e(hidden, head, target, temperature, rows);
    Scores s = room(e, entropy != nullptr, best != nullptr);
    for (int64_t from = 0; from < e.n; from += e.rows) score(e, e.logits(from), from, s);
    give(log_prob, s.log_prob);
    give(lse, s.lse);
    if (entropy != nullptr) give(entropy, s.entropy);
    if (best != nullptr) give(best, s.best);
  });
}

char *hone_token_gradient(hone_tensor *out, const hone_tensor hidden, const hone_tensor head, const hone_tensor target,
                          const hone_tensor lse, const hone_tensor g, const hone_tensor entropy, const hone_tensor h,
                          double temperature, int64_t rows) {
  return guarded([&] {
    at::NoGradGuard none;
    End e(hidden, head, target, temperature, rows);
    Scores s;
    s.lse = weights(e, of(lse));
    s.entropy = weights(e, optional(entropy));
    at::Tensor gl = weights(e, of(g)), ge = weights(e, optional(h)), result = at::empty_like(e.hidden);
    TORCH_CHECK(!ge.defined() || s.entropy.defined(), "a gradient by the entropy needs the entropy");
    for (int64_t from = 0; from < e.n; from += e.rows) carry(e, slope(e, e.logits(from), from, s, gl, ge), from, result);
    give(out, result);
  });
}

char *hone_token_loss(double *loss, hone_tensor *out, const hone_tensor hidden, const hone_tensor head,
                      const hone_tensor target, const hone_tensor weight, int64_t rows) {
  return guarded([&] {
    at::NoGradGuard none;
    End e(hidden, head, target, 1, rows);
    Scores s = room(e, false, false);
    at::Tensor g = weights(e, of(weight)).neg(), result = at::empty_like(e.hidden);
    for (int64_t from = 0; from < e.n; from += e.rows) {
      at::Tensor z = e.logits(from);
      score(e, z, from, s);
      carry(e, slope(e, z, from, s, g, at::Tensor()), from, result);
    }
    if (loss != nullptr) *loss = s.log_prob.to(at::kDouble).mul_(g).sum().item().toDouble();
    give(out, result);
  });
}

char *hone_backward(const hone_tensor t, const hone_tensor gradient) {
  return guarded([&] { of(t).backward(of(gradient)); });
}

char *hone_detached(hone_tensor *out, const hone_tensor t, int requires_grad) {
  return guarded([&] { give(out, of(t).detach().set_requires_grad(requires_grad != 0)); });
}

char *hone_grad(hone_tensor *out, const hone_tensor t) {
  return guarded([&] {
    if (of(t).grad().defined()) give(out, of(t).grad());
  });
}

int hone_requires_grad(const hone_tensor t) { return of(t).requires_grad() ? 1 : 0; }
}
