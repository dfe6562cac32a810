package tokenizer

import (
	"errors"
	"fmt"
)

// readNormalizer tells whether text is brought to NFC.
func readNormalizer(c *component, field string) (nfc bool, err error) {
	switch {
	case c == nil:
		return false, nil
	case c.Type == "NFC":
		return true, nil
	case c.Type != "Sequence":
		return false, fmt.Errorf("%s: type %q is not supported (expected NFC or null)", field, c.Type)
	}
	for i := range c.Normalizers {
		part, err := readNormalizer(&c.Normalizers[i], fmt.Sprintf("%s.normalizers[%d]", field, i))
		if err != nil {
			return false, err
		}
		nfc = nfc || part
	}
	return nfc, nil
}

// readPreTokenizer takes a Sequence of a Split that we know and ByteLevel without a pattern of its own.
func readPreTokenizer(c *component) (split, error) {
	const field = "pre_tokenizer"
	switch {
	case c == nil:
		return split{}, errors.New(field + ": missing, expected a Sequence of Split and ByteLevel")
	case c.Type != "Sequence":
		return split{}, fmt.Errorf("%s: type %q is not supported (expected a Sequence of Split and ByteLevel)", field, c.Type)
	case len(c.Pretokenizers) != 2:
		return split{}, fmt.Errorf("%s.pretokenizers: %d of them, expected 2, Split and ByteLevel", field, len(c.Pretokenizers))
	}
	s, b := c.Pretokenizers[0], c.Pretokenizers[1]
	switch {
	case s.Type != "Split":
		return split{}, fmt.Errorf("%s.pretokenizers[0]: type %q is not supported (expected Split)", field, s.Type)
	case s.Behavior != "Isolated" || s.Invert:
		return split{}, fmt.Errorf("%s.pretokenizers[0]: behavior %q, invert %t are not supported (expected Isolated, false)",
			field, s.Behavior, s.Invert)
	case b.Type != "ByteLevel":
		return split{}, fmt.Errorf("%s.pretokenizers[1]: type %q is not supported (expected ByteLevel)", field, b.Type)
	case b.PrefixSpace:
		return split{}, fmt.Errorf("%s.pretokenizers[1].add_prefix_space: true is not supported (expected false)", field)
	case b.UseRegex == nil || *b.UseRegex:
		return split{}, fmt.Errorf("%s.pretokenizers[1].use_regex: true is not supported (expected false)", field)
	}
	for _, known := range splits {
		if s.Pattern["Regex"] == known.pattern {
			return known, nil
		}
	}
	return split{}, fmt.Errorf("%s.pretokenizers[0].pattern: %q is not supported (expected the pattern of Qwen2, Qwen3.5 or our phrases)",
		field, s.Pattern["Regex"])
}
