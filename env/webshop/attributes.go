package webshop

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hone-rl/hone/internal/exact"
)

// noAttributes is what a product without attributes has.
var noAttributes = []string{"DUMMY_ATTR"}

// describe reads an entry of the file of attributes.
func (c *Catalogue) describe(asin string, raw json.RawMessage, same texts) error {
	var entry struct {
		Attributes            *[]string `json:"attributes"`
		Instruction           *string   `json:"instruction"`
		InstructionAttributes []string  `json:"instruction_attributes"`
	}
	if err := exact.Unmarshal(raw, &entry); err != nil {
		return err
	}
	at, ok := c.byASIN[asin]
	if !ok {
		c.passed.Unknown++
		return nil
	}
	p := &c.products[at]
	p.Attributes, p.Instruction = noAttributes, nil
	if entry.Attributes != nil {
		p.Attributes = *entry.Attributes
		same.list(p.Attributes)
	}
	if entry.Instruction != nil {
		if len(entry.InstructionAttributes) == 0 {
			return errors.New(`an "instruction" without "instruction_attributes", expected at least one`)
		}
		p.Instruction = &Instruction{Text: *entry.Instruction, Attributes: entry.InstructionAttributes}
		same.list(p.Instruction.Attributes)
	}
	return nil
}

// instruct reads an entry of the file of instructions by people.
func (c *Catalogue) instruct(asin string, raw json.RawMessage) error {
	var entry []struct {
		Instruction *string   `json:"instruction"`
		Attributes  *[]string `json:"instruction_attributes"`
		Options     *[]string `json:"instruction_options"`
	}
	if err := exact.Unmarshal(raw, &entry); err != nil {
		return err
	}
	at, ok := c.byASIN[asin]
	if !ok {
		c.passed.Unknown++
		return nil
	}
	list := make([]Instruction, len(entry))
	for i, e := range entry {
		if e.Instruction == nil || e.Attributes == nil || e.Options == nil {
			return fmt.Errorf(`instruction %d: expected "instruction", "instruction_attributes" and "instruction_options"`, i+1)
		}
		list[i] = Instruction{Text: *e.Instruction, Attributes: *e.Attributes, Options: *e.Options}
	}
	c.products[at].Human = list
	return nil
}
