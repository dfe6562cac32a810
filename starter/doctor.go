package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"github.com/hone-rl/hone/internal/disk"
	"github.com/hone-rl/hone/workflows"
)

// The states of what hone doctor looks at.
const (
	wellState  = "ok"
	tightState = "look"  // runs may go on, or not all of them
	wrongState = "wrong" // no run goes on
)

// examined is one thing that a run needs, how it is, and how to mend it.
type examined struct {
	Part  string `json:"part"`
	State string `json:"state"` // ok, look or wrong
	Said  string `json:"said"`
	Mend  string `json:"mend,omitempty"`
}

func well(part, said string) examined { return examined{Part: part, State: wellState, Said: said} }

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Look whether all that a run needs is there, and say how to mend what is not",
		Long: `doctor looks at the programs, libtorch and the device that it computes on, the sentence encoder, the disk of the data folder,
Temporal, the workers that wait for work there, S3 and what is stored. It changes nothing. Each line says ok, look (runs may go on,
or not all of them) or wrong (none does), and below it how to mend it.

It ends with exit code 1 if something is wrong.`,
		Example: `  hone doctor
  hone doctor --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all := a.examine(cmd.Context())
			if err := cmd.Context().Err(); err != nil {
				return err
			}
			if a.json {
				if err := printJSON(all); err != nil {
					return err
				}
			} else if err := writeExamined(os.Stdout, all); err != nil {
				return err
			}
			return judged(all)
		},
	}
}

// examine looks at everything, one after the other.
func (a *app) examine(ctx context.Context) []examined {
	return append([]examined{program("hone-worker"), program("hone-stack"), device(ctx), encoder(), a.room()}, a.servers(ctx)...)
}

// program looks for one of our others. With servers elsewhere none is needed here.
func program(name string) examined {
	path, err := beside(name)
	if err != nil {
		return examined{name, tightState, err.Error(), "make build puts the three programs into bin"}
	}
	return well(name, path)
}

// deviceTime is how long a device may take to open: CUDA's libraries are read from the disk.
const deviceTime = 2 * time.Minute

// device asks hone-worker what models would run on here.
func device(ctx context.Context) examined {
	const part = "device"
	path, err := beside("hone-worker")
	if err != nil {
		return examined{part, tightState, "not known without hone-worker", "make build"}
	}
	ctx, cancel := context.WithTimeout(ctx, deviceTime)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "check").CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	last := strings.TrimPrefix(lines[len(lines)-1], "hone-worker: ")
	if err != nil {
		if last == "" {
			last = err.Error()
		}
		return examined{part, tightState, last, "make setup brings libtorch, make setup DEVICE=cuda that for GPUs; workers on other machines do not need it here"}
	}
	return well(part, last)
}

// encoder looks for the model that embeds skills, where make setup puts it: beside the programs' folder.
func encoder() examined {
	const part = "sentence encoder"
	path, err := beside("hone-worker")
	if err == nil {
		path = filepath.Join(filepath.Dir(path), "..", ".minilm")
		_, err = os.Stat(filepath.Join(path, "stamp"))
	}
	if err != nil {
		return examined{part, tightState, "all-MiniLM-L6-v2 is not there: " + err.Error(), "make setup brings it; runs with a skill library need it"}
	}
	return well(part, filepath.Clean(path))
}

// What a small run takes, and what training takes that keeps checkpoints, bytes.
const (
	leastRoom = 1 << 30
	fairRoom  = 20 << 30
)

// room looks at the disk of the data folder, or of where it would be made.
func (a *app) room() examined {
	const part = "disk"
	dir, err := filepath.Abs(a.DataDir())
	for err == nil {
		if _, missing := os.Stat(dir); missing == nil || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	free := int64(0)
	if err == nil {
		free, err = disk.Free(dir)
	}
	if err != nil {
		return examined{part, wrongState, err.Error(), "name a data folder by --data or HONE_DATA"}
	}
	return judgeRoom(part, dir, free)
}

func judgeRoom(part, dir string, free int64) examined {
	e := well(part, fmt.Sprintf("%s free at %s", size(free), dir))
	if free < fairRoom {
		e.State, e.Mend = tightState, "hone gc says what old runs take and removes them; --data or HONE_DATA names another disk; hone run --dry-run says what a run takes"
	}
	if free < leastRoom {
		e.State = wrongState
	}
	return e
}

// servers looks at Temporal, the workers there, and S3.
func (a *app) servers(ctx context.Context) []examined {
	mend := "hone up starts the local stack; --temporal-address or TEMPORAL_ADDRESS names a server elsewhere"
	if a.Remote() {
		mend = "the address is of --temporal-address, TEMPORAL_ADDRESS or TEMPORAL_PROFILE; without these hone looks for the local stack"
	}
	c, err := a.Dial(ctx, client.Options{Logger: quiet{}})
	all := []examined{{"Temporal", wrongState, errorText(err), mend}, {"workers", wrongState, "not known without Temporal", ""}}
	if err == nil {
		defer c.Close()
		all[0] = well("Temporal", "it answers")
		all[1] = workers(ctx, c)
	}
	return append(all, a.objects(ctx))
}

// workers counts who waits for work that is of no pool.
func workers(ctx context.Context, c client.Client) examined {
	const part = "workers"
	var none, said []string
	for _, q := range []struct {
		what, queue string
	}{{"games and workflows", workflows.QueueCPU}, {"models", workflows.GPUQueue("")}} {
		d, err := c.DescribeTaskQueue(ctx, q.queue, enums.TASK_QUEUE_TYPE_ACTIVITY)
		if err != nil {
			return examined{part, wrongState, err.Error(), "is the namespace right?"}
		}
		said = append(said, fmt.Sprintf("%d for %s", len(d.Pollers), q.what))
		if len(d.Pollers) == 0 {
			none = append(none, q.what)
		}
	}
	e := well(part, strings.Join(said, ", "))
	if len(none) > 0 {
		e.State = tightState
		e.Mend = "hone up starts one; hone-worker does on any machine that reaches the same servers. Those with --pool are not counted"
	}
	return e
}

// objects looks at S3 and what is stored there.
func (a *app) objects(ctx context.Context) examined {
	const part = "S3"
	mend := "hone up starts the local stack's; AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID and the rest of the AWS SDK's settings name another, HONE_BUCKET its bucket"
	store, err := a.Store(ctx)
	if err != nil {
		return examined{part, wrongState, err.Error(), mend}
	}
	names, err := store.Names(ctx, "runs/")
	if err != nil {
		return examined{part, wrongState, err.Error(), mend}
	}
	return well(part, fmt.Sprintf("it answers, with %s", counted(len(groupRuns(names)), "run")))
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func writeExamined(out io.Writer, all []examined) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, e := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\n", e.Part, e.State, strings.ReplaceAll(e.Said, "\n", "; "))
		if e.Mend != "" {
			fmt.Fprintf(w, "\t\t  → %s\n", e.Mend)
		}
	}
	return w.Flush()
}

// judged is an error that counts what is wrong.
func judged(all []examined) error {
	n := 0
	for _, e := range all {
		if e.State == wrongState {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return errors.New(counted(n, "thing") + " wrong: no run goes on before that is mended")
}
