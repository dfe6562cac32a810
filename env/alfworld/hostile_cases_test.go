package alfworld_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
)

// hostiles are in the order in which a game is read, told and planned.
var hostiles = []hostile{
	// The file.
	{name: "17 MB of nothing", megabytes: 80, want: "17825792 bytes, expected at most 16777216", file: func(*testing.T) []byte { return make([]byte, 17<<20) }},
	{name: "JSON nested a million deep", megabytes: 80, want: "exceeded max depth", file: func(*testing.T) []byte {
		return []byte(`{"x": ` + strings.Repeat("[", 1_000_000))
	}},
	{name: "a huge number for a text", megabytes: 80, want: "pddl_domain is a number, expected a string", file: func(*testing.T) []byte {
		return []byte(`{"pddl_domain": 1` + strings.Repeat("0", 1_000_000) + `}`)
	}},
	{name: "byte order mark", megabytes: 50, want: "line 1, byte 1: invalid character", file: func(t *testing.T) []byte {
		return append([]byte("\ufeff"), world{}.file(t)...)
	}},
	{name: "empty texts", megabytes: 50, want: "pddl_domain:1: got the end of the text, expected \"(define\"", file: func(t *testing.T) []byte {
		return encoded(t, map[string]any{"pddl_domain": "", "pddl_problem": "", "grammar": ""})
	}},
	{name: "keys given twice", megabytes: 50, want: `bad game file: "grammar" stands twice`, file: func(t *testing.T) []byte {
		return append([]byte(`{"pddl_domain": "x", "grammar": "y",`), world{}.file(t)[1:]...)
	}},
	{name: "keys of other letters", megabytes: 50, want: "no \"pddl_domain\"", file: func(t *testing.T) []byte {
		return []byte(strings.Replace(string(world{}.file(t)), `"pddl_domain"`, `"PDDL_Domain"`, 1))
	}},
	{name: "CRLF", megabytes: 50, file: func(t *testing.T) []byte {
		return []byte(strings.ReplaceAll(string(world{}.file(t)), `\n`, `\r\n`))
	}},

	// The domain and the problem.
	{name: "half a million nested", megabytes: 80, want: "pddl_problem:4: expressions nest deeper than 100", game: func() world {
		return world{goal: strings.Repeat("(exists (?x) ", 500_000)}
	}},
	{name: "NUL in a name", megabytes: 50, want: `pddl_problem:4: unknown predicate "on\x00"`, game: func() world {
		return world{goal: "(on\x00 o_bar_0)"}
	}},
	{name: "invalid UTF-8 in a name", megabytes: 50, want: "line 1, byte 454: not UTF-8", game: func() world {
		return world{goal: "(onXX o_bar_0)", raw: [][2]string{{"onXX", "on\xff"}}}
	}},
	{name: "a name of 5 MB", megabytes: 150, want: "a name of 5000000 bytes, expected at most 1000", game: func() world {
		return world{predicates: "(" + strings.Repeat("p", 5_000_000) + ")"}
	}},
	{name: "1,500 types", megabytes: 50, want: "pddl_domain:1: more than 1000 types", game: func() world {
		return world{types: many(1500, func(i int) string { return fmt.Sprintf("t%d - t%d ", i, i+1) })}
	}},
	{name: "types that are each other", megabytes: 150, want: "pddl_domain:1: more than 1000 types", game: func() world {
		return world{types: many(150_000, func(i int) string { return fmt.Sprintf("t%d - t%d ", i%900, i*i%900) })}
	}},
	{name: "1,500 predicates", megabytes: 50, want: "pddl_domain:2: more than 1000 predicates", game: func() world {
		return world{predicates: many(1500, func(i int) string { return fmt.Sprintf("(p%d) ", i) })}
	}},
	{name: "1,500 actions", megabytes: 60, want: "pddl_domain:1003: more than 1000 actions", game: func() world {
		return world{actions: many(1500, func(i int) string { a, _ := act(fmt.Sprintf("a%d", i), 1, "()", "(mark)"); return a })}
	}},
	{name: "a predicate of 65", megabytes: 50, want: `pddl_domain:2: predicate "p" has 65 arguments, expected at most 64`, game: func() world {
		return world{predicates: "(p" + vars(65) + ")"}
	}},
	{name: "a million variables", megabytes: 250, want: "pddl_domain:2: a list of variables has more than 200000 entries", game: func() world {
		return world{predicates: "(p" + vars(1_000_000) + ")"}
	}},
	{name: "300 variables", megabytes: 50, want: "pddl_problem:4: more than 256 variables", game: func() world {
		return world{goal: "(exists (" + vars(300) + ") (mark))"}
	}},
	{name: "a million conditions", megabytes: 150, want: "pddl_problem:4: more than 1000 conditions", game: func() world {
		return world{goal: "(and" + strings.Repeat(" (mark)", 1_000_000) + ")"}
	}},
	{name: "a million equalities", megabytes: 200, want: "pddl_problem:4: more than 1000 conditions", game: func() world {
		return world{goal: "(or" + strings.Repeat(" (= a b)", 1_000_000) + ")"}
	}},
	{name: "90,000 warnings", megabytes: 250, game: func() world {
		wrong := "(and" + strings.Repeat(" (on ?a0)", 100) + ")"
		return many2(900, func(i int) (string, string) {
			return "(:action a" + fmt.Sprint(i) + " :parameters (?a0 - " + strings.Repeat("u", 900) + ") :precondition " + wrong + " :effect (mark))\n",
				fmt.Sprintf("action a%d { template :: \"x\"; feedback :: \"x\"; }\n", i)
		})
	}},
	{name: "alternatives multiplied out", megabytes: 200, want: "come to more than 4000000 steps when alternatives are multiplied out", game: func() world {
		// Each level has alternatives that bind nothing and holds the next, so that every alternative plans it anew.
		goal := "(mark)"
		for i := range 20 {
			v, w := fmt.Sprintf("?v%d", i), fmt.Sprintf("?w%d", i)
			goal = "(forall (" + v + " - thing) (or (on " + v + ") (pair " + v + " " + w + ") " + goal + "))"
			goal = "(exists (" + w + " - thing) (and (or (not (on " + w + ")) (not (pair " + w + " " + w + "))) " + goal + "))"
		}
		return world{things: 3, goal: goal}
	}},
	{name: "a thousand alternatives", megabytes: 100, game: func() world {
		w := world{things: 3}
		return w.with(act("a", 2, "(or"+strings.Repeat(" (on ?a0) (pair ?a0 ?a1)", 490)+")", "(not (on ?a0))"))
	}},
	{name: "150 alternatives at once", megabytes: 100, want: "those of action a come to more than 4000000 steps", game: func() world {
		w := world{things: 3}
		return w.with(act("a", 2, "(and"+strings.Repeat("(or (on ?a0) (pair ?a0 ?a1) (not (on ?a1)))", 150)+")", "(not (on ?a0))"))
	}},
	{name: "60 alternatives of effects that undo each other", megabytes: 100, want: "come to more than 4000000 steps", game: func() world {
		return many2(22, func(i int) (string, string) {
			return act(fmt.Sprintf("a%d", i), 1, "(or"+strings.Repeat(" (mark)", 60)+")", "(and"+strings.Repeat(" (mark) (not (mark))", 450)+")")
		})
	}},
	{name: "60 alternatives of effects that may undo each other", megabytes: 100, want: "come to more than 4000000 steps", game: func() world {
		return many2(22, func(i int) (string, string) {
			return act(fmt.Sprintf("a%d", i), 2, "(and (on ?a1) (or"+strings.Repeat(" (mark)", 60)+"))", "(and (mark)"+strings.Repeat(" (on ?a0) (not (on ?a1))", 300)+")")
		})
	}},
	{name: "900 rules that deny each other in turn", megabytes: 250, want: "working out d899 and what else is derived from the first facts takes more than 4000000 steps", game: func() world {
		w := world{predicates: many(900, func(i int) string { return fmt.Sprintf("(d%d)", i) })}.with(act("rest", 0, "()", "(not (mark))"))
		w.actions += many(899, func(i int) string {
			return fmt.Sprintf("(:derived (d%d) (and", i) + strings.Repeat(fmt.Sprintf(" (not (d%d))", i+1), 450) + "))\n"
		}) + "(:derived (d899) (mark))\n"
		return w
	}},
	{name: "18,000 times the type of 100,000 facts", megabytes: 150, limit: objects, game: func() world {
		w := many2(300, func(i int) (string, string) {
			return act(fmt.Sprintf("a%d", i), 60, "(and"+many(60, func(k int) string { return fmt.Sprintf(" (on ?a%d)", k) })+")", "(mark)")
		})
		w.types, w.things = "other", 100_000
		w.actions = "(:constants c - other)\n" + w.actions
		w.init = many(100_000, func(i int) string { return fmt.Sprintf("(on o_bar_%d)", i) })
		return w
	}},
	{name: "10,000 objects", megabytes: 60, limit: objects, game: func() world { return world{things: 10_000} }},
	{name: "100,000 objects with two facts", megabytes: 250, limit: objects, game: func() world {
		return world{things: 100_000, init: many(100_000, func(i int) string { return fmt.Sprintf("(on o_bar_%d)(pair o_bar_%d o_bar_0)", i, i) })}
	}},
	{name: "300,000 objects", megabytes: 200, want: "pddl_problem:2: :objects has more than 200000 entries", game: func() world { return world{things: 300_000} }},
	{name: "10,000 objects and facts, allowed", megabytes: 120, play: within(env.Limits{Objects: 20_000}), game: func() world {
		return world{things: 10_000, init: many(10_000, func(i int) string { return fmt.Sprintf("(pair o_bar_0 o_bar_%d)", i) })}
	}},
	{name: "6,000 facts of arity 64", megabytes: 300, want: "the facts take more than 16777216 cells", game: func() world {
		return world{predicates: "(p" + vars(64) + ")", things: 3, init: many(6000, func(i int) string {
			return "(p" + many(64, func(k int) string { return fmt.Sprintf(" o_bar_%d", (i>>(k%13))%3) }) + ")"
		})}
	}},
	{name: "facts of arity 64 over 5,000 objects", megabytes: 150, game: func() world {
		return world{predicates: many(64, func(i int) string { return fmt.Sprintf("(p%d %s)", i, vars(64)) }), things: 5000, init: many(64*40, func(i int) string {
			return fmt.Sprintf("(p%d", i%64) + many(64, func(k int) string { return fmt.Sprintf(" o_bar_%d", (i*31+k*17)%5000) }) + ")"
		})}
	}},
}

