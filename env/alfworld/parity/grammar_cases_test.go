package parity_test

import (
	"encoding/json"
	"fmt"
	"strings"
)

// house is the domain and problem of the grammar's cases: cups and a box on shelves, and a hand that takes and puts.
const (
	houseDomain = `(:types agent shelf thing - object cup box - thing tall - cup)
(:predicates (at ?a - agent ?s - shelf) (on ?x - thing ?s - shelf) (held ?a - agent ?x - thing) (full ?x - thing) (dirty ?x - thing) (calm) (looked))
(:action go :parameters (?a - agent ?old ?to - shelf) :precondition (at ?a ?old) :effect (and (not (at ?a ?old)) (at ?a ?to)))
(:action take :parameters (?a - agent ?x - thing ?s - shelf) :precondition (and (at ?a ?s) (on ?x ?s) (not (exists (?y - thing) (held ?a ?y)))) :effect (and (not (on ?x ?s)) (held ?a ?x)))
(:action put :parameters (?a - agent ?x - thing ?s - shelf) :precondition (and (at ?a ?s) (held ?a ?x)) :effect (and (on ?x ?s) (not (held ?a ?x))))
(:action fill :parameters (?a - agent ?x - cup) :precondition (held ?a ?x) :effect (and (full ?x) (not (dirty ?x))))
(:action spill :parameters (?x - cup) :precondition (full ?x) :effect (and (not (full ?x)) (when (calm) (dirty ?x)) (when (not (calm)) (not (dirty ?x)))))
(:action shout :parameters () :precondition () :effect (and (when (calm) (not (calm))) (when (not (calm)) (calm))))
` + look
	houseProblem = `(:objects me - agent top_bar_1 top_bar_2 low_bar_1 - shelf cup_bar_1 cup_bar_2 cup_bar_3 - cup box_bar_1 - box mug_bar_1 - tall)
(:init (at me top_bar_1) (on cup_bar_1 top_bar_1) (on cup_bar_2 top_bar_1) (on cup_bar_3 top_bar_2) (on box_bar_1 top_bar_1) (on mug_bar_1 top_bar_2) (full cup_bar_2) (full mug_bar_1) (dirty cup_bar_1) (calm) (at me low_bar_1))
(:goal (and (full cup_bar_1) (on cup_bar_1 low_bar_1)))`
)

// houseGrammar words every action of the house; looking and the start tell the symbol "told".
func houseGrammar(symbols string) string {
	return `# a comment
grammar :: """{"list_empty": [{"rhs": "nothing"}], "list_separator": [{"rhs": ", "}], "list_last_separator": [{"rhs": ", and "}],
"intro": [{"rhs": "#told#"}]}""";
grammar :: """{` + symbols + `}""";
action go { template :: "go to {to}"; feedback :: "You go from {old} to {to}. #told#"; }
action Take { feedback :: "Taken: {x.indefinite + ' ' + x.name}. #told#"; template :: "take {x} from {s}"; } # after it
action put { template :: "put {x} on {s}"; feedback :: "#told#"; grammar :: """{
  # a comment in JSON
  "unused": [{"rhs": "x"}]
}"""; }
action fill { template :: "fill {x}"; pddl :: """(:action fill)"""; feedback :: "#told#"; }
action spill { template :: "spill {x}"; feedback :: "#told#"; }
action shout { template :: "shout"; feedback :: "#told#"; }
action look { template :: "look"; feedback :: "#told#"; }
action PickupFrom { template :: "dead {q}"; feedback :: "#dead#"; }
`
}

// rhsCase tells one right-hand side after every command.
func rhsCase(name, rhs string) gameCase {
	quoted, err := json.Marshal(rhs)
	if err != nil {
		panic(err)
	}
	return gameCase{name: "rhs " + name, domain: houseDomain, problem: houseProblem, grammar: houseGrammar(`"told": [{"rhs": ` + string(quoted) + `}]`), steps: 6}
}

func symbolCase(name, symbols string) gameCase {
	return gameCase{name: "grammar " + name, domain: houseDomain, problem: houseProblem, grammar: houseGrammar(symbols), steps: 16}
}

