package nn

import (
	"math"

	"github.com/hone-rl/hone/gpu/torch"
)

// Rotary holds the tables of rotary positions, as long as the longest sequence seen so far asked for.
type Rotary struct {
	Width int     // of a head
	Theta float64 // base

	cos, sin *torch.Tensor // [positions, Width/2]
	have     int
}

// Tables are cos and sin of p·f_j with f_j = theta^(-2j/width), for at least so many positions. Frequencies and
// angles are rounded to fp32 before the cosine, as the reference implementation does.
func (r *Rotary) Tables(e *torch.Engine, positions int) (cos, sin *torch.Tensor) {
	if positions <= r.have {
		return r.cos, r.sin
	}
	n := 256
	for n < positions {
		n *= 2
	}
	half := r.Width / 2
	c, s := make([]float32, n*half), make([]float32, n*half)
	for j := range half {
		f := 1 / float32(math.Pow(r.Theta, float64(float32(2*j)/float32(r.Width))))
		for p := range n {
			angle := float64(float32(p) * f)
			c[p*half+j], s[p*half+j] = float32(math.Cos(angle)), float32(math.Sin(angle))
		}
	}
	r.Free()
	r.cos = e.FromFloats(c, int64(n), int64(half)).Keep()
	r.sin = e.FromFloats(s, int64(n), int64(half)).Keep()
	r.have = n
	return r.cos, r.sin
}

// Free gives the tables' memory back.
func (r *Rotary) Free() {
	r.cos.Free()
	r.sin.Free()
	r.have = 0
}
