package temporal

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/temporalio/ui-server/v2/server"
	"github.com/temporalio/ui-server/v2/server/config"
	"github.com/temporalio/ui-server/v2/server/server_options"
)

// UI is a running web page.
type UI struct{ server *server.Server }

// StartUI runs the web page of the server on serverPort and returns when it answers.
func StartUI(ctx context.Context, port, serverPort int) (*UI, error) {
	ui := &UI{server.NewServer(server_options.WithConfigProvider(&config.Config{
		Host: loopback, Port: port, TemporalGRPCAddress: address(serverPort), DefaultNamespace: Namespace,
		EnableUI: true, CORS: config.CORS{CookieInsecure: true}, HideLogs: true, DisableNewsFetch: true,
	}))}
	ended := make(chan error, 1)
	go func() { ended <- ui.server.Start() }() // a port that is taken ends the process, with a line in the log
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		err := get(ctx, "http://"+address(port)+"/healthz")
		if err == nil {
			return ui, nil
		}
		select {
		case err := <-ended:
			return nil, fmt.Errorf("web page of Temporal on port %d ended at once: %w", port, err)
		case <-ctx.Done():
			return nil, fmt.Errorf("web page of Temporal on port %d: %w", port, err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func get(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	_ = resp.Body.Close() // only the status matters
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, resp.Status)
	}
	return nil
}

// Stop ends the web page.
func (u *UI) Stop() { u.server.Stop() }
