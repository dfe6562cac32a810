package nn

import "github.com/hone-rl/hone/gpu/torch"

// MLP is the gated feed-forward part of a block (Shazeer 2020): Down(silu(Gate(x))·Up(x)).
type MLP struct {
	Gate, Up, Down Linear
}

// LoadMLP loads one without biases whose layers are named gate_proj, up_proj and down_proj under path.
func LoadMLP(load *Loader, path string, hidden, inner int) *MLP {
	return &MLP{
		Gate: load.Dense(path+".gate_proj", inner, hidden, false),
		Up:   load.Dense(path+".up_proj", inner, hidden, false),
		Down: load.Dense(path+".down_proj", hidden, inner, false),
	}
}

// Forward works row by row.
func (m *MLP) Forward(x *torch.Tensor) *torch.Tensor {
	return m.Down.Forward(m.Gate.Forward(x).SiluMul(m.Up.Forward(x)))
}

// Slots are the layers under path, in order.
func (m *MLP) Slots(path string) []Slot {
	return []Slot{{path + ".gate_proj", &m.Gate}, {path + ".up_proj", &m.Up}, {path + ".down_proj", &m.Down}}
}

// Slot is a place of a model that a linear layer stands in.
type Slot struct {
	Path  string
	Layer *Linear
}

// Parameters are those of the layer in it.
func (s Slot) Parameters() []Parameter { return (*s.Layer).Parameters(s.Path) }
