package durability_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"

	"go.temporal.io/sdk/client"

	"github.com/hone-rl/hone/version"
)

// lanes is how many killed runs go side by side: each of them mostly waits until its loss is noticed.
const lanes = 3

// TestKills kills the worker in every stage, between upload, publishing and completion, and the whole local stack,
// and expects the run to end by itself with the digests of an undisturbed one. It takes about 4 minutes on two
// cores, with HONE_KILLS=all about 15.
func TestKills(t *testing.T) {
	t.Parallel()
	want := undisturbed(t)
	all := os.Getenv("HONE_KILLS") == "all"
	dice := rand.New(rand.NewPCG(seed(t), 0))
	points := chosen(want.points, dice, all)
	t.Logf("seed %d: %d kills in %d runs, of %d points", seed(t), len(points), lanes, len(want.points))
	covered(t, points, want.points)
	for i, points := range dealt(points, lanes, dice) {
		var stacks []point // where the whole stack goes
		for range 2 {
			stacks = append(stacks, another(want.points, slices.Concat(points, stacks), dice))
		}
		t.Run(fmt.Sprint(i+1), func(t *testing.T) {
			t.Parallel()
			killed(t, want, points, stacks, i == 0)
		})
	}
}

// another draws a point that is none of taken.
func another(points, taken []point, dice *rand.Rand) point {
	for {
		if p := draw(points, dice); !slices.Contains(taken, p) {
			return p
		}
	}
}

// covered fails where a kind of point that occurs in a stage, or an activity, is not among the kills.
func covered(t *testing.T, kills, points []point) {
	t.Helper()
	has := map[string]bool{}
	for _, p := range kills {
		has[p.group()+" "+p.Point], has[p.Type] = true, true
	}
	for _, p := range points {
		if at := p.group() + " " + p.Point; !has[at] {
			t.Errorf("no kill at %s", at)
		}
	}
	for _, name := range everyActivity {
		if !has[name] {
			t.Errorf("no kill in %s", name)
		}
	}
}

// killed runs the spec on a data folder of its own. At kills the worker kills itself, and its stack starts another; at
// stacks it kills the whole stack, which is started again.
func killed(t *testing.T, want outcome, kills, stacks []point, first bool) {
	var armed []string
	for _, p := range kills {
		armed = append(armed, p.fault("kill"))
	}
	for _, p := range stacks {
		armed = append(armed, p.fault("stack"))
	}
	p := newPlace(t, armed)
	run := p.begin("--heartbeat", heartbeat.String())
	c := p.client()
	killed := 0 // stacks
	p.await("the run's end", func() bool {
		n := 0
		for _, line := range p.hits() {
			if strings.HasSuffix(line, " stack") {
				n++
			}
		}
		if n > killed && p.down() {
			killed++
			p.up()
		}
		return p.over(c, run)
	})
	got := p.outcome(c, run)
	compare(t, got, want)
	hits := p.hits()
	for _, line := range armed {
		if !slices.Contains(hits, line) {
			t.Errorf("did not take effect: %s", line)
		}
	}
	p.table(c, got, kills, stacks)
	if first {
		p.record(run, version.Hone+"-killed")
	}
	p.mustHone("down")
}

// table prints what was killed and what was done again for it, and fails where nothing was.
func (p *place) table(c client.Client, got outcome, kills, stacks []point) {
	p.t.Helper()
	attempts := p.attempts(c, got)
	losses := map[string]int32{}
	for _, at := range slices.Concat(kills, stacks) {
		losses[at.Activity]++
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "stage\tactivity\tkilled\tat\tattempts\tdone again")
	row := func(what string, at point) {
		again := p.again(got, at)
		fmt.Fprintf(w, "%s\t%s\t%s\t%s %d\t%d\t%s\n", at.Stage, at.Type, what, at.Point, at.Count, attempts[at.Activity], again)
		if n := attempts[at.Activity]; n < 1+losses[at.Activity] {
			p.t.Errorf("%s of %s was killed %d times, Temporal counts %d attempts", at.Type, at.Stage, losses[at.Activity], n)
		}
		if again == "" {
			p.t.Errorf("%s of %s: nothing was done again after %s", at.Type, at.Stage, at.Point)
		}
	}
	for _, at := range kills {
		row("worker", at)
	}
	for _, at := range stacks {
		row("stack", at)
	}
	if err := w.Flush(); err != nil {
		p.t.Error(err)
	}
	p.t.Logf("\n%s", b.String())
}

var checkpointStep = regexp.MustCompile(`^checkpoints/[0-9a-f]+/(\d+)$`)

// again says what was done again after the loss at at: the attempt that followed it, and for a training the step
// that it went on from, which has to be that of the newest checkpoint. "" means nothing was.
func (p *place) again(got outcome, at point) string {
	p.t.Helper()
	var lost, next, last int32 // attempts: the one that met the fault, the one after it, the last
	newest, first := 0, 0      // steps: of the newest checkpoint at the loss, of the first one made after it
	var steps []int            // of all checkpoints
	for _, q := range got.points {
		if q.Activity != at.Activity {
			continue
		}
		last = q.Attempt
		if lost > 0 && next == 0 && q.Attempt > lost {
			next = q.Attempt
		}
		if m := checkpointStep.FindStringSubmatch(q.What); m != nil {
			step, err := strconv.Atoi(m[1])
			if err != nil {
				p.t.Fatal(err)
			}
			steps = append(steps, step)
			switch {
			case lost == 0 && q.Point == "name-after":
				newest = step
			case next > 0 && first == 0 && q.Point == "name-before":
				first = step
			}
		}
		if lost == 0 && q.fault("") == at.fault("") {
			lost = q.Attempt
		}
	}
	if next == 0 {
		return ""
	}
	if at.Type != "TrainSFT" {
		return fmt.Sprintf("attempt %d", next)
	}
	steps = slices.DeleteFunc(steps, func(step int) bool { return step <= newest })
	if first > 0 && first != slices.Min(steps) {
		p.t.Errorf("%s had a checkpoint of step %d and then made that of step %d first", at.Stage, newest, first)
	}
	if from := got.redone(at.Stage); next == last && newest > 0 && from != fmt.Sprintf("step %d", newest) {
		p.t.Errorf("%s went on from %q, expected step %d", at.Stage, from, newest)
	}
	return fmt.Sprintf("attempt %d, from step %d", next, newest)
}
