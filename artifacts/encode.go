package artifacts

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/gowebpki/jcs"
)

// maxInteger is the largest integer that canonical JSON, whose numbers are IEEE doubles, can tell from its
// neighbours (RFC 8785, section 3.2.2.3).
const maxInteger = 1<<53 - 1

// maxManifest bounds what is read as a manifest, in bytes; one output takes about 200.
const maxManifest = 64 << 20

// Encode is the canonical JSON of m. Inputs are sorted by role, then digest, and outputs by name; SchemaVersion and
// MediaType may be left zero. The same content gives the same bytes. m is not changed.
func Encode(m Manifest) ([]byte, error) {
	m.SchemaVersion = cmp.Or(m.SchemaVersion, 1)
	m.MediaType = cmp.Or(m.MediaType, MediaTypeManifest)
	// Never nil, so that none is [] and not null.
	m.Inputs = append([]Input{}, m.Inputs...)
	m.Outputs = append([]Output{}, m.Outputs...)
	slices.SortFunc(m.Inputs, func(a, b Input) int {
		return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(a.Digest, b.Digest))
	})
	slices.SortFunc(m.Outputs, func(a, b Output) int { return cmp.Compare(a.Name, b.Name) })
	if err := m.Validate(); err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	b, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	if b, err = jcs.Transform(b); err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	return b, nil
}

// Decode reads what Encode wrote. Anything else is refused: unknown fields, another order, other spelling of the
// same JSON.
func Decode(b []byte) (*Manifest, error) {
	if len(b) > maxManifest {
		return nil, fmt.Errorf("manifest: %d bytes, expected at most %d", len(b), maxManifest)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	var m Manifest
	if err := d.Decode(&m); err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("manifest: more behind its JSON, at byte %d of %d", d.InputOffset(), len(b))
	}
	want, err := Encode(m)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(b, want) {
		return nil, fmt.Errorf("manifest: not canonical JSON: differs from it at byte %d", firstDifference(b, want))
	}
	return &m, nil
}

func firstDifference(a, b []byte) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return i
}

// checkObject refuses what is not a JSON object, and integers that canonical JSON would round: a seed must not
// become its neighbour.
func checkObject(raw json.RawMessage) error {
	if len(raw) == 0 {
		return nil
	}
	if raw[0] != '{' {
		return fmt.Errorf("%.20q…: expected a JSON object", raw)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("at byte %d: %w", d.InputOffset(), err)
		}
		if n, ok := token.(json.Number); ok {
			if err := checkNumber(n.String()); err != nil {
				return fmt.Errorf("at byte %d: %w", d.InputOffset(), err)
			}
		}
	}
}

// checkNumber holds integers against what canonical JSON makes of them; fractions are rounded as everywhere.
func checkNumber(s string) error {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return err
	}
	if strings.ContainsAny(s, ".eE") {
		return nil
	}
	if kept := strconv.FormatFloat(f, 'f', -1, 64); kept != s {
		return fmt.Errorf("integer %s would become %s in canonical JSON, expected at most %d either side of 0; write it as a string",
			s, kept, int64(maxInteger))
	}
	return nil
}
