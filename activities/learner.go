package activities

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/gpu"
)

// learner is a policy that this worker trains.
type learner struct {
	at        artifacts.Digest // the policy that trainer holds; "" is none
	start     artifacts.Digest
	train     gpu.TrainConfig
	config    string // train, as text
	trainer   gpu.Trainer
	reference gpu.Scorer       // nil with LoRA, where the trainer has it with the adapter off
	taughtBy  artifacts.Digest // where reference is a teacher
	base      string           // folder of start
	scratch   string
}

// drop gives the device's memory back.
func (l *learner) drop() error {
	var errs []error
	if l.trainer != nil {
		errs = append(errs, l.trainer.Close())
	}
	if l.reference != nil {
		errs = append(errs, l.reference.Close())
	}
	errs = append(errs, os.RemoveAll(l.scratch))
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("free the policy in training: %w", err)
	}
	return nil
}

// learners are the policies that this worker trains, the current one first: trainings that take turns on it need not begin
// from a kept state at each turn.
type learners struct{ all []*learner }

// current is the learner that was turned to last.
func (l *learners) current() *learner { return l.all[0] }

// turn makes the learner that holds a policy of a training current; false if there is none.
func (l *learners) turn(policy, start artifacts.Digest, config string) bool {
	i := slices.IndexFunc(l.all, func(one *learner) bool { return one.at == policy && one.start == start && one.config == config })
	if i < 0 {
		return false
	}
	one := l.all[i]
	l.all = slices.Insert(slices.Delete(l.all, i, i+1), 0, one)
	return true
}

// learnersOnCPU is how many policies a worker without a GPU keeps in memory. A GPU's memory is for one.
const learnersOnCPU = 3

// room makes room for another.
func (l *learners) room(device string) error {
	most := learnersOnCPU
	if strings.HasPrefix(device, "cuda") {
		most = 1
	}
	var errs []error
	for len(l.all) >= most {
		errs = append(errs, l.forget(l.all[len(l.all)-1]))
	}
	return errors.Join(errs...)
}

// forget drops one.
func (l *learners) forget(one *learner) error {
	l.all = slices.DeleteFunc(l.all, func(other *learner) bool { return other == one })
	return one.drop()
}

// drop drops all.
func (l *learners) drop() error {
	var errs []error
	for len(l.all) > 0 {
		errs = append(errs, l.forget(l.all[0]))
	}
	return errors.Join(errs...)
}
