package webshop

import (
	"encoding/binary"
	"errors"
	"math"
)

// packer writes what a file of products holds: numbers as varints, texts and lists after their lengths, prices as their
// 64 bits, little-endian.
type packer []byte

func (p *packer) number(n int) { *p = binary.AppendUvarint(*p, uint64(n)) }

func (p *packer) price(dollars float64) {
	*p = binary.LittleEndian.AppendUint64(*p, math.Float64bits(dollars))
}

func (p *packer) text(s string) {
	p.number(len(s))
	*p = append(*p, s...)
}

func (p *packer) list(list []string) {
	p.number(len(list))
	for _, s := range list {
		p.text(s)
	}
}

func (p *packer) product(of *Product) {
	for _, s := range []string{of.ASIN, of.Title, of.Description, of.Category, of.Query, of.CategoryPath} {
		p.text(s)
	}
	p.list(of.Bullets)
	p.number(len(of.Options))
	for _, o := range of.Options {
		p.text(o.Name)
		p.list(o.Values)
	}
	p.number(len(of.Prices))
	for _, dollars := range of.Prices {
		p.price(dollars)
	}
}

func (p *packer) described(attributes []string, in *Instruction) {
	p.list(attributes)
	if in != nil {
		p.instruction(in)
	}
}

func (p *packer) instruction(in *Instruction) {
	p.text(in.Text)
	p.list(in.Attributes)
	p.list(in.Options)
}

// errPacked is the error of bytes that no packer wrote.
var errPacked = errors.New("not what a file of products holds")

// unpacker reads what a packer wrote. After what is not so it reads nothing, and err says it. Texts are parts of its own.
type unpacker struct {
	left string
	err  error
}

func (u *unpacker) fail() { u.left, u.err = "", errPacked }

func (u *unpacker) number() int {
	n, shift := uint64(0), 0
	for i := range len(u.left) {
		b := u.left[i]
		if shift > 56 {
			break
		}
		n |= uint64(b&0x7f) << shift
		if shift += 7; b < 0x80 {
			u.left = u.left[i+1:]
			return int(n)
		}
	}
	u.fail()
	return 0
}

// count is a number of things that take a byte each at least.
func (u *unpacker) count() int {
	n := u.number()
	if n > len(u.left) {
		u.fail()
		return 0
	}
	return n
}

func (u *unpacker) text() string {
	n := u.count()
	s := u.left[:n]
	u.left = u.left[n:]
	return s
}

func (u *unpacker) list() []string {
	n := u.count()
	if n == 0 {
		return nil
	}
	list := make([]string, n)
	for i := range list {
		list[i] = u.text()
	}
	return list
}

func (u *unpacker) price() float64 {
	if len(u.left) < 8 {
		u.fail()
		return 0
	}
	bits := binary.LittleEndian.Uint64([]byte(u.left[:8]))
	u.left = u.left[8:]
	return math.Float64frombits(bits)
}

func (u *unpacker) product(p *Product) {
	for _, to := range []*string{&p.ASIN, &p.Title, &p.Description, &p.Category, &p.Query, &p.CategoryPath} {
		*to = u.text()
	}
	p.Bullets = u.list()
	if n := u.count(); n > 0 {
		p.Options = make([]Option, n)
	}
	for i := range p.Options {
		p.Options[i] = Option{u.text(), u.list()}
	}
	p.Prices = make([]float64, u.count())
	for i := range p.Prices {
		p.Prices[i] = u.price()
	}
	if n := len(p.Prices); n < 1 || n > 2 {
		u.fail()
		return
	}
	p.Tag = tag(p.Prices)
}

func (u *unpacker) described(p *Product) {
	p.Attributes = u.list()
	if u.left != "" {
		p.Instruction = &Instruction{}
		u.instruction(p.Instruction)
	}
}

func (u *unpacker) instruction(in *Instruction) {
	in.Text, in.Attributes, in.Options = u.text(), u.list(), u.list()
}

func (u *unpacker) human(p *Product) {
	if n := u.count(); n > 0 {
		p.Human = make([]Instruction, n)
	}
	for i := range p.Human {
		u.instruction(&p.Human[i])
	}
}
