package plan

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/dustin/go-humanize"
)

// Text writes the plan for people.
func (p *Plan) Text(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(w, format, args...) } // Flush tells of errors
	line("run\t%s\n", p.Run)
	line("model\t%s, %s parameters (%s)\n", p.Model.Architecture, humanize.Comma(p.Model.Parameters), p.Model.Source)
	line("records\t%s\n", p.Records)
	if err := w.Flush(); err != nil {
		return err
	}
	w = tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line("\nstage\twhat\tsteps\ttokens\tstored\tstate\n")
	for _, s := range p.Stages {
		steps := ""
		switch {
		case s.Training != nil && s.Training.Steps > 0:
			steps = humanize.Comma(int64(s.Training.Steps))
		case s.Course != nil:
			steps = humanize.Comma(int64(s.Course.Steps))
		}
		tokens := ""
		if s.Tokens > 0 {
			tokens = short(s.Tokens)
		}
		line("%s\t%s\t%s\t%s\t%s\t%s\n", s.Name, s.what(), steps, tokens, bytesOf(s.Stored), s.state())
	}
	line("all\t\t\t\t%s\t\n", bytesOf(p.Stored))
	if err := w.Flush(); err != nil {
		return err
	}
	if len(p.Memory) > 0 {
		w = tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		line("\nmemory of %s\tweights\ttrained\tgradients\tmoments\tcache\tpass\tpeak\tat once\n", p.Device)
		for _, m := range p.Memory {
			line("%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", m.Name, bytesOf(m.Weights), bytesOf(m.Trained), bytesOf(m.Gradients),
				bytesOf(m.Moments), bytesOf(m.Cache), bytesOf(m.Pass), bytesOf(m.Peak), m.Batch)
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	if len(p.Warnings) > 0 {
		if _, err := fmt.Fprintf(out, "\nwarning: %s\n", strings.Join(p.Warnings, "\nwarning: ")); err != nil {
			return err
		}
	}
	if len(p.Notes) > 0 {
		_, err := fmt.Fprintf(out, "\n%s\n", strings.Join(p.Notes, "\n"))
		return err
	}
	return nil
}

// String says how many and how that is known.
func (r Records) String() string {
	switch r.Source {
	case Given:
		return humanize.Comma(int64(r.Train)) + " to train on, as given"
	case Dataset:
		return fmt.Sprintf("%s to train on and %s held out, of the stored dataset", humanize.Comma(int64(r.Train)), humanize.Comma(int64(r.Validation)))
	case Estimated:
		return fmt.Sprintf("about %s to train on and %s held out, estimated from the number of games", humanize.Comma(int64(r.Train)), humanize.Comma(int64(r.Validation)))
	}
	return "not known: neither games nor dataset are stored here; --records gives their number"
}

func (s Stage) what() string {
	t := s.Training
	switch {
	case t != nil:
		text := humanize.Comma(t.Trainable) + " trainable parameters"
		if t.Records > 0 {
			text += fmt.Sprintf(", %s records", humanize.Comma(int64(t.Records)))
		}
		if t.Overlong > 0 {
			text += fmt.Sprintf(" (%s too long)", humanize.Comma(int64(t.Overlong)))
		}
		return text
	case s.Course != nil:
		return s.Course.String()
	case s.Games > 0:
		return humanize.Comma(int64(s.Games)) + " games"
	}
	return s.Kind
}

func (s Stage) state() string {
	if s.State == Done {
		return "done " + s.Digest.Short()
	}
	return string(s.State)
}

// short is n to three digits.
func short(n int64) string {
	for _, unit := range []struct {
		size int64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if n >= unit.size {
			return fmt.Sprintf("%.3g %s", float64(n)/float64(unit.size), unit.name)
		}
	}
	return strconv.FormatInt(n, 10)
}

// bytesOf is n to three digits, in units of thousands.
func bytesOf(n int64) string {
	if n == 0 {
		return "–"
	}
	text := short(n)
	if n < 1000 {
		text += " "
	}
	return text + "B"
}
