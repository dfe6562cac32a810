// Package rollout plays episodes by sampling: a policy writes a query for skills, puts those found in order, gives
// commands in its own words until the game is over, and draws a lesson (Skill1, section 3 and algorithm 1; verl-agent's
// multi-turn loop). What was sampled is kept as token ids, from the sampler to the trainer, and never encoded again.
//
// Each episode is a goroutine that reads as its story; the policy computes what many ask at once in one batch, so that a
// game that is over leaves the others alone at once. An episode depends on its task, its seed, the policy and the
// skills, and not on the episodes beside it.
package rollout