// rhsCases are right-hand sides, one a line: a name, a colon and the JSON of the text.
var rhsCases = `
list of all: "On shelves: [{x.name | on(x:thing, s:shelf)}]."
list with or: "[{x.indefinite + ' ' + x.name or 'z' | on(x:thing, s:shelf)}]"
list of two: "[{s.name | at(a:agent, s:shelf)}]"
list of one and none: "[{x | dirty(x:thing)}] [{x | full(x:box)}]"
each without a list: "{x.name + '; ' | on(x:cup, s:shelf)}end"
properties: "{x.id + ' ' + x.definite + ' ' + x.indefinite + ' ' + x.type + ' ' | on(x:cup, s:shelf)}"
none: "{x.noun | dirty(x:cup)} {x.noun or x.name | dirty(x:cup)} {x.adj or x.desc | dirty(x:cup)}"
by itself: "{x | dirty(x:cup)} {x or 'z' | dirty(x:cup)}"
supertypes: "[{x.id | on(x:object, s:shelf)}] [{x.id | on(x:thing, s:object)}] [{x.id + ' ' + s.id | on(x:object, s:object)}]"
exact types: "[{x.id | on(x:box, s:shelf)}] [{x.id | on(x:tall, s:shelf)}] [{x.id | on(x:cup, s:shelf)}]"
three levels: "[{x.id | full(x:object)}] [{x.id | full(x:thing)}] [{x.id | full(x:cup)}]"
same place: "[{x.id + '=' + y.id | on(x:cup, s:shelf) & on(y:cup, s:shelf)}]"
never the same: "[{x.id + y.id | full(x:cup) & full(y:cup)}]"
one variable twice: "[{x.id | on(x:cup, s:shelf) & full(x:cup)}]"
deleted: "[{x.id + ' ' + s.id | not_on(x:thing, s:shelf)}] [{x.id | not_dirty(x:cup)}] [{x.id | not_full(x:cup)}] [{s.id | not_at(a:agent, s:shelf)}]"
deleted by chance: "calm {'yes' | calm()}{'no' | not_calm()}"
not there: "[{x.id | nowhere(x:cup)}] [{x.id | on(x:cup)}] [{x.id | On(x:cup, s:shelf)}]"
symbols in braces: "[{#list_empty# | on(x:cup, s:shelf)}] {#list_separator#}"
literal in quotes: "\"a literal\" and \"more\""
empty literal: "a\"\"b"
empty: ""
white space first: " \t\n \r\n\u00a0 text"
a comment first: "// not told\n  told"
a comment after blanks: "  // told\n x"
comments in a row: "\n// one\n// two\n\n three\n// four"
tabs: "a\tb #list_empty#\tc{#list_empty#}\t\td\"\te\t\"\tf"
tabs in braces: "{\tx.name\t|\tdirty(x:cup)\t} [\t{x.id | dirty(x:cup)}\t] #\tlist_empty#"
blanks in lists: "a [ {x.id | dirty(x:cup)} ] b"
blanks in braces: "a { x.id | dirty(x:cup) } b"
blanks before the end: "a {x.id | dirty(x:cup) } b"
line break in braces: "a {x.id \n| dirty(x:cup)} b"
line break in a query: "a {x.id | dirty(x:cup) & \n full(x:cup)} b"
line breaks around the bar: "a {x.id \n | \n dirty(x:cup)} b"
semicolon: "put it here; and there"
bar: "a|b"
angle: "a < b"
other angle: "a > b"
bracket: "a ] b"
brace: "a } b"
open brace: "a {x.id | dirty(x:cup) b"
open bracket: "a [{x.id | dirty(x:cup)} b"
open quote: "a \"b c"
open hash: "a #list_empty b"
quoted brace: "a \"{x}\" b"
quote in an expression: "a {'\"' + x.id | dirty(x:cup)} b"
double quotes in an expression: "{\"it's \" + x.id | dirty(x:cup)}"
escapes: "{'a\\nb\\t\\'c\\\\ \\x41 \\u0041 \\q' | dirty(x:cup)}"
neighbours: "{'a' 'b' \"c\" + x.id | dirty(x:cup)}"
backslash n: "a\\nb"
unicode: "Ünïcödé 杯 \ud83d\udd11 {'杯 ' + x.id | dirty(x:cup)}"
empty braces: "a {} b"
nested lists: "[[{x.id | dirty(x:cup)}]]"
list of a symbol: "[{#list_empty#}] [#list_empty#] b"
symbol and more: "a {#list_empty# + 'x'} b"
punctuation: "It's 50% off: (a) & 'b' = $1, ok? Yes! ~^*_-+/\\&@"
zero arguments: "{'calm' | calm()} [{'calm' | calm()}]"
no query: "{'just text'} [{'just text'}]"
query with blanks: "{x.id |  dirty ( x : cup )  &  on( x : cup ,s : shelf )  }"
denied in a query: "[{x.id | !dirty(x:cup)}]"
apostrophes: "[{x.id | on(x:cup, s:shelf) & on(x':cup, s:shelf)}]"
html: "a <b>bold</b>"
percent: "{x.id + '%' | dirty(x:cup)} 100%"
or of empties: "{'' or '' or x.id | dirty(x:cup)} {'' or '' | dirty(x:cup)}."
line ends: "one\n{x.id | dirty(x:cup)}\n  two\n#list_empty#\n"
`

