package tokenizer_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/tokenizer"
)

// ranks writes tokens in tiktoken's form: the 256 bytes, then those given.
func ranks(more ...string) string {
	var b strings.Builder
	for i := range 256 + len(more) {
		token := string([]byte{byte(i)})
		if i >= 256 {
			token = more[i-256]
		}
		fmt.Fprintf(&b, "%s %d\n", base64.StdEncoding.EncodeToString([]byte(token)), i)
	}
	return b.String()
}

// TestTiktoken: two tokens make a third by its rank; a whole piece is its token even where no two make it.
func TestTiktoken(t *testing.T) {
	tok, err := tokenizer.ParseTiktoken([]byte(ranks("ab", "bc", "abc", "wxyz")), tokenizer.SplitQwen35, []string{end})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]int32{
		"ab":     {256},
		"abc":    {258},
		"xbc":    {'x', 257},
		"abcabc": {258, 258},
		"wxyz":   {259},
		"wxyza":  {'w', 'x', 'y', 'z', 'a'},
		end:      {260},
	} {
		if got := tok.Encode(text); !slices.Equal(got, want) {
			t.Errorf("Encode(%q) = %v, want %v", text, got, want)
		}
	}
	if got := tok.VocabSize(); got != 261 {
		t.Errorf("VocabSize() = %d, want 261", got)
	}
}

var tiktokenErrors = []struct{ data, want string }{
	{"", "byte 0x00"},
	{"IQ==", "line 1: expected base64, a blank and a number"},
	{"!! 0", "line 1: illegal base64"},
	{"IQ== x", `line 1: strconv.Atoi: parsing "x"`},
	{"IQ== 1", "line 1: rank 1, expected 0"},
	{" 0", "line 1: a token of 0 bytes"},
	{"IQ== 0\nIQ== 1", "line 2: the token is there twice"},
	{strings.Repeat("QUJD", 1000) + " 0", "line 1: a token of 3000 bytes, expected 1 to 1024"},
	{ranks(end), "a special token is there twice, or a token too"},
}

func TestTiktokenErrors(t *testing.T) {
	for _, test := range tiktokenErrors {
		_, err := tokenizer.ParseTiktoken([]byte(test.data), tokenizer.SplitQwen35, []string{end})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.40q: got error %v, want one with %q", test.data, err, test.want)
		}
	}
	if _, err := tokenizer.ParseTiktoken([]byte(ranks()), "line", nil); err == nil || !strings.Contains(err.Error(), `split "line"`) {
		t.Errorf("unknown split: %v", err)
	}
}

func FuzzTiktoken(f *testing.F) {
	for _, test := range tiktokenErrors {
		f.Add(test.data)
	}
	f.Add(ranks("ab", "abc"))
	f.Fuzz(func(t *testing.T, data string) {
		tok, err := tokenizer.ParseTiktoken([]byte(data), tokenizer.SplitQwen2, []string{end})
		if err != nil {
			return
		}
		for _, text := range []string{"abc", end, data[:min(len(data), 100)]} {
			if ids := tok.Encode(text); text != "" && len(ids) == 0 {
				t.Errorf("%q has become nothing", text)
			}
		}
	})
}
