package temporal

import (
	"context"
	"log/slog"
	"os"
	"strings"

	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/log/tag"
)

// ExitPortTaken is the exit status when a port that was free has been taken before the server could listen on it.
const ExitPortTaken = 75 // EX_TEMPFAIL of sysexits.h: trying again is worth it

// serverLogger is a slog.Logger with the methods that the server calls.
type serverLogger struct{ slog *slog.Logger }

var (
	_ log.Logger     = serverLogger{}
	_ log.WithLogger = serverLogger{}
)

func attrs(tags []tag.Tag) []slog.Attr {
	attrs := make([]slog.Attr, len(tags))
	for i, t := range tags {
		attrs[i] = slog.Any(t.Key(), t.Value())
	}
	return attrs
}

func (l serverLogger) log(level slog.Level, msg string, tags []tag.Tag) {
	if ctx := context.Background(); l.slog.Enabled(ctx, level) { // the server hands no context in
		l.slog.LogAttrs(ctx, level, msg, attrs(tags)...)
	}
}

func (l serverLogger) Debug(msg string, tags ...tag.Tag)  { l.log(slog.LevelDebug, msg, tags) }
func (l serverLogger) Info(msg string, tags ...tag.Tag)   { l.log(slog.LevelInfo, msg, tags) }
func (l serverLogger) Warn(msg string, tags ...tag.Tag)   { l.log(slog.LevelWarn, msg, tags) }
func (l serverLogger) Error(msg string, tags ...tag.Tag)  { l.log(slog.LevelError, msg, tags) }
func (l serverLogger) DPanic(msg string, tags ...tag.Tag) { l.log(slog.LevelError, msg, tags) }

func (l serverLogger) Panic(msg string, tags ...tag.Tag) {
	l.log(slog.LevelError, msg, tags)
	panic(msg)
}

func (l serverLogger) Fatal(msg string, tags ...tag.Tag) {
	l.log(slog.LevelError, msg, tags)
	for _, a := range attrs(tags) {
		if strings.Contains(a.Value.String(), "address already in use") {
			os.Exit(ExitPortTaken)
		}
	}
	os.Exit(1)
}

func (l serverLogger) With(tags ...tag.Tag) log.Logger {
	args := make([]any, len(tags))
	for i, a := range attrs(tags) {
		args[i] = a
	}
	return serverLogger{l.slog.With(args...)}
}
