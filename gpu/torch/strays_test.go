package torch_test

import (
	"slices"
	"testing"

	"github.com/hone-rl/hone/gpu/torch"
	"github.com/hone-rl/hone/gpu/torch/torchtest"
)

// A tensor of another device is found, whether libtorch refuses it or not: in a product, in a list, in a gradient.
// What is on the device, numbers and copies are not.
func TestStrays(t *testing.T) {
	cpu := torchtest.Engine(t)
	var astray, leaf *torch.Tensor
	torchtest.Do(t, cpu, func() {
		astray = cpu.Zeros(torch.Float32, 4, 4).Keep()
		leaf = cpu.Zeros(torch.Float32, 16).Leaf(cpu.Zeros(torch.Float32, 16), 0, 4, 4).Keep()
	})
	e := torchtest.On(t, torch.Config{Device: "meta", Threads: 1})
	for _, c := range []struct {
		name string
		f    func(x *torch.Tensor)
		want string // an operation that is found; "" for none
	}{
		{"none", func(x *torch.Tensor) { x.MatMul(x).Add(x).Scale(2).Times(3).To(torch.BFloat16) }, ""},
		{"made on the device", func(*torch.Tensor) { e.FromFloats([]float32{1, 2}, 2).Add(e.FromFloats([]float32{3, 4}, 2)) }, ""},
		{"product", func(x *torch.Tensor) { x.MatMul(astray) }, "aten::matmul"},
		{"sum", func(x *torch.Tensor) { x.Add(astray) }, "aten::add"},
		{"list", func(x *torch.Tensor) { torch.Cat(0, x, astray) }, "aten::cat"},
		{"index", func(x *torch.Tensor) { x.Rows(astray) }, "aten::index_select"},
		{"norm", func(x *torch.Tensor) { x.RMSNorm(astray.Narrow(0, 0, 1).View(4), 1) }, "aten::mul_"},
		{"gradient", func(*torch.Tensor) { e.Grad(func() { leaf.Mul(leaf).Sum().Backward() }) }, "aten::mul"},
	} {
		var got []string
		err := e.Do(t.Context(), func() error {
			x := e.Zeros(torch.Float32, 4, 4)
			got = e.Strays(func() {
				defer func() {
					if p := recover(); p != nil {
						t.Logf("%s: refused by libtorch: %v", c.name, p)
					}
				}()
				c.f(x)
			})
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if c.want == "" && len(got) > 0 || c.want != "" && !slices.Contains(got, c.want) {
			t.Errorf("%s: found %v, want %q", c.name, got, c.want)
		}
	}
	torchtest.Do(t, cpu, func() {
		astray.Free()
		leaf.Free()
	})
}