var grammarCases = []gameCase{
	symbolCase("conditions", `"told": [
 {"condition": "full(x:cup) & on(x:cup, s:shelf) & not_dirty(x:cup)", "rhs": "First."},
 {"condition": "held(a:agent, x:thing)", "rhs": "You hold {x.name | held(a:agent, x:thing)}."},
 {"condition": "dirty(x:cup)", "rhs": "Dirty.", "weight": 0},
 {"rhs": "Else.", "weight": 9}]`),
	symbolCase("redefined", `"told": [{"rhs": "#a# #b#"}], "a": [{"rhs": "old"}], "b": [{"rhs": "old"}]}""";
grammar :: """{"a": [{"rhs": "new"}], "told": [{"rhs": "#b# #a# #a#"}], "list_empty": [{"rhs": "none"}]`),
	symbolCase("parameters", `"told": [{"rhs": "#who# #where# #else#"}], "who": [{"condition": "held(a:agent, x:thing)", "rhs": "{x.id | held(a:agent, x:thing)}"}, {"rhs": "-"}],
 "where": [{"rhs": "[{x.id | on(x:cup, s:shelf)}] [{x.id | on(x:thing, s:shelf)}] [{y.id | on(y:cup, s:shelf)}] [{s.id | at(a:agent, s:shelf)}]"}],
 "else": [{"condition": "on(x:cup, to:shelf)", "rhs": "to: {x.id | on(x:cup, to:shelf)}"}, {"rhs": "none"}]`),
	symbolCase("nested symbols", `"told": [{"rhs": "{#item# | on(x:cup, s:shelf)}[{#item# | on(x:box, s:shelf)}]"}],
 "item": [{"condition": "full(x:cup)", "rhs": "a full {x.name} on {s.name}#more#; cut"}, {"rhs": "{x.name} "}], "more": [{"condition": "at(a:agent, s:shelf)", "rhs": " (here)"}, {"rhs": ""}]`),
	symbolCase("symbols with signs", `"told": [{"rhs": "#overview(r)# #a, b-c/d!# #Ünï_9.x# #<x>#"}], "overview(r)": [{"rhs": "one"}], "a, b-c/d!": [{"rhs": "two"}], "Ünï_9.x": [{"rhs": "three"}], "<x>": [{"rhs": "four"}]`),
	symbolCase("own separators", `"told": [{"rhs": "[{x.name | on(x:cup, s:shelf)}] [{x.name | on(x:box, s:shelf)}] [{x.name | not_on(x:box, s:shelf)}]"}],
 "list_separator": [{"condition": "calm()", "rhs": " / "}, {"rhs": "; "}], "list_last_separator": [{"rhs": "#list_separator#& "}], "list_empty": [{"condition": "calm()", "rhs": "(nothing)"}, {"rhs": "[{'calm' | calm()}{x.id | full(x:cup)}"}]`),
	symbolCase("odd JSON", `"told": [{"rhs": "\u0041\/\"quoted\" \u00e9", "condition": "", "weight": 1.5, "other": {"x": [1]}}, {"rhs": "never"}]`),
	{
		name: "grammar two types of a variable", domain: houseDomain, problem: houseProblem,
		grammar: houseGrammar(`"told": [{"rhs": "[{x.id | on(x:cup, s:shelf) & full(x:thing)}]"}]`),
		fault:   "ValueError: Conflicting types", ours: "variable x has two types",
	},
	{
		name: "grammar a type that is none", domain: houseDomain, problem: houseProblem,
		grammar: houseGrammar(`"told": [{"rhs": "[{x.id | on(x:pot, s:shelf)}]"}]`), say: []string{"look"},
		fault: "KeyError: 'pot'",
	},
	{
		name: "grammar no rule", domain: houseDomain, problem: houseProblem,
		grammar: houseGrammar(`"told": [{"condition": "held(a:agent, x:thing)", "rhs": "x"}]`),
		fault:   "IndexError", ours: `no rule of symbol "told" applies`,
	},
	{
		name: "grammar a symbol that is none", domain: houseDomain, problem: houseProblem,
		grammar: houseGrammar(`"told": [{"rhs": "#tolled#"}]`),
		fault:   "CSGUnknownSymbolError", ours: `symbol "tolled" has no rule`,
	},
	{
		name: "grammar a variable that is none", domain: houseDomain, problem: houseProblem,
		grammar: houseGrammar(`"told": [{"rhs": "{z.name}"}]`),
		fault:   "NameError", ours: `variable "z" is not bound`,
	},
	{
		name: "grammar a keyword of Python", domain: houseDomain, problem: houseProblem,
		grammar: houseGrammar(`"told": [{"rhs": "[{in.id | dirty(in:cup)}]"}]`), say: []string{"look"},
		fault: "SyntaxError",
	},
	{
		name: "grammar an action without words", domain: houseDomain, problem: houseProblem,
		grammar: strings.Replace(houseGrammar(`"told": [{"rhs": "x"}]`), "action spill", "action spit", 1),
		fault:   "KeyError: 'spill'", ours: `no template for action "spill"`,
	},
	{
		name: "grammar varying templates", domain: houseDomain, problem: houseProblem, steps: 16,
		grammar: strings.NewReplacer(
			`template :: "look"`, `template :: "look at [{x.name | on(x:cup, s:shelf)}]"`,
			`template :: "take {x} from {s}"`, `template :: "take #state# {x} from {s}"`,
			`template :: "put {x} on {s}"`, `template :: "put {x}"`,
		).Replace(houseGrammar(`"told": [{"rhs": "ok"}], "state": [{"condition": "full(x:cup)", "rhs": "full"}, {"condition": "not_full(x:cup)", "rhs": "emptied"}, {"rhs": "some"}]`)),
	},
	{
		name: "grammar wide parameters", steps: 16,
		domain: `(:types thing - object cup - thing) (:predicates (on ?x - thing ?y - thing) (seen ?x - thing) (looked))
(:action stack :parameters (?x ?y - thing) :precondition (not (on ?x ?y)) :effect (on ?x ?y))
(:action see :parameters (?x - cup) :precondition () :effect (seen ?x))
(:action any :parameters (?x) :precondition (seen ?x) :effect (not (seen ?x)))
` + look,
		problem: `(:objects cup_bar_1 cup_bar_2 - cup stone_bar_1 - thing) (:init (on cup_bar_1 cup_bar_2) (on stone_bar_1 cup_bar_1) (seen stone_bar_1)) (:goal (and (on cup_bar_2 stone_bar_1) (seen cup_bar_1)))`,
		grammar: `grammar :: """{"list_empty": [{"rhs": "-"}], "list_separator": [{"rhs": ", "}], "list_last_separator": [{"rhs": " and "}], "intro": [{"rhs": "#all#"}],
"all": [{"rhs": "[{x.id + ' ' + y.id | on(x:thing, y:thing)}] [{x.id + ' ' + y.id | on(x:cup, y:cup)}] [{x.id + ' ' + y.id | on(x:cup, y:thing)}] [{z.id | seen(z:object)}] [{x.id | not_seen(x:cup)}]"}]}""";
action stack { template :: "stack {x} on {y}"; feedback :: "{x.id} {y.id}: #all# {x.id} {y.id}"; }
action see { template :: "see {x}"; feedback :: "{x.id}: #all# {x.id}"; }
action any { template :: "any {x}"; feedback :: "{x.id}: #all# {x.id}"; }
action look { template :: "look"; feedback :: "#all#"; }`,
	},
}

func linesOf(cases string) []gameCase {
	var list []gameCase
	for line := range strings.Lines(strings.TrimSpace(cases)) {
		name, quoted, _ := strings.Cut(strings.TrimSpace(line), ": ")
		var rhs string
		if err := json.Unmarshal([]byte(quoted), &rhs); err != nil {
			panic(fmt.Sprintf("%s: %v", line, err))
		}
		list = append(list, rhsCase(name, rhs))
	}
	return list
}
