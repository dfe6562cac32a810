package plan_test

import (
	"strings"
	"testing"
)

// TestShop: what a run in a shop takes is told from the spec alone: its goals, the cold start's tokens and GRPO's episodes.
func TestShop(t *testing.T) {
	p := planned(t, ask(shipped(t, "skill1-webshop-tiny.yaml")))
	if games := stage(t, p, "games"); games.Games != 2064 || games.Stored != 2064*200 {
		t.Errorf("got %+v, want 2,064 games of 200 bytes", games)
	}
	if panel := stage(t, p, "panels/validation"); panel.Games != 16 {
		t.Errorf("got %+v, want a panel of 16", panel)
	}
	if p.Records.Train != 9355 || p.Records.Validation != 544 { // 4.95 a game, 55 in 1,000 held out
		t.Errorf("records %+v, want about 9,355 and 544", p.Records)
	}
	cold := stage(t, p, "cold_start")
	// 1,890 games to train on with their commands, of which 567 with query, order and lesson too.
	const mean = (1890*722 + 567*(83+248+225)) / (1890.0 + 2*567)
	if cold.Training.Records != 1890+2*567 || float64(cold.Tokens) < 2500*4*mean*0.999 || float64(cold.Tokens) > 2500*4*mean*1.001 {
		t.Errorf("got %+v, want %d examples of %.0f tokens", cold, 1890+2*567, mean)
	}
	var text strings.Builder
	if err := p.Text(&text); err != nil || !strings.Contains(text.String(), "as goals of the catalogue that ships with Hone have") {
		t.Errorf("%v, it does not say where its lengths come from:\n%s", err, text.String())
	}
	if big := planned(t, ask(shipped(t, "skill1-webshop.yaml"))); stage(t, big, "grpo").Course.Validated != 18*128 {
		t.Errorf("got %+v, want 18 panels of 128", stage(t, big, "grpo").Course)
	}
}
