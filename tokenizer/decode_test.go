package tokenizer_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hone-rl/hone/tokenizer"
)

// validTests are what Python's bytes.decode(errors="replace") gives.
var validTests = []struct{ text, want string }{
	{"", ""},
	{"a é 字 😀", "a é 字 😀"},
	{"\xff\xfe", "��"},
	{"\x80\x80\x80", "���"},
	{"\xe5\xad", "�"},            // the beginning of 字: one
	{"\xe5\xad!", "�!"},          // and broken off
	{"\xe5\xe5\xad\x97", "�字"},   // another begins
	{"\xf0\x9f\x98", "�"},        // three of four bytes
	{"\xf0\x9f\x98a", "�a"},      //
	{"\xf0\x80\x80\x80", "����"}, // overlong: its second byte cannot follow
	{"\xc0\xaf", "��"},
	{"\xed\xa0\x80", "���"}, // a surrogate
	{"\xf4\x90\x80\x80", "����"},
	{"\xf4\x8f\xbf\xbf", "\U0010ffff"},
	{"�\xc3", "��"},
	{"\xc3\xc3\xa9", "�é"},
}

func TestValid(t *testing.T) {
	for _, test := range validTests {
		if got := tokenizer.Valid(test.text); got != test.want {
			t.Errorf("Valid(%q) = %q, want %q", test.text, got, test.want)
		}
	}
}

// byteIDs are the tokens of single bytes.
func byteIDs(t testing.TB, tok *tokenizer.Tokenizer, text string) []int32 {
	t.Helper()
	var ids []int32
	for i := range len(text) {
		ids = append(ids, tok.EncodePlain(text[i:i+1])...)
	}
	return ids
}

// TestStream: what is whole comes at once, what may become whole is held back.
func TestStream(t *testing.T) {
	tok := small(t, tokenizer.SplitPhrase)
	s := tok.NewStream()
	var steps []string
	for _, id := range byteIDs(t, tok, "a\xe5\xad\x97\xf0\x9f\x98b\xff\xc3") {
		steps = append(steps, s.Add(id))
	}
	if got, want := strings.Join(steps, "|"), "a|||字||||�b|�|"; got != want {
		t.Errorf("steps %q, want %q", got, want)
	}
	if got := s.End(); got != "�" {
		t.Errorf("End() = %q, want one replacement", got)
	}
	if got := s.End(); got != "" {
		t.Errorf("End() again = %q", got)
	}
}

func TestDecodePlain(t *testing.T) {
	tok := small(t, tokenizer.SplitPhrase)
	ids := append([]int32{0, -1, 1 << 30}, tok.Encode("go to"+end+"<|pad|>!")...)
	if got := tok.DecodePlain(ids); got != "go to!" {
		t.Errorf("DecodePlain = %q, want %q", got, "go to!")
	}
}

// FuzzStream: bytes one by one come together to what they are in one.
func FuzzStream(f *testing.F) {
	for _, test := range validTests {
		f.Add(test.text)
	}
	tok := small(f, tokenizer.SplitPhrase)
	f.Fuzz(func(t *testing.T, text string) {
		s, got := tok.NewStream(), ""
		for _, id := range byteIDs(t, tok, text) {
			part := s.Add(id)
			if !utf8.ValidString(part) {
				t.Fatalf("%q: part %q", text, part)
			}
			got += part
		}
		got += s.End()
		if want := tokenizer.Valid(text); got != want || utf8.ValidString(text) && got != text {
			t.Errorf("%q: streamed %q, want %q", text, got, want)
		}
		if n := strings.Count(got, "�"); utf8.ValidString(text) && n != strings.Count(text, "�") {
			t.Errorf("%q: %d replacements", text, n)
		}
	})
}
