// Package reply reads what a language model answered: its command, its query for skills, its order of them, and the
// lesson that it draws. The forms are those of verl-agent and Skill1 (alfworld/projection.py; Skill1, App. A), read to
// the letter but where said. A reader never fails: what is not in form comes back as such, with what is done in its
// place, since a training goes on and learns from it.
package reply
