package train

// Grads are the gradients of the last step before clipping, by name: for whoever compares them.
func (t *Trainer) Grads() map[string][]float32 {
	all := t.flat.grads.Floats()
	grads := map[string][]float32{}
	for _, p := range t.flat.parts {
		grads[p.name] = all[p.offset : p.offset+p.size]
	}
	return grads
}
