package main

import (
	"testing"

	"github.com/hone-rl/hone/lineage"
)

// TestShare: a panel's share of won episodes, and beside it the mean score where that is another number.
func TestShare(t *testing.T) {
	for _, tt := range []struct {
		play *lineage.PanelPlay
		want string
	}{
		{nil, "–"},
		{&lineage.PanelPlay{}, "–"},
		{&lineage.PanelPlay{Count: 64, Won: 16}, "16/64  25.0 % (16.0 to 36.8)"},
		{&lineage.PanelPlay{Count: 64, Won: 16, Score: 0.7125}, "16/64  25.0 % (16.0 to 36.8), score 0.713"},
	} {
		if got := share(tt.play); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
