package nn

import "github.com/hone-rl/hone/gpu/torch"

// Linear is anything that can stand for a linear layer: x [rows, in] gives [rows, out].
type Linear interface {
	Forward(x *torch.Tensor) *torch.Tensor
	// Parameters are the layer's own under the given path, in a fixed order.
	Parameters(path string) []Parameter
}

// Parameter is a tensor of a model under its name in a checkpoint.
type Parameter struct {
	Name   string
	Tensor *torch.Tensor
}

// Dense is the plain linear layer: x·Weightᵀ + Bias.
type Dense struct {
	Weight *torch.Tensor // [out, in]
	Bias   *torch.Tensor // [out] or nil
}

// Forward implements [Linear].
func (d *Dense) Forward(x *torch.Tensor) *torch.Tensor {
	if d.Weight.Requires() {
		return x.TrainedLinear(d.Weight, d.Bias)
	}
	return x.Linear(d.Weight, d.Bias)
}

// Parameters implements [Linear].
func (d *Dense) Parameters(path string) []Parameter {
	p := []Parameter{{Name: path + ".weight", Tensor: d.Weight}}
	if d.Bias != nil {
		p = append(p, Parameter{Name: path + ".bias", Tensor: d.Bias})
	}
	return p
}

// RMSNorm is x·rsqrt(mean(x²)+Eps)·Weight.
type RMSNorm struct {
	Weight *torch.Tensor // [hidden]
	Eps    float64
}

// Forward norms each row.
func (n *RMSNorm) Forward(x *torch.Tensor) *torch.Tensor { return x.RMSNorm(n.Weight, n.Eps) }

// Parameters are the norm's.
func (n *RMSNorm) Parameters(path string) []Parameter {
	return []Parameter{{Name: path + ".weight", Tensor: n.Weight}}
}

// CentredRMSNorm is x·rsqrt(mean(x²)+Eps)·(1+Weight), in fp32 up to the result.
type CentredRMSNorm struct {
	Weight *torch.Tensor // [hidden]
	Eps    float64
}

// Forward norms each row of the last dimension.
func (n *CentredRMSNorm) Forward(x *torch.Tensor) *torch.Tensor {
	return x.To(torch.Float32).RMSNorm(n.Weight.To(torch.Float32).Plus(1), n.Eps).To(x.DType())
}

// Parameters are the norm's.
func (n *CentredRMSNorm) Parameters(path string) []Parameter {
	return []Parameter{{Name: path + ".weight", Tensor: n.Weight}}
}
