package household

import (
	"slices"
	"testing"
)

// Every kind of receptacle that the rooms speak of is spelt alike everywhere.
func TestTablesAgree(t *testing.T) {
	for _, r := range rooms {
		stands := map[string]bool{}
		for _, kind := range r.standing {
			stands[kind] = true
		}
		for _, e := range r.extra {
			stands[e.kind] = true
			if e.least < 1 || e.most < e.least || e.percent < 1 || e.percent > 100 {
				t.Errorf("%s: extra %+v", r.name, e)
			}
		}
		for _, f := range r.fill {
			stands[f.kind] = true
		}
		for _, f := range r.fixtures {
			for _, kind := range f.on {
				if !stands[kind] {
					t.Errorf("%s: %s stands on a %s, which no scene has", r.name, f.kind, kind)
				}
			}
		}
		for kind := range stands {
			used := slices.ContainsFunc(r.things, func(thing thing) bool { _, ok := thing.where[kind]; return ok })
			if !used && kind != "Toaster" {
				t.Errorf("%s: nothing can be put at a %s", r.name, kind)
			}
		}
		seen := map[string]bool{}
		for _, thing := range r.things {
			if seen[thing.kind] {
				t.Errorf("%s: %s stands twice in the table", r.name, thing.kind)
			}
			seen[thing.kind] = true
			for kind := range thing.where {
				if !stands[kind] {
					t.Errorf("%s: %s lies at a %s, which no scene has", r.name, thing.kind, kind)
				}
			}
		}
	}
}

func TestGroupsShareAsManyPlaces(t *testing.T) {
	list := slices.Repeat([]string{"Cabinet"}, 20)
	for shared := range 6 {
		groups := group(newDice("test", shared), list, shared)
		total, several := 0, 0
		for _, g := range groups {
			total += len(g)
			if len(g) > 1 {
				several++
			}
		}
		if total != 20 || several != shared {
			t.Errorf("20 cabinets in %d groups of which %d are shared, want 20 and %d", total, several, shared)
		}
	}
	if groups := group(newDice("test"), []string{"Bed", "Sofa"}, 1); len(groups) != 2 {
		t.Errorf("a bed and a sofa share a place")
	}
}

func TestIdentifiers(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{identifier("Mug", 7, 120, 345), "Mug_bar_007_120_345"},
		{identifier("SinkBasin", 1, 2, 3), "Sink_bar_001_002_003_bar_SinkBasin"},
		{identifier("BathtubBasin", 1, 2, 3), "Bathtub_bar_001_002_003_bar_BathtubBasin"},
		{location(3, 12, 1, 45), "loc_bar_03_12_1_45"},
	} {
		if test.got != test.want {
			t.Errorf("got %s, want %s", test.got, test.want)
		}
	}
}

func TestSentences(t *testing.T) {
	apple, mug := thing{kind: "Apple"}, thing{kind: "Mug"}
	for _, test := range []struct {
		task    task
		wording int
		want    string
	}{
		{task{family: Families[0], target: apple, destination: "SideTable"}, 0, "bring an apple to the sidetable"},
		{task{family: Families[0], target: mug, destination: "SideTable"}, 1, "see that a mug ends up at the sidetable"},
		{task{family: Families[1], target: mug, lamp: "DeskLamp"}, 0, "hold a mug in the light of the desklamp"},
		{task{family: Families[1], target: mug, lamp: "DeskLamp"}, 1, "switch on the desklamp and study a mug next to it"},
		{task{family: Families[2], target: mug, destination: "Shelf"}, 0, "wash a mug and bring it to the shelf"},
		{task{family: Families[2], target: mug, destination: "Shelf"}, 1, "see that a mug ends up clean at the shelf"},
		{task{family: Families[3], target: mug, destination: "Shelf"}, 0, "warm up a mug and bring it to the shelf"},
		{task{family: Families[3], target: mug, destination: "Shelf"}, 1, "see that a mug ends up hot at the shelf"},
		{task{family: Families[4], target: mug, destination: "Shelf"}, 0, "chill a mug and bring it to the shelf"},
		{task{family: Families[4], target: mug, destination: "Shelf"}, 1, "see that a mug ends up cold at the shelf"},
		{task{family: Families[5], target: mug, destination: "Shelf"}, 0, "bring a mug and then another mug to the same shelf"},
		{task{family: Families[5], target: apple, destination: "Shelf"}, 1, "see that an apple and a second apple end up together at one shelf"},
	} {
		if got := test.task.sentence(ourWordings, test.wording); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

func TestDealerNearsTheMix(t *testing.T) {
	even, real := dealer{mix: EvenMix}, dealer{mix: ALFWorldMix}
	count := map[string]int{}
	for i := range 60 {
		if f := even.next(); f != Families[i%6] {
			t.Fatalf("game %d of an even mix is of %s, want %s", i, f, Families[i%6])
		}
	}
	for range 3553 {
		count[real.next()]++
	}
	for i, f := range Families {
		if count[f] != ALFWorldMix[i] {
			t.Errorf("%d of 3553 games are of %s, want %d", count[f], f, ALFWorldMix[i])
		}
	}
}
