package parity_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env/alfworld/parity"
)

// within reports whether all of want stand in list, in their order.
func within(list []string, want ...string) bool {
	for _, c := range list {
		if len(want) > 0 && c == want[0] {
			want = want[1:]
		}
	}
	return len(want) == 0
}

func TestShrink(t *testing.T) {
	all := strings.Split("a b c d e f g h i j k l m n o p q r s t", " ")
	for _, c := range []struct {
		name string
		in   []string
		want []string // the commands that make the difference
	}{
		{"one", all, []string{"k"}},
		{"the last", all, []string{"t"}},
		{"first and last", all, []string{"a", "t"}},
		{"three apart", all, []string{"b", "j", "s"}},
		{"neighbours", all, []string{"g", "h"}},
		{"all", all[:5], all[:5]},
		{"nothing is needed", all, nil},
		{"no commands", nil, nil},
		{"one command", all[:1], all[:1]},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked := 0
			got, err := parity.Shrink(c.in, 1000, func(list []string) (bool, error) {
				asked++
				return within(list, c.want...), nil
			})
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
			if asked > 120 {
				t.Errorf("asked %d times", asked)
			}
		})
	}
}

// TestShrinkNeedsTwoRounds has commands that can only be left out once others are gone.
func TestShrinkNeedsTwoRounds(t *testing.T) {
	got, err := parity.Shrink([]string{"x", "open", "y", "close", "z"}, 1000, func(list []string) (bool, error) {
		return slices.Contains(list, "z") && slices.Contains(list, "open") == slices.Contains(list, "close") ||
			slices.Equal(list, []string{"open", "close"}), nil
	})
	if want := []string{"open", "close"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestShrinkStops(t *testing.T) {
	asked := 0
	got, err := parity.Shrink(make([]string, 64), 10, func([]string) (bool, error) { asked++; return false, nil })
	if err != nil || asked != 10 || len(got) != 64 {
		t.Errorf("asked %d times, got %d commands, %v", asked, len(got), err)
	}
	broken := errors.New("broken")
	if _, err := parity.Shrink(make([]string, 4), 10, func([]string) (bool, error) { return false, broken }); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
}
