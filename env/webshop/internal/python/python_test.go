package python_test

import (
	"math"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env/webshop/internal/python"
)

// TestFloat: what Python 3.11 prints.
func TestFloat(t *testing.T) {
	for _, c := range []struct {
		f    float64
		want string
	}{
		{877.8, "877.8"},
		{18, "18.0"},
		{1847, "1847.0"},
		{0, "0.0"},
		{math.Copysign(0, -1), "-0.0"},
		{2.0 / 3, "0.6666666666666666"},
		{0.0001, "0.0001"},
		{0.00001, "1e-05"},
		{1e15, "1000000000000000.0"},
		{1e16, "1e+16"},
		{1.5e22, "1.5e+22"},
		{123456789.125, "123456789.125"},
		{5e-324, "5e-324"},
		{1.7976931348623157e308, "1.7976931348623157e+308"},
		{math.Inf(1), "inf"},
		{math.Inf(-1), "-inf"},
		{math.NaN(), "nan"},
		{-12.5, "-12.5"},
	} {
		if got := python.Float(c.f); got != c.want {
			t.Errorf("Float(%g) = %q, want %q", c.f, got, c.want)
		}
	}
}

// TestQuote: what repr and json.dumps of Python 3.11 print.
func TestQuote(t *testing.T) {
	for _, c := range []struct{ s, repr, json string }{
		{"", `''`, `""`},
		{"men's", `"men's"`, `"men's"`},
		{`16" x 20"`, `'16" x 20"'`, `"16\" x 20\""`},
		{`it's 16"`, `'it\'s 16"'`, `"it's 16\""`},
		{`a\b`, `'a\\b'`, `"a\\b"`},
		{"wine\u00a0red", `'wine\xa0red'`, `"wine\u00a0red"`},
		{"café ×", `'café ×'`, `"caf\u00e9 \u00d7"`},
		{"\t\n\r\b\f\x00\x7f", `'\t\n\r\x08\x0c\x00\x7f'`, `"\t\n\r\b\f\u0000\u007f"`},
		{"\u2028\ufeff", `'\u2028\ufeff'`, `"\u2028\ufeff"`},
		{"🙂\U000e0001", `'🙂\U000e0001'`, `"\ud83d\ude42\udb40\udc01"`},
		{"<b>&", `'<b>&'`, `"<b>&"`},
	} {
		if got := python.Repr(c.s); got != c.repr {
			t.Errorf("Repr(%q) = %s, want %s", c.s, got, c.repr)
		}
		if got := python.JSON(c.s); got != c.json {
			t.Errorf("JSON(%q) = %s, want %s", c.s, got, c.json)
		}
	}
}

// TestTrim: where Python and Go part.
func TestTrim(t *testing.T) {
	for s, want := range map[string]string{"İ": "i̇", "ΟΔΟΣ": "οδος", "ΣΑΣ ΣΑΣ": "σας σας", "ÀÉ": "àé", "Red": "red"} {
		if got := python.Lower(s); got != want {
			t.Errorf("Lower(%q) = %q, want %q", s, got, want)
		}
	}
	if got := python.Strip("\x1c\u00a0\u3000 a b\x1f\n\u2028"); got != "a b" {
		t.Errorf("Strip leaves %q", got)
	}
	if got := python.Strip("\u200b\ufeff"); !strings.Contains(got, "\u200b") {
		t.Errorf("Strip takes %q, which Python keeps", "\u200b")
	}
}