// many2 is a world of n actions, as f writes them and their words.
func many2(n int, f func(i int) (action, words string)) world {
	var w world
	for i := range n {
		w = w.with(f(i))
	}
	return w
}

func init() {
	hostiles = append(hostiles, []hostile{
		// The grammar.
		{name: "JSON nested a million deep in the grammar", megabytes: 80, want: "grammar:1: invalid character '[' exceeded max depth", game: func() world {
			return world{intro: strings.Repeat("[", 1_000_000)}
		}},
		{name: "100,000 symbols", megabytes: 150, want: "more than 10000 symbols", game: func() world {
			return world{symbols: many(100_000, func(i int) string { return fmt.Sprintf(`, "s%d": []`, i) })}
		}},
		{name: "100,000 variables", megabytes: 150, want: "more than 1000 variables", game: func() world {
			return world{symbols: many(100_000, func(i int) string { return fmt.Sprintf(`, "s": [{"rhs": "{v%d}"}]`, i) }), intro: `[{"rhs": "` + many(2000, func(i int) string { return fmt.Sprintf("{v%d}", i) }) + `"}]`}
		}},
		{name: "a lone surrogate", megabytes: 50, want: `symbol intro holds bytes or escapes that are no text`, game: func() world {
			return world{intro: `[{"rhs": "\ud800"}]`}
		}},
		{name: "invalid UTF-8 in a text", megabytes: 50, want: "line 1, byte 54: not UTF-8", game: func() world {
			return world{intro: `[{"rhs": "XX"}]`, raw: [][2]string{{"XX", "\xc3\x28"}}}
		}},
		{name: "NUL in a text", megabytes: 50, game: func() world { return world{intro: `[{"rhs": "a\u0000b"}]`} }},
		{name: "a query of 100 atoms", megabytes: 50, want: "a query of more than 64 atoms", game: func() world {
			return world{intro: `[{"rhs": "{x | on(x)` + strings.Repeat(" & on(x)", 99) + `}"}]`}
		}},
		{name: "300 queries of 63 variables 64 times", megabytes: 200, game: func() world {
			atom := "on(" + many(62, func(i int) string { return fmt.Sprintf("a%d, ", i) }) + "b)"
			return world{symbols: `, "q": [` + many(300, func(int) string {
				return `{"condition": "` + atom + strings.Repeat(" & "+atom, 63) + `", "rhs": ""},`
			}) + `{"rhs": ""}]`}
		}},
		{name: "the order of 900 types one above the other", megabytes: 100, game: func() world {
			return world{types: many(900, func(i int) string { return fmt.Sprintf("t%d - t%d ", i+1, i) }), symbols: `, "q": [{"condition": "on(v:t1)` + strings.Repeat(" & on(v:t1)", 63) + `", "rhs": ""}]`}
		}},
		{name: "the orders of 900 types, one above the other, by two", megabytes: 200, want: "subtypes in more than 4000000 combinations", game: func() world {
			return world{types: many(900, func(i int) string { return fmt.Sprintf("t%d - t%d ", i+1, i) }), symbols: `, "q": [` + many(900, func(i int) string {
				return fmt.Sprintf(`{"condition": "pair(v:t%d, w:t%d)", "rhs": ""},`, 1+i%30, 1+i/30)
			}) + `{"rhs": ""}]`}
		}},
		{name: "900 variables beside a query over all", megabytes: 60, limit: work, game: func() world {
			w := crowd(1000, `[{"condition": "on(a) & on(b) & on(c) & none(c)", "rhs": "x"}, {"rhs": "y"}]`, `, "q": [`+many(15, func(i int) string {
				return `{"condition": "p(` + many(60, func(k int) string { return fmt.Sprintf("v%d_%d, ", i, k) }) + `v)", "rhs": ""},`
			})+`{"rhs": ""}]`)
			w.predicates += "(none ?x)"
			return w
		}},
		{name: "open brackets", megabytes: 100, game: func() world {
			return world{intro: `[{"rhs": "Go. ` + strings.Repeat("[{", 1_000_000) + `"}]`}
		}},
		{name: "a million times or", megabytes: 300, game: func() world {
			return world{intro: `[{"rhs": "{'' ` + strings.Repeat(" or ''", 1_000_000) + `}"}]`}
		}},
		// Texts.
		{name: "a literal of 15 MB", megabytes: 250, want: "grammar: a text becomes longer than 262144 bytes", game: func() world {
			return world{intro: `[{"rhs": "` + strings.Repeat("x", 15<<20) + `"}]`}
		}},
		{name: "a circle", megabytes: 50, want: `symbol "b" expands through itself without end`, game: func() world {
			return world{intro: `[{"rhs": "#a#"}]`, symbols: `, "a": [{"rhs": "#b#"}], "b": [{"rhs": "#a#"}]`}
		}},
		{name: "a bomb", megabytes: 50, want: "a text becomes longer than", game: func() world {
			return world{intro: `[{"rhs": "#a0#"}]`, symbols: many(60, func(i int) string {
				return fmt.Sprintf(`, "a%d": [{"rhs": "x#a%d##a%d#"}]`, i, i+1, i+1)
			}) + `, "a60": [{"rhs": "x"}]`}
		}},
		{name: "a bomb without text", megabytes: 50, limit: work, game: func() world {
			return world{intro: `[{"rhs": "#a0#"}]`, symbols: many(60, func(i int) string {
				return fmt.Sprintf(`, "a%d": [{"rhs": "#a%d##a%d#"}]`, i, i+1, i+1)
			}) + `, "a60": [{"rhs": ""}]`}
		}},
		{name: "a bomb as the task", megabytes: 50, game: func() world {
			return world{symbols: `, "task": [{"rhs": "#a0#"}]` + many(60, func(i int) string {
				return fmt.Sprintf(`, "a%d": [{"rhs": "#a%d##a%d#"}]`, i, i+1, i+1)
			}) + `, "a60": [{"rhs": ""}]`}
		}},
		{name: "symbols 99 deep", megabytes: 50, game: func() world {
			return world{intro: `[{"rhs": "#a0#"}]`, symbols: many(98, func(i int) string { return fmt.Sprintf(`, "a%d": [{"rhs": "#a%d#"}]`, i, i+1) }) + `, "a98": [{"rhs": "x"}]`}
		}},
		{name: "symbols 9,000 deep", megabytes: 60, want: `expands through itself without end`, game: func() world {
			return world{intro: `[{"rhs": "#a0#"}]`, symbols: many(9000, func(i int) string { return fmt.Sprintf(`, "a%d": [{"rhs": "#a%d#"}]`, i, i+1) }) + `, "a9000": [{"rhs": "x"}]`}
		}},
		{name: "100,000 rules that never match, 10,000 times", megabytes: 250, limit: work, game: func() world {
			return world{
				things: 1000, init: many(1000, func(i int) string { return fmt.Sprintf("(pair o_bar_%d o_bar_%d)", i, (i+1)%1000) }), intro: `[{"rhs": "{#a# | pair(x, y)}"}]`,
				symbols: `, "a": [` + strings.Repeat(`{"condition": "none(x)", "rhs": ""},`, 100_000) + `{"rhs": ""}]`,
			}
		}},
		{name: "a list of a million", megabytes: 100, want: "a text becomes longer than", game: func() world {
			return crowd(1000, `[{"rhs": "[{x.name | on(x) & on(y)}]"}]`, `, "list_separator": [{"rhs": ", "}], "list_last_separator": [{"rhs": " and "}]`)
		}},
		{name: "a list of a million empty texts", megabytes: 100, game: func() world {
			return crowd(1000, `[{"rhs": "[{'' | on(x) & on(y)}]"}]`, `, "list_separator": [{"rhs": ""}], "list_last_separator": [{"rhs": ""}]`)
		}},
		{name: "a query over all pairs of pairs", megabytes: 200, limit: work, game: func() world {
			return crowd(1000, `[{"condition": "on(a) & on(b) & on(c) & on(d) & on(e) & pair(a, e)", "rhs": "x"}, {"rhs": "y"}]`, "")
		}},
		{name: "10,000 commands of 1 kB", megabytes: 150, want: "the commands of one state are longer than 1048576 bytes together", play: within(env.Limits{Objects: 20_000}), game: func() world {
			return world{things: 10_000, actions: flipAction, words: `action flip { template :: "flip {x}` + strings.Repeat("x", 1000) + `"; feedback :: "Done."; }`}
		}},
		{name: "50,000 commands of 200 kB", megabytes: 150, want: "the commands of one state are longer than 1048576 bytes together", play: within(env.Limits{Objects: 50_000}), game: func() world {
			return world{things: 49_000, actions: flipAction, words: `action flip { template :: "flip {x}` + strings.Repeat("x", 200_000) + `"; feedback :: "Done."; }`}
		}},
		// Operators and conditions.
		{name: "an action of 8 over 200", megabytes: 100, limit: operators, game: func() world {
			return world{things: 200}.with(act("boom", 8, "(not (pair ?a0 ?a1))", "(on ?a0)"))
		}},
		{name: "an action of 64 over 1,000", megabytes: 150, limit: operators, game: func() world {
			return world{things: 1000}.with(act("boom", 64, "()", "(on ?a0)"))
		}},
		{name: "a product that never fits", megabytes: 60, limit: work, game: func() world {
			w := crowd(200, "", "")
			return w.with(act("boom", 6, "(and (not (pair ?a0 ?a1)) (not (pair ?a2 ?a3)) (not (pair ?a4 ?a5)) (not (on ?a5)))", "(on ?a0)"))
		}},
		{name: "the same operator a million times", megabytes: 100, game: func() world {
			w := crowd(1000, "", "")
			return w.with(act("look", 1, "(exists (?y ?z - thing) (and (on ?y) (on ?z) (on ?a0) (= ?a0 o_bar_7)))", "(mark)"))
		}},
		{name: "different operators a million times", megabytes: 250, limit: work, game: func() world {
			w := crowd(1000, "", "")
			return w.with(act("look", 2, "(exists (?y ?z - thing) (or (pair ?y ?a0) (and (on ?z) (on ?a0) (on ?a1))))", "(not (pair ?a0 ?a1))"))
		}},
		{name: "all within some of all", megabytes: 60, limit: work, game: func() world {
			w := crowd(400, "", "")
			return w.with(act("look", 0, "(exists (?a ?b - thing) (and (on ?a) (on ?b) (forall (?c ?d - thing) (or (pair ?c ?d) (not (on ?a)) (on ?d))) (forall (?e ?f - thing) (or (pair ?e ?f) (not (on ?b))))))", "(mark)"))
		}},
		{name: "a goal for all of all of all", megabytes: 60, limit: work, game: func() world {
			w := crowd(400, "", "")
			w.goal = "(forall (?a ?b ?c ?d - thing) (or (pair ?a ?b) (pair ?b ?c) (pair ?c ?d) (on ?d)))"
			return w
		}},
		{name: "an effect for all of all of all", megabytes: 500, limit: work, play: within(env.Limits{}), game: func() world {
			w := crowd(1000, "", "")
			return w.with(act("boom", 0, "()", "(forall (?a ?b ?c - thing) (when (and (on ?a) (on ?b)) (pair ?a ?c)))"))
		}},
		{name: "a million facts at once", megabytes: 500, limit: work, play: within(env.Limits{}), game: func() world {
			w := crowd(1000, "", "")
			return w.with(act("boom", 0, "()", "(forall (?a ?b - thing) (pair ?a ?b))"))
		}},
		{name: "10,000 facts at once", megabytes: 80, play: within(env.Limits{}), game: func() world {
			w := crowd(100, "", "")
			return w.with(act("boom", 0, "()", "(forall (?a ?b - thing) (pair ?a ?b))"))
		}},
		// Derived predicates.
		{name: "all ways through 10,000 places", megabytes: 200, want: "more than 4000000 steps", game: func() world { return chain(10_000, 10_000) }},
		{name: "all ways through 1,000 places at once", megabytes: 300, limit: work, play: within(env.Limits{}), game: func() world { return chain(1000, 0) }},
		{name: "all ways through 50 places at once", megabytes: 60, play: within(env.Limits{}), game: func() world { return chain(50, 0) }},
		{name: "a plan by all ways through 1,000 places", megabytes: 300, limit: work, play: planned(env.Limits{}), game: func() world { return chain(1000, 0) }},
		// Plans.
		{name: "a plan for a puzzle that has none", megabytes: 200, limit: states, play: planned(env.Limits{Work: 1 << 40}), game: func() world { return puzzle(0) }},
		{name: "a plan for a puzzle of large states", megabytes: 100, limit: states, play: planned(env.Limits{}), game: func() world { return puzzle(4000) }},
		{name: "a plan for a puzzle of large states with a condition that is no literal", megabytes: 300, limit: work, play: planned(env.Limits{}), game: func() world {
			w := puzzle(4000)
			w.goal = "(and " + w.goal + "(forall (?x ?y - thing) (or (not (pair ?x ?y)) (exists (?z - thing) (pair ?z ?y)))))"
			return w
		}},
		{name: "a plan by far too many operators", megabytes: 200, limit: operators, play: planned(env.Limits{}), game: func() world {
			return world{things: 300, init: "(on o_bar_0)", goal: "(mark)"}.with(act("link", 2, "(and (on ?a0) (not (pair ?a0 ?a1)))", "(and (pair ?a0 ?a1) (on ?a1))"))
		}},
		{name: "a plan with a wide condition", megabytes: 500, limit: work, play: planned(env.Limits{}), game: func() world {
			return world{things: 30, goal: "(mark)"}.with(act("many", 3, "(and "+many(400, func(i int) string {
				return fmt.Sprintf("(not (p%d ?a%d))", i, i%3)
			})+")", "(and "+many(40, func(i int) string { return fmt.Sprintf("(p%d ?a%d)", 10*i, i%3) })+")")).
				having(400)
		}},
		{name: "a plan for all of all of all", megabytes: 400, limit: work, play: planned(env.Limits{}), game: func() world {
			w := crowd(900, "", "")
			w.goal = "(forall (?a - thing) (or (not (on ?a)) (forall (?b - thing) (or (not (pair ?a ?b)) (forall (?c - thing) (or (pair ?a ?c) (not (on ?b)) (on ?c) (mark)))))))"
			w.goal = "(and (mark) " + w.goal + ")"
			return w.with(act("mess", 2, "(and (mark) (pair ?a0 ?a1))", "(and (not (on ?a0)) (not (pair ?a0 ?a1)))"))
		}},
		{name: "a walkthrough of a million commands", megabytes: 250, limit: work, play: walked, game: func() world {
			w := crowd(100, "", "")
			w.walkthrough = make([]string, 1_000_000)
			return w
		}},
	}...)
}

