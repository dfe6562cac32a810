package workflows

import (
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
)

// HintInput asks for a dataset.
type HintInput struct {
	Run      string           `json:"run"`
	Name     string           `json:"name"` // of the stage: "hints", for retries "hints-2"
	Games    artifacts.Digest `json:"games"`
	Hints    HintsSpec        `json:"hints"`
	Previous artifacts.Digest `json:"previous,omitempty"` // a dataset of which only the excluded games are played
	Pace     Pace             `json:"pace"`
}

// HintGeneration plays the expert in every game of a list and writes what it did as records with hints. A game
// that fails its limits is excluded and listed, with its reason; the others are not held up by it.
func HintGeneration(ctx workflow.Context, in HintInput) (*StageResult, error) {
	run := &hintRun{HintInput: in}
	var err error
	if run.progress, err = newProgress(ctx, in.Name); err != nil {
		return nil, err
	}
	st, err := in.Hints.draft(in.Games, in.Previous).stage()
	if err != nil {
		return nil, err
	}
	return stage(ctx, in.Pace, run.progress, activities.StageInput{Run: in.Run, Name: in.Name, Stage: st},
		func(key artifacts.Digest) (*outcome, error) { return run.all(ctx, key) })
}

type hintRun struct {
	HintInput
	*progress
	chunks   []activities.HintChunkResult
	work     []activities.Work
	timedOut []string
	played   int
	total    int
	failed   error
}

func (r *hintRun) chunk(from, to int) activities.HintChunkInput {
	return activities.HintChunkInput{
		Games: r.Games, Previous: r.Previous, From: from, To: to,
		HintParameters: r.Hints.parameters(),
	}
}

func (r *hintRun) all(ctx workflow.Context, key artifacts.Digest) (*outcome, error) {
	var n int
	if err := workflow.ExecuteActivity(short(ctx, r.Pace), do.CountGames, r.chunk(0, 0)).Get(ctx, &n); err != nil {
		return nil, err
	}
	r.total = n
	r.count(r.Name, 0, n, "games")
	if err := r.play(ctx, n); err != nil {
		return nil, err
	}
	if err := r.again(ctx); err != nil {
		return nil, err
	}
	return r.assemble(ctx, key)
}

// play runs the chunks, a few at a time.
func (r *hintRun) play(ctx workflow.Context, n int) error {
	slots := workflow.NewSemaphore(ctx, int64(r.Hints.Parallel))
	wg := workflow.NewWaitGroup(ctx)
	for from := 0; from < n && r.failed == nil; from += r.Hints.Chunk {
		if err := slots.Acquire(ctx, 1); err != nil {
			return err
		}
		wg.Add(1)
		to := min(from+r.Hints.Chunk, n)
		workflow.Go(ctx, func(ctx workflow.Context) {
			defer wg.Done()
			defer slots.Release(1)
			if err := r.one(ctx, r.chunk(from, to)); err != nil {
				r.failed = err
			}
		})
	}
	wg.Wait(ctx)
	return r.failed
}

// chunkAttempts is how often a chunk may lose its worker before the chunk is halved to find the game that does it.
const chunkAttempts = 5

// one plays a chunk. Where a game takes its worker down again and again, the chunk is halved until that game
// stands alone, and is excluded.
func (r *hintRun) one(ctx workflow.Context, in activities.HintChunkInput) error {
	retry := lost
	retry.MaximumAttempts = chunkAttempts
	options := workflow.WithRetryPolicy(long(ctx, QueueCPU, r.Pace, fmt.Sprintf("games %d to %d", in.From+1, in.To)), retry)
	var res activities.HintChunkResult
	err := r.persist(ctx, options, in, &res)
	var timeout *temporal.TimeoutError
	if errors.As(err, &timeout) && len(in.Only) == 0 {
		if in.To-in.From > 1 {
			middle := (in.From + in.To) / 2
			return failures(r.one(ctx, r.chunk(in.From, middle)), r.one(ctx, r.chunk(middle, in.To)))
		}
		in.Exclude, in.Attempt = fmt.Sprintf("its worker was lost %d times while playing it", chunkAttempts), chunkAttempts
		err = r.persist(ctx, options, in, &res)
	}
	if err != nil {
		return err
	}
	r.chunks = append(r.chunks, res)
	r.work = append(r.work, res.Work)
	r.timedOut = append(r.timedOut, res.TimedOut...)
	r.played += res.Played
	r.count(r.Name, r.played, r.total, "games")
	return nil
}

// persist plays a chunk until it is played, is found to be wrong, or loses its worker chunkAttempts times: a store
// that is away or full ends no run.
func (r *hintRun) persist(ctx, options workflow.Context, in activities.HintChunkInput, res *activities.HintChunkResult) error {
	for {
		err := workflow.ExecuteActivity(options, do.HintChunk, in).Get(ctx, res)
		var failure *temporal.ApplicationError
		var timeout *temporal.TimeoutError
		if errors.As(err, &timeout) || !errors.As(err, &failure) || failure.NonRetryable() {
			return err
		}
		if err := workflow.Sleep(ctx, lost.MaximumInterval); err != nil {
			return err
		}
	}
}

// again gives games that met their deadline further attempts; the last one excludes those that meet it again.
func (r *hintRun) again(ctx workflow.Context) error {
	for attempt := 2; len(r.timedOut) > 0; attempt++ {
		if err := workflow.Sleep(ctx, time.Duration(attempt)*time.Second); err != nil {
			return err
		}
		in := r.chunk(0, 0)
		in.Only, in.Attempt = r.timedOut, attempt
		r.timedOut = nil
		if err := r.one(ctx, in); err != nil {
			return err
		}
	}
	return nil
}

func (r *hintRun) assemble(ctx workflow.Context, key artifacts.Digest) (*outcome, error) {
	in := activities.AssembleInput{Key: key, Input: r.chunk(0, 0)}
	for _, c := range r.chunks {
		in.Chunks = append(in.Chunks, c.Chunk)
	}
	var res activities.DatasetResult
	if err := workflow.ExecuteActivity(long(ctx, QueueCPU, r.Pace, "assemble and audit"), do.AssembleDataset, in).Get(ctx, &res); err != nil {
		return nil, err
	}
	return &outcome{digest: res.Digest, note: res.Note, work: append(r.work, res.Work)}, nil
}
