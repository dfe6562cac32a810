package alfworld

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"github.com/hone-rl/hone/env"
)

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// openFile opens a regular file, or a link to one: a pipe or a device would keep its reader waiting.
func openFile(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %s is no regular file", env.ErrBadGame, path)
	}
	return os.Open(path)
}

// readFile reads a regular file of no more than MaxFile bytes.
func readFile(path string) ([]byte, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err == nil && len(data) > MaxFile {
		err = fmt.Errorf("%w: %s has more than %d bytes", env.ErrBadGame, path, MaxFile)
	}
	return data, err
}

// notUTF8 says where data is not UTF-8, which Python's reader refuses and Go's would mend.
func notUTF8(data []byte) error {
	if utf8.Valid(data) {
		return nil
	}
	at := 0
	for at < len(data) {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return fmt.Errorf("%w: line %d, byte %d: not UTF-8", env.ErrBadGame, 1+bytes.Count(data[:at], []byte("\n")), at)
}

// canonical is a game file's JSON with sorted keys and without white space: the same bytes for the same parts.
func canonical(domain, grammar, problem string) ([]byte, error) {
	return encode(struct {
		Grammar     string   `json:"grammar"`
		Domain      string   `json:"pddl_domain"`
		Problem     string   `json:"pddl_problem"`
		Solvable    bool     `json:"solvable"`
		Walkthrough []string `json:"walkthrough"`
	}{grammar, domain, problem, true, nil})
}

// encode is json.Marshal without the escapes that are only for HTML.
func encode(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}
