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
func (r *reader) describe(asin string, raw json.RawMessage) error {
	var entry struct {
		Attributes            *[]string `json:"attributes"`
		Instruction           *string   `json:"instruction"`
		InstructionAttributes []string  `json:"instruction_attributes"`
	}
	if err := exact.Unmarshal(raw, &entry); err != nil {
		return err
	}
	if err := noNull(raw, "attributes"); err != nil { // null for an instruction is none, as in the original
		return err
	}
	at, ok := r.c.byASIN[asin]
	if !ok {
		r.c.passed.Unknown++
		return nil
	}
	list := noAttributes
	if entry.Attributes != nil {
		list = *entry.Attributes
	}
	var in *Instruction
	if entry.Instruction != nil {
		if len(entry.InstructionAttributes) == 0 {
			return errors.New(`an "instruction" without "instruction_attributes", expected at least one`)
		}
		in = &Instruction{Text: *entry.Instruction, Attributes: entry.InstructionAttributes}
	}
	r.c.rows[at].asked = in != nil
	return r.keeper.describe(int(at), list, in)
}

// noNull refuses an object that is null, or has null under a key.
func noNull(raw json.RawMessage, key string) error {
	if isNull(raw) {
		return errors.New("null, expected an object")
	}
	return exact.Members(raw, func(name string, value []byte) error {
		if name == key && isNull(value) {
			return fmt.Errorf("%s is null, expected a list of texts", key)
		}
		return nil
	})
}

// instruct reads an entry of the file of instructions by people.
func (r *reader) instruct(asin string, raw json.RawMessage) error {
	var entry []struct {
		Instruction *string   `json:"instruction"`
		Attributes  *[]string `json:"instruction_attributes"`
		Options     *[]string `json:"instruction_options"`
	}
	if err := exact.Unmarshal(raw, &entry); err != nil {
		return err
	}
	if entry == nil {
		return errors.New("null, expected a list of instructions")
	}
	at, ok := r.c.byASIN[asin]
	if !ok {
		r.c.passed.Unknown++
		return nil
	}
	list := make([]Instruction, len(entry))
	for i, e := range entry {
		if e.Instruction == nil || e.Attributes == nil || e.Options == nil {
			return fmt.Errorf(`instruction %d: expected "instruction", "instruction_attributes" and "instruction_options"`, i+1)
		}
		list[i] = Instruction{Text: *e.Instruction, Attributes: *e.Attributes, Options: *e.Options}
	}
	r.c.rows[at].byPeople = len(list) > 0
	return r.keeper.instruct(int(at), list)
}
