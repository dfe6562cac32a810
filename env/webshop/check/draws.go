package check

import (
	"context"
	"fmt"

	"github.com/hone-rl/hone/env/webshop/golden"
	"github.com/hone-rl/hone/env/webshop/internal/mt19937"
)

// draws repeats what Python's and NumPy's generators drew.
func (c *checker) draws(context.Context) error {
	python, err := c.cfg.Folder.Python()
	if err != nil {
		return err
	}
	numpy, err := c.cfg.Folder.NumPy()
	if err != nil {
		return err
	}
	for _, s := range python {
		c.compare(Draws, s.Place, fmt.Sprintf("Python, seed %d", s.Value.Seed), func(o *one) error { return o.python(&s.Value) })
	}
	for _, s := range numpy {
		c.compare(Draws, s.Place, fmt.Sprintf("NumPy, seed %d", s.Value.Seed), func(o *one) error { return o.numpy(&s.Value) })
	}
	return nil
}

// python repeats the draws, all from one generator in the order recorded.
func (o *one) python(s *golden.Python) error {
	p := mt19937.NewPython(s.Seed)
	for _, want := range s.Floats {
		o.same("random", p.Float(), want)
	}
	for _, b := range s.Bits {
		if b[0] > 64 {
			return fmt.Errorf("getrandbits of %d bits, expected up to 64", b[0])
		}
		o.same("getrandbits", p.Bits(int(b[0])), b[1])
	}
	for _, b := range s.Below {
		if b[0] < 1 {
			return fmt.Errorf("randbelow %d, expected a number from 1 on", b[0])
		}
		o.same("randbelow", p.Below(b[0]), b[1])
	}
	for _, want := range s.Uniform {
		o.same("uniform", p.Uniform(10.5, 99.25), want)
	}
	for _, of := range []struct {
		n       int
		samples [][]float64
	}{{4, s.Of4}, {3, s.Of3}} {
		for _, want := range of.samples {
			got, err := p.Sample(of.n, 2)
			if err != nil {
				return err
			}
			o.same(fmt.Sprintf("sample of %d", of.n), []float64{float64(10*got[0] + 10), float64(10*got[1] + 10)}, want)
		}
	}
	letters, err := p.Choices(26, 10)
	if err != nil {
		return err
	}
	var word []byte
	for _, i := range letters {
		word = append(word, byte('a'+i))
	}
	o.same("choices", string(word), s.Letters)
	list := make([]int, 20)
	for i := range list {
		list[i] = i
	}
	p.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	o.same("shuffle", list, s.Shuffle)
	fifty, err := p.Sample(1000, 50)
	if err != nil {
		return err
	}
	o.same("sample of 1000", fifty, s.Of1000)
	o.same("next", p.Float(), s.Next)
	return nil
}

// maxRange bounds the numbers that are drawn from, as a shop bounds its goals.
const maxRange = 1 << 25

// numpy repeats the draws of tasks: training from one generator, validation from another.
func (o *one) numpy(s *golden.NumPy) error {
	if len(s.Calls) == 0 || len(s.Validation) == 0 {
		return fmt.Errorf("%d calls and %d of validation, expected one at least of each", len(s.Calls), len(s.Validation))
	}
	training, validation := mt19937.NewNumPy(s.Seed), mt19937.NewNumPy(s.Seed)
	for i, c := range s.Calls {
		if c.Range[0] < 0 || c.Range[1] > maxRange {
			return fmt.Errorf("call %d: a range of %d, expected it within 0 to %d", i+1, c.Range, maxRange)
		}
		if c.Replace {
			return fmt.Errorf("call %d: replace is true, expected draws without", i+1)
		}
		o.same(fmt.Sprintf("call %d: size", i+1), len(c.Result), c.Size)
		got, err := training.Choice(c.Range[0], c.Range[1], len(c.Result))
		if err != nil {
			return err
		}
		o.same(fmt.Sprintf("call %d", i+1), got, c.Result)
	}
	for i, want := range s.Validation {
		got, err := validation.Choice(0, 500, len(want))
		if err != nil {
			return err
		}
		o.same(fmt.Sprintf("validation %d", i+1), got, want)
	}
	return nil
}
