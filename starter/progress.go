package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/mattn/go-isatty"
)

// progressLine is one line on a terminal that says how far something is; where there is no terminal it is silent.
type progressLine struct {
	out  io.Writer // nil: silent
	last time.Time // when it was written
}

func newProgressLine() *progressLine {
	if !isatty.IsTerminal(os.Stderr.Fd()) {
		return &progressLine{}
	}
	return &progressLine{out: os.Stderr}
}

// show writes the line anew, at most ten times a second. It belongs to one goroutine at a time.
func (p *progressLine) show(format string, args ...any) {
	if p.out == nil || time.Since(p.last) < time.Second/10 {
		return
	}
	p.last = time.Now()
	fmt.Fprintf(p.out, "\r"+format+"\x1b[K", args...)
}

// end clears the line.
func (p *progressLine) end() {
	if p.out != nil && !p.last.IsZero() {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
