package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/alfworld"
)

// listed is how many games in trouble of one kind a command names unless it is asked for all.
const listed = 20

// counted is "1 game", "2 games".
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// size is so many bytes for people.
func size(n int64) string { return humanize.Bytes(uint64(max(n, 0))) } //nolint:gosec // not below 0

// unreadGames are the games that a command which measures them had to pass over, each with its reason.
type unreadGames []string

func (u *unreadGames) add(g alfworld.Imported, err error) {
	*u = append(*u, fmt.Sprintf("%s: %v", g.File, err))
}

// addLeft adds what a source of games passed over as unreadable. The split is the only one that counts, "" for all.
func (u *unreadGames) addLeft(source *alfworld.Source, split string) {
	for _, l := range source.LeftOut() {
		of, _, in := strings.Cut(l.ID, "/")
		if l.Kind == alfworld.LeftUnread && (split == "" || !in || of == split) {
			*u = append(*u, l.Reason)
		}
	}
}

// err names the first of them, nil if there is none.
func (u unreadGames) err() error {
	if len(u) == 0 {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s could not be read or played:", counted(len(u), "game"))
	for i, l := range u {
		if i == listed {
			fmt.Fprintf(&b, "\n  … and %d more", len(u)-listed)
			break
		}
		b.WriteString("\n  " + strings.Join(strings.Fields(l), " "))
	}
	return errors.New(b.String())
}

// noGames is the error of a source without a game to measure.
func (u unreadGames) noGames(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if unread := u.err(); unread != nil {
		err = fmt.Errorf("%w; %w", err, unread)
	}
	return usage(err)
}

// sourceError is the error of a source that ended early: wrong arguments where there are no games or no good list.
func sourceError(ctx context.Context, err error) error {
	if ctx.Err() == nil && (errors.Is(err, alfworld.ErrNoGames) || errors.Is(err, env.ErrBadGame)) {
		return usage(err)
	}
	return err
}
