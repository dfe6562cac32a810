package workflows

import (
	"go.temporal.io/sdk/workflow"
)

// SignalControl is the signal by which a training by rewards is told what to do: a Control.
const SignalControl = "control"

// Control is what a training is told. It is heeded between steps: a step that has begun is finished.
type Control string

// The controls.
const (
	Pause  Control = "pause"  // no further step until Resume
	Resume Control = "resume" // on with it; a Stop that was not yet heeded is taken back
	Stop   Control = "stop"   // end after the step, with what there is
)

// control is what a training was told last.
type control struct {
	Paused bool `json:"paused,omitempty"`
	Stop   bool `json:"stop,omitempty"`
}

func (c *control) heed(told Control) {
	switch told {
	case Pause:
		c.Paused = true
	case Resume:
		*c = control{}
	case Stop:
		c.Stop = true
	}
}

// listen takes in what is told, as long as the workflow runs.
func (c *control) listen(ctx workflow.Context, heard func()) {
	told := workflow.GetSignalChannel(ctx, SignalControl)
	workflow.Go(ctx, func(ctx workflow.Context) {
		for {
			var one Control
			told.Receive(ctx, &one)
			c.heed(one)
			heard()
		}
	})
}

// drain takes in what has been told and not been heard, before a workflow run ends that another one follows.
func (c *control) drain(ctx workflow.Context) {
	told := workflow.GetSignalChannel(ctx, SignalControl)
	for one := Control(""); told.ReceiveAsync(&one); {
		c.heed(one)
	}
}
