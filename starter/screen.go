package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/hone-rl/hone/workflows"
)

// lineScreen writes a line whenever a stage changes: for files and pipes.
type lineScreen struct{ said map[string]string }

func (s *lineScreen) show(v view) {
	for _, st := range v.stages {
		text := ""
		switch st.State {
		case workflows.Running:
			text = fmt.Sprintf("%-22s running", st.Name)
			if done, total, unit := position(v, st); total > 0 {
				text += fmt.Sprintf("  %3d %% of %d %s", 10*(10*done/total), total, unit)
			}
			text += noted(st) + again(v, st.Name)
		case workflows.Done, workflows.Reused, workflows.Failed:
			text = fmt.Sprintf("%-22s %s", st.Name, ended(st))
		}
		if text != "" && text != s.said[st.Name] {
			s.said[st.Name] = text
			fmt.Println(strings.TrimRight(text, " "))
		}
	}
}

func (s *lineScreen) trouble(text string) {
	if s.said[""] != text {
		s.said[""] = text
		fmt.Fprintln(os.Stderr, text)
	}
}

func (s *lineScreen) close() {}

// noted is what a stage says of itself, behind what its activity does.
func noted(st workflows.StageProgress) string {
	if st.Note == "" {
		return ""
	}
	return "  " + st.Note
}

// again says that a stage's activity is tried anew, and why.
func again(v view, stage string) string {
	n := v.tries[stage]
	if n < 2 {
		return ""
	}
	text := fmt.Sprintf("  attempt %d", n)
	if why := v.fails[stage]; why != "" {
		text += " after: " + strings.Join(strings.Fields(why), " ")
	}
	return text
}

// ended is what came of a stage.
func ended(st workflows.StageProgress) string {
	if st.State == workflows.Failed {
		return "failed"
	}
	text := string(st.State)
	if r := st.Result; r != nil {
		text += "  " + r.Digest.Short()
		if r.Note != "" {
			text += "  " + r.Note
		}
		for _, again := range r.Redone {
			text += "  (redone: " + again + ")"
		}
	}
	return text
}

// position is how far a stage is: of its own count, or else of what its activity counts.
func position(v view, st workflows.StageProgress) (done, total int, unit string) {
	if st.Total > 0 {
		done, total, unit = st.Done, st.Total, st.Unit
		b, ok := v.beats[st.Name]
		switch {
		case !ok || b.Unit != unit:
		case b.Of == total: // it counts all of the stage
			done = max(done, b.Done)
		case done+b.Done <= total: // a part, behind those that are done
			done += b.Done
		}
		return done, total, unit
	}
	b := v.beats[st.Name]
	return b.Done, b.Of, b.Unit
}

// barScreen draws a bar for each stage: for terminals.
type barScreen struct {
	progress *mpb.Progress
	bars     map[string]*mpb.Bar
	notes    map[string]*string
	said     string // the last trouble on a line of its own
}

func newBarScreen() *barScreen {
	return &barScreen{progress: mpb.New(mpb.WithWidth(40)), bars: map[string]*mpb.Bar{}, notes: map[string]*string{}}
}

func (s *barScreen) show(v view) {
	for _, st := range v.stages {
		bar, note := s.bar(st.Name)
		switch st.State {
		case workflows.Waiting:
		case workflows.Running:
			done, total, unit := position(v, st)
			*note = strings.TrimSpace(fmt.Sprintf("%d/%d %s  %s", done, total, unit, v.beats[st.Name].Note)) + noted(st)
			if total == 0 {
				*note = "running"
			}
			*note += again(v, st.Name)
			if total > 0 {
				bar.SetTotal(int64(total), false)
				bar.SetCurrent(int64(done))
			}
		default:
			if !bar.Completed() {
				*note = ended(st)
				bar.SetTotal(1, true)
			}
		}
	}
}

func (s *barScreen) bar(name string) (*mpb.Bar, *string) {
	if bar, ok := s.bars[name]; ok {
		return bar, s.notes[name]
	}
	note := new(string)
	bar := s.progress.AddBar(0, // a bar that begins with a total cannot be given another
		mpb.PrependDecorators(decor.Name(name, decor.WCSyncSpaceR)),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return " " + *note })),
	)
	s.bars[name], s.notes[name] = bar, note
	return bar, note
}

// trouble is shown beside the bars that run; before there are any, on a line of its own.
func (s *barScreen) trouble(text string) {
	shown := false
	for name, bar := range s.bars {
		if !bar.Completed() && *s.notes[name] != "" {
			*s.notes[name], shown = text, true
		}
	}
	if !shown && text != s.said {
		s.said = text
		fmt.Fprintln(os.Stderr, text)
	}
}

func (s *barScreen) close() {
	for _, bar := range s.bars {
		if !bar.Completed() {
			bar.Abort(false)
		}
	}
	s.progress.Wait()
}
