package artifacts

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

var kinds = []Kind{
	KindGames, KindCatalogue, KindDataset, KindModel, KindAdapter, KindCheckpoint, KindTrajectories, KindRollouts, KindSkills, KindBank,
	KindUpdate, KindPolicy, KindReport, KindRun, KindRecord,
}

// Kinds lists the kinds of artifacts.
func Kinds() []Kind { return slices.Clone(kinds) }

// Validate says all that is wrong with m, nil if nothing is. The order of inputs and outputs does not matter here.
func (m *Manifest) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if m.SchemaVersion != 1 {
		bad("schemaVersion: %d, expected 1", m.SchemaVersion)
	}
	if m.MediaType != MediaTypeManifest {
		bad("mediaType: %q, expected %q", m.MediaType, MediaTypeManifest)
	}
	if !slices.Contains(kinds, m.Kind) {
		bad("kind: %q, expected one of %v", m.Kind, kinds)
	}
	if m.Producer.Name == "" || m.Producer.Version == "" {
		bad("producer: name %q and version %q, expected both", m.Producer.Name, m.Producer.Version)
	}
	if err := checkObject(m.Parameters); err != nil {
		bad("parameters: %w", err)
	}
	if err := checkObject(m.Summary); err != nil {
		bad("summary: %w", err)
	}
	errs = append(errs, checkInputs(m.Inputs)...)
	errs = append(errs, checkOutputs(m.Outputs)...)
	return errors.Join(errs...)
}

func checkInputs(inputs []Input) (errs []error) {
	seen := map[Input]bool{}
	for i, in := range inputs {
		if in.Role == "" || !printable(in.Role) {
			errs = append(errs, fmt.Errorf("inputs[%d].role: %q, expected printable text", i, in.Role))
		}
		if err := in.Digest.Validate(); err != nil {
			errs = append(errs, fmt.Errorf("inputs[%d]: %w", i, err))
		}
		if seen[in] {
			errs = append(errs, fmt.Errorf("inputs[%d]: %s %s stands there twice", i, in.Role, in.Digest))
		}
		seen[in] = true
	}
	return errs
}

func checkOutputs(outputs []Output) (errs []error) {
	names, folders := map[string]bool{}, map[string]bool{}
	for _, out := range outputs {
		for _, p := range Parents(out.Name) {
			folders[p] = true
		}
	}
	for i, out := range outputs {
		bad := func(format string, args ...any) {
			errs = append(errs, fmt.Errorf("outputs[%d] %q: %w", i, out.Name, fmt.Errorf(format, args...)))
		}
		if err := checkFileName(out.Name); err != nil {
			bad("name: %w", err)
		}
		if names[out.Name] {
			bad("name stands there twice")
		}
		if folders[out.Name] {
			bad("name is also a folder of another output")
		}
		names[out.Name] = true
		if !strings.Contains(out.MediaType, "/") || !printable(out.MediaType) {
			bad("mediaType: %q, expected type/subtype", out.MediaType)
		}
		if err := out.Digest.Validate(); err != nil {
			bad("%w", err)
		}
		if out.Size < 0 || out.Size > maxInteger {
			bad("size: %d, expected 0 to %d", out.Size, int64(maxInteger))
		}
	}
	return errs
}

// checkFileName keeps an artifact inside the folder that it is fetched to.
func checkFileName(name string) error {
	if !printable(name) || strings.Contains(name, `\`) {
		return errors.New("expected printable text without backslashes")
	}
	for c := range strings.SplitSeq(name, "/") {
		switch {
		case c == "" || c == "." || c == "..":
			return fmt.Errorf("component %q: expected a relative path without . or .. or empty components", c)
		case len(c) > 255:
			return fmt.Errorf("component %.20q…: %d bytes, expected at most 255", c, len(c))
		}
	}
	return nil
}

func printable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}