// walked asks for the walkthrough.
func walked(ctx context.Context, g *alfworld.Game) error {
	return within(env.Limits{}, env.Walkthrough)(ctx, g)
}

// crowd is n things that are all on, each paired with the next.
func crowd(n int, intro, symbols string) world {
	w := world{things: n, intro: intro, symbols: symbols, goal: "(mark)"}
	w.init = many(n, func(i int) string { return fmt.Sprintf("(on o_bar_%d) (pair o_bar_%d o_bar_%d)", i, i, (i+1)%n) })
	return w.with("(:action rest :precondition () :effect (not (mark)))\n", `action rest { template :: "rest"; feedback :: "ok"; }`)
}

// chain is n places, of which each is beside the next; in the first n of them from the beginning, in the others once
// one says so. Derived is which place can be reached from which.
func chain(n, first int) world {
	w := world{things: n, predicates: "(next ?x ?y - thing) (way ?x ?y - thing)", goal: fmt.Sprintf("(way o_bar_0 o_bar_%d)", n-1)}
	w.init = many(n-1, func(i int) string { return fmt.Sprintf("(next o_bar_%d o_bar_%d)", i, i+1) }) +
		many(max(first-1, 0), func(i int) string { return fmt.Sprintf("(pair o_bar_%d o_bar_%d)", i, i+1) })
	w = w.with(act("boom", 0, "()", "(forall (?x ?y - thing) (when (next ?x ?y) (pair ?x ?y)))"))
	w.actions += "(:derived (way ?x ?y - thing) (or (pair ?x ?y) (exists (?z - thing) (and (pair ?x ?z) (way ?z ?y)))))\n"
	return w
}

