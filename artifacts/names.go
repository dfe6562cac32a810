package artifacts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

const maxName = 512 // bytes of a whole name

// Names become object keys, which some stores keep as files: a component ends up with ".json" behind it, is at most
// 255 bytes then, and may not look like such a file itself.
var nameComponent = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,199}$`)

// ValidateName says what is wrong with a name for Store.Name, nil if nothing is.
func ValidateName(name string) error {
	if len(name) > maxName {
		return fmt.Errorf("name %.40q…: %d bytes, expected at most %d", name, len(name), maxName)
	}
	for c := range strings.SplitSeq(name, "/") {
		if !nameComponent.MatchString(c) || strings.HasSuffix(c, ".json") {
			return fmt.Errorf("name %q: component %q: expected 1 to 200 of A-Z a-z 0-9 . _ -, "+
				"not beginning with . or -, not ending with .json", name, c)
		}
	}
	return nil
}

// Parents lists the names that name would be inside of: "a" and "a/b" for "a/b/c".
func Parents(name string) []string {
	var parents []string
	for i, c := range name {
		if c == '/' {
			parents = append(parents, name[:i])
		}
	}
	return parents
}

// nameRecord is what a store keeps under a name. Check makes each of its bytes count: without it a changed digit of
// the digest would be another digest. Its fields stand in the order of canonical JSON.
type nameRecord struct {
	Check  Digest `json:"check"` // of the name, a line feed, the digest and a line feed
	Digest Digest `json:"digest"`
	Name   string `json:"name"`
}

func newNameRecord(name string, d Digest) nameRecord {
	return nameRecord{Check: Of([]byte(name + "\n" + string(d) + "\n")), Digest: d, Name: name}
}

// EncodeName is what a store keeps under name to point at d.
func EncodeName(name string, d Digest) ([]byte, error) {
	if err := ValidateName(name); err != nil {
		return nil, err
	}
	if err := d.Validate(); err != nil {
		return nil, fmt.Errorf("name %q: %w", name, err)
	}
	// Neither names nor digests hold a character that JSON escapes, so this is canonical.
	return json.Marshal(newNameRecord(name, d))
}

// DecodeName is the digest in b, ErrCorrupt if b is not byte for byte what EncodeName makes for name.
func DecodeName(name string, b []byte) (Digest, error) {
	var r nameRecord
	if err := json.Unmarshal(b, &r); err != nil {
		return "", fmt.Errorf("name %q: %d bytes that are no name record (%w): %w", name, len(b), err, ErrCorrupt)
	}
	want, err := EncodeName(name, r.Digest)
	if err != nil {
		return "", fmt.Errorf("%w: %w", err, ErrCorrupt)
	}
	if !bytes.Equal(b, want) {
		return "", fmt.Errorf("name %q: its record is not what was written for %s: %w", name, r.Digest, ErrCorrupt)
	}
	return r.Digest, nil
}
