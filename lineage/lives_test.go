package lineage_test

import (
	"slices"
	"testing"

	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/lineage"
	"github.com/hone-rl/hone/lineage/lineagetest"
)

// TestLives: of the library of lineagetest D is born in step 1, retrieved twice in step 2, takes a twin in 4 and retires in 5; F
// and E are born in 3 and 5 and are there. The utility of D is 0.5, with rate 0.5 towards 1 0.75 and towards 0 0.375; its
// twin's birth moves it towards 0.5, to 0.4375. The skills agree with the last snapshot.
func TestLives(t *testing.T) {
	store := mem.New()
	chain := opened(t, store, lineagetest.Libraries(t, store)[5])
	all, err := chain.Lives(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var heads []string
	for _, one := range all {
		heads = append(heads, one.Skill.Head)
	}
	if !slices.Equal(heads, []string{"when D", "when F", "when E"}) {
		t.Fatalf("got %q", heads)
	}
	d := all[0]
	if want := []lineage.Utility{{Step: 1, Value: .5}, {Step: 2, Value: .375}, {Step: 4, Value: .4375}}; !slices.Equal(d.Path, want) {
		t.Errorf("path %v, want %v", d.Path, want)
	}
	if d.Retired == nil || d.Gone != 5 || d.Merged != 1 || d.Skill.Count != 4 || d.Skill.Selected != 1 {
		t.Errorf("got %+v, retired %+v", d, d.Retired)
	}
	last, err := chain.Last(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	there := last.Skills()
	for _, one := range all[1:] {
		if one.Retired != nil || !slices.Contains(there, one.Skill) {
			t.Errorf("%+v is not as in the last library", one.Skill)
		}
	}
}