// having adds n predicates of one thing.
func (w world) having(n int) world {
	w.predicates += many(n, func(i int) string { return fmt.Sprintf("(p%d ?x)", i) })
	return w
}

// puzzle is eight tiles that are moved about on nine fields, two of them to change places, which no sequence of moves
// does; ignoring that a tile leaves its field, it looks easy. More facts make its states large.
func puzzle(facts int) world {
	w := world{things: 17 + facts, predicates: "(beside ?x ?y - thing)"}
	tiles := func(i int) string { return fmt.Sprintf("(pair o_bar_%d o_bar_%d)", i, 8+i) }
	w.goal = "(and (pair o_bar_0 o_bar_9) (pair o_bar_1 o_bar_8)" + many(6, func(i int) string { return tiles(i + 2) }) + ")"
	w.init = many(8, tiles) + "(on o_bar_16)" + many(facts, func(i int) string { return fmt.Sprintf("(pair o_bar_%d o_bar_%d)", 17+i, 17+i) })
	for i := range 9 {
		for k := range 9 {
			if d := (i/3-k/3)*(i/3-k/3) + (i%3-k%3)*(i%3-k%3); d == 1 {
				w.init += fmt.Sprintf("(beside o_bar_%d o_bar_%d)", 8+i, 8+k)
			}
		}
	}
	return w.with(act("move", 3, "(and (on ?a2) (beside ?a2 ?a1) (pair ?a0 ?a1))", "(and (not (pair ?a0 ?a1)) (pair ?a0 ?a2) (not (on ?a2)) (on ?a1))"))
}
