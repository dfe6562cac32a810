package parity_test

// pddlCases are the corners of domains and problems.
var pddlCases = []gameCase{
	{
		name: "untyped",
		domain: `(:predicates (on ?x) (pair ?x ?y) (looked))
(:action flip :parameters (?x) :precondition (not (on ?x)) :effect (on ?x))
(:action join :parameters (?x ?y) :precondition (and (on ?x) (not (pair ?x ?y))) :effect (pair ?x ?y))
` + look,
		problem: `(:objects a_bar_1 a_bar_2 b_bar_1) (:init (pair a_bar_1 a_bar_1) (pair b_bar_1 a_bar_2)) (:goal (and (on a_bar_1) (on b_bar_1) (pair b_bar_1 b_bar_1)))`,
	},
	{
		name: "type hierarchy",
		domain: `(:requirements :strips :typing) (:types animal plant - thing cat dog - animal tree - plant kitten - cat)
(:predicates (fed ?x - animal) (near ?x ?y - thing) (looked))
(:action feed :parameters (?x - animal) :precondition (not (fed ?x)) :effect (fed ?x))
(:action stroke :parameters (?x - cat) :precondition (fed ?x) :effect (not (fed ?x)))
(:action bring :parameters (?x - dog ?y - thing) :precondition (fed ?x) :effect (near ?x ?y))
` + look,
		problem: `(:objects tom_bar_1 - cat rex_bar_1 rex_bar_2 - dog oak_bar_1 - tree kit_bar_1 - kitten)
(:init (near tom_bar_1 oak_bar_1) (near kit_bar_1 tom_bar_1) (near rex_bar_1 rex_bar_2) (fed rex_bar_2)) (:goal (and (fed kit_bar_1) (near rex_bar_1 oak_bar_1)))`,
	},
	{
		name: "connectives",
		domain: `(:types t) (:predicates (p ?x - t) (q ?x - t) (r ?x ?y - t) (looked))
(:action a-or :parameters (?x - t) :precondition (or (p ?x) (q ?x)) :effect (and (not (p ?x)) (not (q ?x))))
(:action a-imply :parameters (?x - t) :precondition (imply (p ?x) (q ?x)) :effect (p ?x))
(:action a-exists :parameters (?x - t) :precondition (exists (?y - t) (and (r ?x ?y) (not (p ?y)))) :effect (q ?x))
(:action a-forall :parameters (?x - t) :precondition (forall (?y - t) (or (not (r ?x ?y)) (p ?y))) :effect (and (q ?x) (not (p ?x))))
(:action a-nested :parameters (?x - t) :precondition (not (exists (?y - t) (and (r ?y ?x) (or (p ?y) (forall (?z - t) (imply (r ?y ?z) (q ?z)))))))  :effect (r ?x ?x))
(:action a-notand :parameters (?x ?y - t) :precondition (and (not (and (p ?x) (q ?y))) (not (= ?x ?y))) :effect (r ?x ?y))
(:action a-equal :parameters (?x ?y - t) :precondition (and (= ?x ?y) (r ?x ?y)) :effect (not (r ?x ?y)))
` + look,
		problem: `(:objects a_bar_1 b_bar_1 c_bar_1 - t) (:init (p a_bar_1) (q b_bar_1) (r a_bar_1 b_bar_1) (r b_bar_1 c_bar_1)) (:goal (and (q a_bar_1) (q c_bar_1) (p b_bar_1) (r c_bar_1 c_bar_1)))`,
	},
	{
		name: "conditional effects",
		domain: `(:types t) (:predicates (p ?x - t) (q ?x - t) (r ?x - t) (on) (looked))
(:action toggle :parameters () :precondition () :effect (and (when (on) (not (on))) (when (not (on)) (on))))
(:action sweep :parameters () :precondition () :effect (forall (?x - t) (when (p ?x) (and (not (p ?x)) (q ?x)))))
(:action spread :parameters (?x - t) :precondition (q ?x) :effect (forall (?y - t) (p ?y)))
(:action swap :parameters (?x - t) :precondition () :effect (and (when (and (p ?x) (not (q ?x))) (and (q ?x) (not (p ?x)))) (when (and (q ?x) (not (p ?x))) (and (p ?x) (not (q ?x))))))
(:action nested :parameters (?x - t) :precondition (on) :effect (forall (?y - t) (when (and (p ?x) (q ?y)) (and (not (q ?y)) (p ?y)))))
(:action some :parameters (?x - t) :precondition () :effect (when (exists (?y - t) (and (q ?y) (not (= ?x ?y)))) (not (p ?x))))
` + look,
		problem: `(:objects a_bar_1 a_bar_2 b_bar_1 - t) (:init (p a_bar_1) (q b_bar_1) (r a_bar_2)) (:goal (and (on) (forall (?x - t) (q ?x))))`,
	},
	{
		name: "deletes and adds",
		domain: `(:types t) (:predicates (p ?x - t) (q ?x - t) (never ?x - t) (known ?x - t) (looked))
(:action both :parameters (?x - t) :precondition (p ?x) :effect (and (not (p ?x)) (p ?x) (q ?x)))
(:action only-both :parameters (?x - t) :precondition (p ?x) :effect (and (not (p ?x)) (p ?x)))
(:action free-both :parameters (?x - t) :precondition () :effect (and (not (p ?x)) (p ?x)))
(:action unset :parameters (?x - t) :precondition () :effect (not (p ?x)))
(:action wipe :parameters (?x - t) :precondition () :effect (not (never ?x)))
(:action wipe-q :parameters (?x - t) :precondition (p ?x) :effect (and (not (never ?x)) (not (q ?x))))
(:action move :parameters (?x ?y - t) :precondition (p ?x) :effect (and (not (p ?x)) (p ?y)))
(:action idle :parameters (?x - t) :precondition (p ?x) :effect (p ?x))
(:action idle-not :parameters (?x - t) :precondition (not (p ?x)) :effect (not (p ?x)))
` + look,
		problem: `(:objects a_bar_1 a_bar_2 b_bar_1 - t) (:init (p a_bar_1) (known a_bar_2) (known b_bar_1)) (:goal (and (p b_bar_1) (q a_bar_2)))`,
	},
	{
		name: "no arguments",
		domain: `(:predicates (p) (q) (looked))
(:action set :parameters () :precondition (not (p)) :effect (p))
(:action go :parameters () :precondition (p) :effect (and (q) (not (p))))
(:action nothing :parameters () :precondition () :effect ())
` + look,
		problem: `(:objects a_bar_1) (:init) (:goal (q))`,
	},
	{
		name: "nested effects",
		domain: `(:types t) (:predicates (p ?x - t) (q ?x - t) (on) (looked))
(:action nested :parameters (?x - t) :precondition () :effect (when (p ?x) (forall (?y - t) (when (q ?y) (and (not (q ?y)) (p ?y))))))
(:action twice :parameters () :precondition () :effect (forall (?x - t) (forall (?y - t) (when (and (p ?x) (q ?y)) (and (q ?x) (not (p ?x)))))))
` + look,
		problem: `(:objects a_bar_1 b_bar_1 - t) (:init (p a_bar_1) (q b_bar_1)) (:goal (and (p b_bar_1)))`,
		say:     []string{"nested b 1", "nested a 1", "twice"},
		fault:   "AssertionError",
	},
	{
		name: "derived",
		domain: `(:requirements :adl :derived-predicates) (:types block)
(:predicates (on ?x ?y - block) (table ?x - block) (held ?x - block) (above ?x ?y - block) (clear ?x - block) (free) (tall ?x - block) (looked))
(:derived (above ?x ?y - block) (or (on ?x ?y) (exists (?z - block) (and (on ?x ?z) (above ?z ?y)))))
(:derived (clear ?x - block) (and (not (held ?x)) (not (exists (?y - block) (on ?y ?x)))))
(:derived (free) (forall (?x - block) (not (held ?x))))
(:derived (tall ?x - block) (exists (?y ?z - block) (and (above ?x ?y) (above ?x ?z) (not (= ?y ?z)))))
(:action lift :parameters (?x ?y - block) :precondition (and (free) (clear ?x) (on ?x ?y)) :effect (and (held ?x) (not (on ?x ?y))))
(:action raise :parameters (?x - block) :precondition (and (free) (clear ?x) (table ?x)) :effect (and (held ?x) (not (table ?x))))
(:action put :parameters (?x ?y - block) :precondition (and (held ?x) (clear ?y)) :effect (and (on ?x ?y) (not (held ?x))))
(:action lower :parameters (?x - block) :precondition (held ?x) :effect (and (table ?x) (not (held ?x))))
(:action sweep :parameters () :precondition () :effect (forall (?x - block) (when (tall ?x) (and (table ?x)))))
` + look,
		problem: `(:objects a_bar_1 a_bar_2 b_bar_1 - block) (:init (on a_bar_1 a_bar_2) (table a_bar_2) (table b_bar_1))
(:goal (and (above b_bar_1 a_bar_2) (tall b_bar_1)))`,
		steps: 40,
	},
	{
		name: "derived, denied",
		domain: `(:types node) (:predicates (edge ?x ?y - node) (at ?x - node) (linked ?x ?y - node) (lost ?x - node) (safe) (warm ?x - node) (looked))
(:derived (linked ?x ?y - node) (edge ?x ?y))
(:derived (linked ?x ?y - node) (exists (?z - node) (and (linked ?x ?z) (linked ?z ?y))))
(:derived (lost ?x - node) (not (exists (?y - node) (and (at ?y) (linked ?y ?x)))))
(:derived (safe) (forall (?x - node) (or (at ?x) (not (lost ?x)))))
(:action go :parameters (?x ?y - node) :precondition (and (at ?x) (edge ?x ?y)) :effect (and (at ?y) (not (at ?x))))
(:action cut :parameters (?x ?y - node) :precondition (and (at ?x) (edge ?x ?y) (not (lost ?y))) :effect (not (edge ?x ?y)))
(:action build :parameters (?x ?y - node) :precondition (and (at ?x) (lost ?y) (not (= ?x ?y))) :effect (edge ?x ?y))
(:action warm :parameters (?x - node) :precondition (at ?x) :effect (forall (?y - node) (when (linked ?x ?y) (warm ?y))))
(:action jump :parameters (?y - node) :precondition (safe) :effect (and (at ?y) (forall (?x - node) (when (and (at ?x) (not (= ?x ?y))) (not (at ?x))))))
` + look,
		problem: `(:objects a_bar_1 b_bar_1 c_bar_1 - node) (:init (at a_bar_1) (edge a_bar_1 b_bar_1) (edge b_bar_1 c_bar_1)) (:goal (and (safe) (at c_bar_1)))`,
		steps:   40,
	},
	{
		name: "derived, only told",
		domain: `(:predicates (p ?x) (q ?x) (d ?x) (e ?x) (looked))
(:derived (d ?x) (or (p ?x) (q ?x)))
(:derived (e ?x) (p ?x))
(:action set :parameters (?x) :precondition (not (q ?x)) :effect (q ?x))
(:action unset :parameters (?x) :precondition (e ?x) :effect (not (p ?x)))
` + look,
		problem: `(:objects a_bar_1 b_bar_1) (:init (p a_bar_1) (q b_bar_1)) (:goal (and (q a_bar_1) (not (p a_bar_1))))`,
	},
	{
		name: "costs",
		domain: `(:requirements :strips :action-costs) (:types place) (:predicates (at ?x - place) (road ?x ?y - place) (looked))
(:functions (total-cost) - number (length ?x ?y - place) - number)
(:action go :parameters (?x ?y - place) :precondition (and (at ?x) (road ?x ?y)) :effect (and (not (at ?x)) (at ?y) (increase (total-cost) (length ?x ?y))))
(:action rest :parameters () :precondition () :effect (and (looked) (increase (total-cost) 3)))
` + look,
		problem: `(:objects a_bar_1 a_bar_2 a_bar_3 - place) (:init (= (total-cost) 0) (at a_bar_1) (road a_bar_1 a_bar_2) (= (length a_bar_1 a_bar_2) 7) (= (length a_bar_3 a_bar_2) 2))
(:goal (at a_bar_2)) (:metric minimize (total-cost))`,
	},
	{
		name: "constants",
		domain: `(:types place thing) (:constants home_bar_1 - place lamp_bar_1 - thing)
(:predicates (at ?x - thing ?y - place) (lit ?x - thing) (spare ?x - thing) (looked))
(:action bring :parameters (?x - thing ?y - place) :precondition (and (at ?x ?y) (not (= ?y home_bar_1))) :effect (and (not (at ?x ?y)) (at ?x home_bar_1)))
(:action light :parameters () :precondition (and (at lamp_bar_1 home_bar_1) (not (lit lamp_bar_1))) :effect (lit lamp_bar_1))
(:action only :parameters (?x - thing) :precondition (= ?x lamp_bar_1) :effect (not (lit ?x)))
(:action take :parameters (?x - thing ?y - place) :precondition (and (= home_bar_1 ?y) (at ?x ?y)) :effect (and (not (at ?x ?y)) (at ?x away_bar_1)))
` + look,
		problem: `(:objects away_bar_1 - place mug_bar_1 - thing) (:init (at lamp_bar_1 away_bar_1) (at mug_bar_1 home_bar_1) (spare lamp_bar_1)) (:goal (and (lit lamp_bar_1) (at mug_bar_1 home_bar_1)))`,
	},
	{
		name: "either in predicates",
		domain: `(:types block table) (:predicates (on ?x - block ?y - (either block table)) (looked))
(:action move :parameters (?x - block ?y - block ?z - table) :precondition (on ?x ?y) :effect (and (not (on ?x ?y)) (on ?x ?z)))
(:action never :parameters (?x - (either block table)) :precondition () :effect (looked))
` + look,
		problem: `(:objects a_bar_1 a_bar_2 - block t_bar_1 - table) (:init (on a_bar_1 a_bar_2) (on a_bar_2 t_bar_1)) (:goal (on a_bar_1 t_bar_1))`,
	},
	{
		name: "types as predicates",
		domain: `(:types animal - object cat dog - animal) (:predicates (fed ?x - animal) (known ?x) (looked))
(:action drop-cats :parameters (?x) :precondition (and (not (cat ?x)) (fed ?x)) :effect (not (fed ?x)))
(:action feed :parameters (?x) :precondition (and (animal ?x) (not (cat ?x)) (not (fed ?x))) :effect (fed ?x))
(:action stroke :parameters (?x - animal) :precondition (or (cat ?x) (fed ?x)) :effect (and (looked) (forall (?y - animal) (when (dog ?y) (not (fed ?y))))))
` + look,
		problem: `(:objects tom_bar_1 - cat rex_bar_1 rex_bar_2 - dog) (:init (fed rex_bar_2) (fed tom_bar_1) (known rex_bar_1)) (:goal (forall (?x) (imply (dog ?x) (fed ?x))))`,
	},
	{
		name: "type parent not declared",
		domain: `(:types cat dog - animal) (:predicates (fed ?x - animal) (near ?x ?y) (looked))
(:action feed :parameters (?x - animal) :precondition (not (fed ?x)) :effect (fed ?x))
(:action any :parameters (?x) :precondition () :effect (looked))
` + look,
		problem: `(:objects tom_bar_1 - cat rex_bar_1 - dog stone_bar_1) (:init (fed tom_bar_1) (near rex_bar_1 tom_bar_1) (near stone_bar_1 stone_bar_1)) (:goal (and (fed tom_bar_1) (fed rex_bar_1)))`,
	},
	{
		name: "type declared twice",
		domain: `(:types animal pet - object cat - animal cat - pet) (:predicates (fed ?x - animal) (tame ?x - pet) (looked))
(:action feed :parameters (?x - animal) :precondition (not (fed ?x)) :effect (fed ?x))
(:action tame :parameters (?x - pet) :precondition (fed ?x) :effect (tame ?x))
` + look,
		problem: `(:objects tom_bar_1 - cat rex_bar_1 - animal) (:init (fed rex_bar_1) (tame tom_bar_1)) (:goal (and (fed tom_bar_1) (tame tom_bar_1)))`,
	},
	{
		name: "case and comments",
		domain: `; a comment (with parentheses
(:TYPES Thing) (:Predicates (On ?X - thing) ; another "one"
(Looked)(known ?x)) (:Action FLIP :Parameters(?X - Thing):Precondition(NOT(on ?x)):Effect(And(ON ?x)))
` + look,
		problem: `(:Objects A_bar_1 b_BAR_1 - THING)(:Init (ON a_bar_1)(on A_Bar_1) ; twice
(known b_bar_1))(:GOAL(and(on B_bar_1)))`,
	},
	{
		name: "goal or", domain: goalDomain,
		problem: goalObjects + `(:goal (or (and (p a_bar_1) (p b_bar_1)) (q c_bar_1)))`,
	},
	{
		name: "goal not", domain: goalDomain,
		problem: goalObjects + `(:goal (and (not (p a_bar_1)) (not (q b_bar_1))))`,
	},
	{
		name: "goal one denial", domain: goalDomain,
		problem: goalObjects + `(:goal (not (p a_bar_1)))`,
	},
	{
		name: "goal imply", domain: goalDomain,
		problem: goalObjects + `(:goal (imply (p a_bar_1) (q c_bar_1)))`,
	},
	{
		name: "goal exists", domain: goalDomain,
		problem: goalObjects + `(:goal (exists (?x ?y - t) (and (q ?x) (q ?y) (not (= ?x ?y)) (not (p ?x)))))`,
	},
	{
		name: "goal forall", domain: goalDomain,
		problem: goalObjects + `(:goal (forall (?x - t) (or (p ?x) (q ?x))))`,
	},
	{
		name: "goal forall exists", domain: goalDomain,
		problem: goalObjects + `(:goal (and (forall (?x - t) (exists (?y - t) (and (q ?y) (not (= ?x ?y))))) (p a_bar_1)))`,
	},
	{
		name: "goal with equality", domain: goalDomain,
		problem: goalObjects + `(:goal (exists (?x - t) (and (= ?x c_bar_1) (q ?x))))`,
	},
	{
		name: "won at the start", domain: goalDomain,
		problem: goalObjects + `(:goal (and (p a_bar_1) (q b_bar_1)))`,
	},
	{
		name: "unsolvable but reachable one by one", domain: `(:predicates (p) (q) (looked))
(:action a :parameters () :precondition (p) :effect (and (q) (not (p))))
(:action b :parameters () :precondition (q) :effect (and (p) (not (q))))
` + look,
		problem: `(:objects x_bar_1) (:init (p)) (:goal (and (p) (q)))`,
	},
	{
		name: "names",
		domain: `(:predicates (p ?x) (q ?x ?y) (looked))
(:action touch :parameters (?x) :precondition (p ?x) :effect (q ?x ?x))
` + look,
		problem: `(:objects sink_bar_1 sink_bar_1_bar_sinkbasin bathtub_bar_2_bar_basin mug_bar__minus_1_dot_5 mug_bar__plus_1_dot_5 mug_bar_0 mug_bar_10 mug_bar_2 agent robot7 basin_bar_1 a_bar_b_bar_c _bar_x mug-2 mug_minus_2 x_bar_ unused_bar_1 mug_bar_9 a_dot_b)
(:init (p sink_bar_1) (p sink_bar_1_bar_sinkbasin) (p bathtub_bar_2_bar_basin) (p mug_bar__minus_1_dot_5) (p mug_bar__plus_1_dot_5) (p mug_bar_0) (p mug_bar_10) (p mug_bar_2) (p agent) (q robot7 agent)
 (p basin_bar_1) (p a_bar_b_bar_c) (p _bar_x) (p mug-2) (p mug_minus_2) (p x_bar_) (q a_dot_b a_dot_b)) (:goal (q mug_bar_0 mug_bar_0))`,
		steps: 12,
	},
	{
		name: "an object in no first fact",
		domain: `(:predicates (p ?x) (looked))
(:action touch :parameters (?x) :precondition (p ?x) :effect (not (p ?x)))
(:action make :parameters (?x) :precondition () :effect (p ?x))
` + look,
		problem: `(:objects a_bar_1 a_bar_2 a_bar_3) (:init (p a_bar_2)) (:goal (not (p a_bar_2)))`,
		say:     []string{"make a 3", "touch a 3", "make a 2"},
		fault:   "KeyError: 'a_bar_",
	},
	{
		name: "a goal that nothing brings about", domain: goalDomain,
		problem: goalObjects + `(:goal (r a_bar_1))`,
		say:     []string{"drop a 1", "look"},
		fault:   "KeyError",
	},
	{
		name: "a goal that always holds", domain: goalDomain,
		problem: goalObjects + `(:goal (r b_bar_1))`,
		say:     []string{"drop a 1"},
		fault:   "KeyError",
	},
	{
		name: "an empty goal", domain: goalDomain,
		problem: goalObjects + `(:goal (and))`,
	},
	{
		name: "an action without :effect",
		domain: `(:predicates (p) (looked)) (:action none :parameters () :precondition (p))
` + look,
		problem: `(:objects a_bar_1) (:init (p)) (:goal (looked))`,
		say:     []string{"look"},
		fault:   "StopIteration",
	},
	{
		name: "either for objects",
		domain: `(:types a b) (:predicates (p ?x) (looked))
` + look,
		problem: `(:objects x_bar_1 - (either a b)) (:init (p x_bar_1)) (:goal (looked))`,
		fault:   "TypeError", ours: "either",
	},
	{
		name: "corner one variable twice",
		domain: `(:predicates (p ?x ?y) (q ?x) (k ?x) (looked))
(:action make :parameters (?x) :precondition (p ?x ?x) :effect (q ?x))
(:action del :parameters (?x) :precondition (k ?x) :effect (and (not (q ?x)) (looked)))
(:action pair :parameters (?x) :precondition (k ?x) :effect (p ?x b_bar_1))
(:action look :parameters () :precondition () :effect (looked))`,
		problem: `(:objects a_bar_1 a_bar_2 b_bar_1) (:init (p a_bar_1 b_bar_1) (k a_bar_1) (k b_bar_1) (k a_bar_2)) (:goal (p a_bar_2 b_bar_1))`,
	},
	{
		name: "corner static denial",
		domain: `(:predicates (s ?x) (r) (q ?x) (k ?x) (looked))
(:action make :parameters () :precondition (not (s a_bar_1)) :effect (q a_bar_1))
(:action made :parameters () :precondition (not (r)) :effect (q b_bar_1))
(:action del :parameters (?x) :precondition (k ?x) :effect (and (not (q ?x)) (looked)))
(:action look :parameters () :precondition () :effect (looked))`,
		problem: `(:objects a_bar_1 a_bar_2 b_bar_1) (:init (r) (s a_bar_1) (k a_bar_1) (k b_bar_1) (k a_bar_2)) (:goal (looked))`,
		say:     []string{"del a 1", "look", "del a 2", "del b 1", "look"},
	},
	{
		name: "corner own effects",
		domain: `(:predicates (p ?x) (s ?x) (looked))
(:action act :parameters (?x) :precondition (p ?x) :effect (and (when (s ?x) (p ?x)) (p ?x)))
(:action again :parameters (?x) :precondition (p ?x) :effect (and (when (s ?x) (p ?x)) (not (p ?x)) (p ?x)))
(:action mark :parameters (?x) :precondition (not (s ?x)) :effect (s ?x))
(:action un :parameters (?x) :precondition (p ?x) :effect (not (p ?x)))
(:action look :parameters () :precondition () :effect (looked))`,
		problem: `(:objects a_bar_1 a_bar_2 b_bar_1) (:init (p a_bar_1) (p b_bar_1) (s a_bar_2)) (:goal (and (s b_bar_1) (not (p a_bar_1)) (not (p b_bar_1))))`,
	},
	{
		name: "corner universal condition of an add",
		domain: `(:predicates (p) (s ?x) (r ?x) (m) (looked))
(:action act :parameters () :precondition () :effect (and (m) (when (forall (?x) (r ?x)) (p)) (when (s a_bar_1) (not (p)))))
(:action both :parameters () :precondition () :effect (and (m) (when (forall (?x) (r ?x)) (p)) (when (forall (?x) (s ?x)) (not (p)))))
(:action flip :parameters (?x) :precondition (not (r ?x)) :effect (r ?x))
(:action flop :parameters (?x) :precondition (r ?x) :effect (not (r ?x)))
(:action mark :parameters (?x) :precondition (not (s ?x)) :effect (s ?x))
(:action look :parameters () :precondition () :effect (looked))`,
		problem: `(:objects a_bar_1 a_bar_2 b_bar_1) (:init (p) (r a_bar_1) (r a_bar_2) (r b_bar_1)) (:goal (and (m) (s a_bar_1) (s a_bar_2) (s b_bar_1) (not (p)) (not (r a_bar_2))))`,
		say:     []string{"act", "look", "both", "look", "flop a 1", "both", "look", "mark a 1", "act", "look"},
	},
	{
		name: "corner two actions of one text",
		domain: `(:predicates (p ?x0) (q ?x0) (k ?x0) (looked))
(:action zwei :parameters (?x) :precondition (k ?x) :effect (q ?x))
(:action eins :parameters (?x) :precondition (k ?x) :effect (p ?x))
(:action look :parameters () :precondition () :effect (looked))`,
		problem: `(:objects a_bar_1 a_bar_2 b_bar_1) (:init (k a_bar_1) (k a_bar_2) (k b_bar_1)) (:goal (and (p a_bar_1) (q b_bar_1)))`,
		say:     []string{"do a 1", "look", "do b 1", "look"},
		grammar: `grammar :: """{"intro":[{"rhs":"#facts#"}],"list_empty":[{"rhs":"-"}],"list_separator":[{"rhs":", "}],"list_last_separator":[{"rhs":", "}],"facts":[{"rhs":"Facts: p: [{q0.id | p(q0:object)}] not: [{q0.id | not_p(q0:object)}]. q: [{q0.id | q(q0:object)}] not: [{q0.id | not_q(q0:object)}]. k: [{q0.id | k(q0:object)}] not: [{q0.id | not_k(q0:object)}]."}]}""";
action zwei { template :: "do {x}"; feedback :: "ok"; }
action eins { template :: "do {x}"; feedback :: "ok"; }
action look { template :: "look"; feedback :: "#facts#"; }`,
	},
	{
		name: "corner one action of one text",
		domain: `(:predicates (k ?x ?y)(at ?x ?y) (looked))
(:action go :parameters (?x ?y) :precondition (and (k ?x ?y)) :effect (and (at ?x ?y)))
(:action look :parameters () :precondition () :effect (looked))`,
		problem: `(:objects a_bar_1 b_bar_1 c_bar_1 a_bar_2 c_bar_10 c_bar_2)(:init (k a_bar_1 a_bar_1)(k a_bar_1 b_bar_1)(k a_bar_1 c_bar_1)(k a_bar_1 a_bar_2)(k a_bar_1 c_bar_10)(k a_bar_1 c_bar_2)(k b_bar_1 a_bar_1)(k b_bar_1 b_bar_1)(k b_bar_1 c_bar_1)(k b_bar_1 a_bar_2)(k b_bar_1 c_bar_10)(k b_bar_1 c_bar_2)(k c_bar_1 a_bar_1)(k c_bar_1 b_bar_1)(k c_bar_1 c_bar_1)(k c_bar_1 a_bar_2)(k c_bar_1 c_bar_10)(k c_bar_1 c_bar_2)(k a_bar_2 a_bar_1)(k a_bar_2 b_bar_1)(k a_bar_2 c_bar_1)(k a_bar_2 a_bar_2)(k a_bar_2 c_bar_10)(k a_bar_2 c_bar_2)(k c_bar_10 a_bar_1)(k c_bar_10 b_bar_1)(k c_bar_10 c_bar_1)(k c_bar_10 a_bar_2)(k c_bar_10 c_bar_10)(k c_bar_10 c_bar_2)(k c_bar_2 a_bar_1)(k c_bar_2 b_bar_1)(k c_bar_2 c_bar_1)(k c_bar_2 a_bar_2)(k c_bar_2 c_bar_10)(k c_bar_2 c_bar_2))(:goal (and(at a_bar_1 c_bar_1)(at b_bar_1 c_bar_1)(at c_bar_1 c_bar_1)(at a_bar_2 c_bar_1)(at c_bar_10 c_bar_1)(at c_bar_2 c_bar_1)))`,
		say:     []string{"go c 1", "look", "go c 2", "go b 1", "go a 2", "look"},
		grammar: `grammar :: """{"intro":[{"rhs":"#facts#"}],"list_empty":[{"rhs":"-"}],"list_separator":[{"rhs":", "}],"list_last_separator":[{"rhs":", "}],"facts":[{"rhs":"Facts: k: [{q0.id + ' ' + q1.id | k(q0:object, q1:object)}]. at: [{q0.id + ' ' + q1.id | at(q0:object, q1:object)}]."}]}""";
action go { template :: "go {x}"; feedback :: "ok"; }
action look { template :: "look"; feedback :: "#facts#"; }`,
	},
	{
		name: "corner two actions, one without a condition",
		domain: `(:predicates (k ?x ?y)(p ?x)(q ?x)(f ?x)(h ?x) (looked))
(:action zwei :parameters (?x) :precondition (k ?x ?x) :effect (and (q ?x)(not (h ?x))))
(:action eins :parameters (?x) :precondition (f ?x) :effect (and (p ?x)(not (f ?x))))
(:action look :parameters () :precondition () :effect (looked))`,
		problem: `(:objects a_bar_1 b_bar_1 c_bar_1 a_bar_2 c_bar_10 c_bar_2)(:init (k a_bar_1 a_bar_1)(k a_bar_1 b_bar_1)(k a_bar_1 c_bar_1)(k a_bar_1 a_bar_2)(k a_bar_1 c_bar_10)(k a_bar_1 c_bar_2)(k b_bar_1 a_bar_1)(k b_bar_1 b_bar_1)(k b_bar_1 c_bar_1)(k b_bar_1 a_bar_2)(k b_bar_1 c_bar_10)(k b_bar_1 c_bar_2)(k c_bar_1 a_bar_1)(k c_bar_1 b_bar_1)(k c_bar_1 c_bar_1)(k c_bar_1 a_bar_2)(k c_bar_1 c_bar_10)(k c_bar_1 c_bar_2)(k a_bar_2 a_bar_1)(k a_bar_2 b_bar_1)(k a_bar_2 c_bar_1)(k a_bar_2 a_bar_2)(k a_bar_2 c_bar_10)(k a_bar_2 c_bar_2)(k c_bar_10 a_bar_1)(k c_bar_10 b_bar_1)(k c_bar_10 c_bar_1)(k c_bar_10 a_bar_2)(k c_bar_10 c_bar_10)(k c_bar_10 c_bar_2)(k c_bar_2 a_bar_1)(k c_bar_2 b_bar_1)(k c_bar_2 c_bar_1)(k c_bar_2 a_bar_2)(k c_bar_2 c_bar_10)(k c_bar_2 c_bar_2)(f a_bar_1)(h a_bar_1)(f b_bar_1)(h b_bar_1)(f c_bar_1)(h c_bar_1)(f a_bar_2)(h a_bar_2)(f c_bar_10)(h c_bar_10)(f c_bar_2)(h c_bar_2))(:goal (and (p a_bar_1)(q a_bar_1)(p c_bar_2)))`,
		say:     []string{"do a 1", "look", "do c 2", "do b 1", "look"},
		grammar: `grammar :: """{"intro":[{"rhs":"#facts#"}],"list_empty":[{"rhs":"-"}],"list_separator":[{"rhs":", "}],"list_last_separator":[{"rhs":", "}],"facts":[{"rhs":"Facts: k: [{q0.id + ' ' + q1.id | k(q0:object, q1:object)}]. p: [{q0.id | p(q0:object)}]. q: [{q0.id | q(q0:object)}]. f: [{q0.id | f(q0:object)}]. h: [{q0.id | h(q0:object)}]."}]}""";
action zwei { template :: "do {x}"; feedback :: "ok"; }
action eins { template :: "do {x}"; feedback :: "ok"; }
action look { template :: "look"; feedback :: "#facts#"; }`,
	},
}

const (
	goalDomain = `(:types t) (:predicates (p ?x - t) (q ?x - t) (r ?x - t) (looked))
(:action drop :parameters (?x - t) :precondition (p ?x) :effect (not (p ?x)))
(:action take :parameters (?x - t) :precondition (not (p ?x)) :effect (p ?x))
(:action turn :parameters (?x - t) :precondition (and (p ?x) (not (q ?x))) :effect (q ?x))
(:action turn-back :parameters (?x - t) :precondition (q ?x) :effect (and (not (q ?x)) (not (p ?x))))
` + look
	goalObjects = `(:objects a_bar_1 b_bar_1 c_bar_1 - t) (:init (p a_bar_1) (q b_bar_1) (r b_bar_1) (r c_bar_1)) `
)
