// Package ask is what a model is asked in the four phases of an episode with skills: a query for skills, an order of
// those found, the next command, and the lesson of the whole (Skill1, section 3; the wording is Hone's own). Package
// reply reads the answers.
//
// A prompt begins with what stays: what is asked, the same for all; then the task and the skills, the same for an
// episode; then what has happened. So its beginning need not be computed again, neither from turn to turn nor, in a
// group, from rollout to rollout.
package ask
