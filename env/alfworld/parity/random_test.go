package parity_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hone-rl/hone/env/alfworld/parity"
)

var (
	random = flag.Int("random", 0, "play so many random small games on both engines")
	dice   = flag.Uint64("dice", 0, "draws the random games")
)

// TestRandomGames plays domains drawn at random on both engines: go test ./env/alfworld/parity -run Random -random 200.
// What differs is kept under .hone/parity, as by make parity.
func TestRandomGames(t *testing.T) {
	if *random == 0 {
		t.Skip("without -random N there is nothing to play")
	}
	python, err := parity.NewPython("../../..")
	if err != nil {
		t.Fatal(err)
	}
	python.Limit = time.Minute
	defer func() { _ = python.Close() }()
	var list []parity.Drawn
	for i := range *random {
		c := randomCase(rand.New(rand.NewPCG(*dice, uint64(i))))
		list = append(list, parity.Drawn{ID: fmt.Sprintf("random/%d/%d", *dice, i), Family: "other", Data: c.file(t)})
	}
	report, err := parity.Run(t.Context(), parity.Config{Steps: 20, Peers: []parity.Engine{python}, Keep: "../../../.hone/parity"}, list)
	if err != nil {
		t.Fatal(err)
	}
	// A game that ALFWorld's engine cannot begin, such as one whose goal nothing brings about, is no difference.
	all := report.Found
	report.Found = nil
	for _, f := range all {
		if f.Step > 0 || f.Field != "fault" || strings.HasPrefix(f.Want, "none") {
			report.Found = append(report.Found, f)
		}
	}
	if err := report.Write(os.Stdout); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d games cannot be begun on ALFWorld's engine", len(all)-len(report.Found))
	if len(report.Found) > 0 {
		t.Errorf("%d of %d games differ", len(report.Found), report.Games)
	}
}

// writer draws a domain: predicates p0 to p3 over things of two types, one of them derived.
type writer struct {
	*rand.Rand
	derived bool // p3 may be read
}

var arities = []int{1, 1, 2, 1}

func (w writer) pick(list ...string) string { return list[w.IntN(len(list))] }

func (w writer) atom(vars []string, written bool) string {
	n := 4
	if written || !w.derived {
		n = 3
	}
	p := w.IntN(n)
	args := ""
	for range arities[p] {
		args += " " + w.pick(vars...)
	}
	return fmt.Sprintf("(p%d%s)", p, args)
}

func (w writer) condition(vars []string, depth int) string {
	k := w.IntN(9)
	if depth == 0 && k > 3 {
		k = w.IntN(4)
	}
	v := fmt.Sprintf("?v%d", len(vars))
	switch k {
	case 0, 1:
		return w.atom(vars, false)
	case 2:
		return "(not " + w.atom(vars, false) + ")"
	case 3:
		return fmt.Sprintf(w.pick("%s", "(not %s)"), "(= "+w.pick(vars...)+" "+w.pick(vars...)+")")
	case 4:
		return "(or " + w.condition(vars, depth-1) + " " + w.condition(vars, depth-1) + ")"
	case 5:
		return "(imply " + w.condition(vars, depth-1) + " " + w.condition(vars, depth-1) + ")"
	case 6:
		return "(exists (" + v + w.pick(" - s", " - t", "") + ") " + w.condition(append(vars, v), depth-1) + ")"
	case 7:
		return "(forall (" + v + w.pick(" - s", " - t") + ") " + w.condition(append(vars, v), depth-1) + ")"
	default:
		return "(and " + w.condition(vars, depth-1) + " " + w.condition(vars, depth-1) + ")"
	}
}

func (w writer) effect(vars []string) string {
	literal := w.pick("%s", "%s", "(not %s)")
	switch w.IntN(4) {
	case 0:
		return "(when " + w.condition(vars, 1) + " " + fmt.Sprintf(literal, w.atom(vars, true)) + ")"
	case 1:
		inner := append(vars[:len(vars):len(vars)], "?e")
		return "(forall (?e" + w.pick(" - s", " - t") + ") (when " + w.condition(inner, 1) + " " + fmt.Sprintf(literal, w.atom(inner, true)) + "))"
	}
	return fmt.Sprintf(literal, w.atom(vars, true))
}

func randomCase(r *rand.Rand) gameCase {
	w := writer{r, r.IntN(2) == 0}
	domain := "(:types t - object s - t)\n(:constants c_bar_1 - t)\n(:predicates (p0 ?x) (p1 ?x - t) (p2 ?x ?y) (p3 ?x) (known ?x) (looked))\n"
	if w.derived {
		low := writer{r, false}
		domain += "(:derived (p3 ?x) " + low.condition([]string{"?x"}, 2) + ")\n"
	}
	for a := range 1 + w.IntN(4) {
		vars, declared := []string{"c_bar_1"}, ""
		for i := range w.IntN(3) {
			v := fmt.Sprintf("?a%d", i)
			vars = append(vars, v)
			declared += v + w.pick(" - s ", " - t ", " - t ")
		}
		var effects []string
		for range 1 + w.IntN(3) {
			effects = append(effects, w.effect(vars))
		}
		domain += fmt.Sprintf("(:action act%d :parameters (%s) :precondition %s :effect (and %s))\n", a, declared, w.condition(vars, 2), strings.Join(effects, " "))
	}
	ids := []string{"c_bar_1", "s_bar_1", "s_bar_2", "t_bar_1", "t_bar_2"}
	init := ""
	for _, o := range ids {
		init += "(known " + o + ") "
	}
	for range w.IntN(6) {
		init += writer{r, false}.atom(ids, true) + " "
	}
	return gameCase{
		domain:  domain + look,
		hidden:  "p3", // of what is derived each engine sees something else (Told)
		problem: "(:objects s_bar_1 s_bar_2 - s t_bar_1 t_bar_2 - t) (:init " + init + ") (:goal " + w.condition(ids, 2) + ")",
	}
}
