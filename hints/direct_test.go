package hints

import (
	"slices"
	"strings"
	"testing"
)

func TestTidied(t *testing.T) {
	tests := map[string]struct{ plan, want string }{
		"straight stays":          {"go to cabinet 1, open cabinet 1, take mug 1 from cabinet 1, go to shelf 1, move mug 1 to shelf 1", ""},
		"two looked in vain":      {"go to cabinet 1, open cabinet 1, go to cabinet 2, open cabinet 2, go to cabinet 3, open cabinet 3, take mug 1 from cabinet 3", "go to cabinet 3, open cabinet 3, take mug 1 from cabinet 3"},
		"twelve is not one":       {"open drawer 1, open drawer 12, take pen 1 from drawer 12", "open drawer 12, take pen 1 from drawer 12"},
		"shared place":            {"go to cabinet 1, open cabinet 1, open cabinet 2, take mug 1 from cabinet 2", "go to cabinet 1, open cabinet 2, take mug 1 from cabinet 2"},
		"examined":                {"go to desk 1, examine desk 2, take pen 1 from desk 2", "go to desk 1, take pen 1 from desk 2"},
		"a way after the deed":    {"take pen 1 from desk 1, go to shelf 1, go to desk 2, use desklamp 1", "take pen 1 from desk 1, go to desk 2, use desklamp 1"},
		"put in, older words":     {"go to safe 1, open safe 1, put pen 1 in/on safe 1", ""},
		"opened on the way":       {"go to safe 1, open safe 1, go to desk 1, take pen 1 from desk 1, go to safe 1, move pen 1 to safe 1", "go to desk 1, take pen 1 from desk 1, go to safe 1, open safe 1, move pen 1 to safe 1"},
		"closed, opened again":    {"go to safe 1, open safe 1, close safe 1, go to bed 1, go to safe 1, open safe 1, take pen 1 from safe 1", "go to safe 1, open safe 1, take pen 1 from safe 1"},
		"stays open":              {"go to safe 1, open safe 1, move pen 1 to safe 1, go to bed 1, take pen 2 from bed 1, go to safe 1, move pen 2 to safe 1", ""},
		"a look and an inventory": {"look, inventory, go to bed 1, help, take pen 1 from bed 1", "go to bed 1, take pen 1 from bed 1"},
		"nothing":                 {"", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.want == "" {
				tt.want = tt.plan
			}
			if got := strings.Join(tidied(strings.Split(tt.plan, ", ")), ", "); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestNamed(t *testing.T) {
	for command, want := range map[string][]string{
		"take mug 1 from cabinet 12": {"mug 1", "cabinet 12"},
		"look":                       nil,
		"3 mug":                      nil,
		"":                           nil,
	} {
		if got := named(command); !slices.Equal(got, want) {
			t.Errorf("named(%q) = %q, want %q", command, got, want)
		}
	}
}
