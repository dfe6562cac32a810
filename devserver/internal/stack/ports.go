package stack

import (
	"fmt"
	"net"
	"net/url"
	"strconv"

	"github.com/hone-rl/hone/devserver/stackfile"
)

// Ports are where the servers listen.
type Ports struct {
	Temporal, UI, S3 int
	// Fixed names the flags that a person has set: such a port is taken or refused, never replaced.
	Fixed map[string]bool
}

// The flags of the ports.
const (
	FlagTemporal = "temporal-port"
	FlagUI       = "ui-port"
	FlagS3       = "s3-port"
)

// choose replaces ports that are busy. A stack that was killed comes back on the ports that it had, for the sake of
// clients that are still trying.
func (p Ports) choose(last *stackfile.Stack, out func(string, ...any)) (Ports, error) {
	chosen := Ports{}
	var lastTemporal, lastUI, lastS3 string
	if last != nil {
		lastTemporal, lastUI, lastS3 = last.Temporal.Address, hostOf(last.UI.URL), hostOf(last.S3.Endpoint)
	}
	taken := map[int]bool{}
	for _, part := range []struct {
		name, flag, last string
		want             int
		to               *int
	}{
		{"Temporal", FlagTemporal, lastTemporal, p.Temporal, &chosen.Temporal},
		{"web page", FlagUI, lastUI, p.UI, &chosen.UI},
		{"S3", FlagS3, lastS3, p.S3, &chosen.S3},
	} {
		want := part.want
		if _, port, err := net.SplitHostPort(part.last); err == nil && !p.Fixed[part.flag] {
			if n, err := strconv.Atoi(port); err == nil && free(n) {
				want = n
			}
		}
		if !free(want) || taken[want] {
			if p.Fixed[part.flag] {
				return Ports{}, fmt.Errorf("port %d for %s is in use; choose another with --%s", want, part.name, part.flag)
			}
			n, err := freePort(taken)
			if err != nil {
				return Ports{}, fmt.Errorf("find a free port for %s: %w", part.name, err)
			}
			out("port %d is in use: %s gets %d", want, part.name, n)
			want = n
		}
		taken[want] = true
		*part.to = want
	}
	return chosen, nil
}

func hostOf(link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return ""
	}
	return u.Host
}

func free(port int) bool {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return false
	}
	return l.Close() == nil
}

func freePort(taken map[int]bool) (int, error) {
	for {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return 0, err
		}
		port := l.Addr().(*net.TCPAddr).Port
		if err := l.Close(); err != nil {
			return 0, err
		}
		if !taken[port] {
			return port, nil
		}
	}
}
