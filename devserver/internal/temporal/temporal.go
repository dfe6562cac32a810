// Package temporal runs Temporal's server and its web page inside this process, over one SQLite file.
package temporal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/headers"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/temporal"
)

const (
	// Namespace is the one namespace.
	Namespace = "default"
	// Version is the server's.
	Version = headers.ServerVersion

	loopback = "127.0.0.1"
)

// Config says where the server keeps its data and where it listens.
type Config struct {
	Dir    string // of the database; made if missing
	Port   int    // on loopback; the inner services find free ones themselves
	Logger *slog.Logger
	Level  *slog.LevelVar // of Logger; raised while the server stops, which it does noisily
}

// Server is a running server.
type Server struct {
	server temporal.Server
	level  *slog.LevelVar
}

// Start runs a server and returns when it serves the namespace. A port that another process takes at the last moment
// ends this process with ExitPortTaken.
func Start(ctx context.Context, cfg Config) (*Server, error) {
	s, err := start(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("server of Temporal over %s: %w", cfg.Dir, err)
	}
	return s, nil
}

func start(ctx context.Context, cfg Config) (*Server, error) {
	logger := serverLogger{cfg.Logger}
	db, err := openDatabase(cfg.Dir)
	if err != nil {
		return nil, err
	}
	conf, hosts, err := serverConfig(cfg.Port, db)
	if err != nil {
		return nil, err
	}
	authorizer, err := authorization.GetAuthorizerFromConfig(&conf.Global.Authorization)
	if err != nil {
		return nil, err
	}
	mapper, err := authorization.GetClaimMapperFromConfig(&conf.Global.Authorization, logger)
	if err != nil {
		return nil, err
	}
	server, err := temporal.NewServer(
		temporal.WithConfig(conf),
		temporal.ForServices(temporal.DefaultServices),
		temporal.WithStaticHosts(hosts),
		temporal.WithLogger(logger),
		temporal.WithAuthorizer(authorizer),
		temporal.WithClaimMapper(func(*config.Config) authorization.ClaimMapper { return mapper }),
		// One machine, one user: the limits are those of servers that many share.
		temporal.WithDynamicConfigClient(dynamicconfig.StaticClient{
			dynamicconfig.ForceSearchAttributesCacheRefreshOnRead.Key():      true,
			dynamicconfig.FrontendPersistenceMaxQPS.Key():                    10_000,
			dynamicconfig.HistoryPersistenceMaxQPS.Key():                     45_000,
			dynamicconfig.FrontendMaxNamespaceVisibilityRPSPerInstance.Key(): 100,
			dynamicconfig.HistoryCacheHostLevelMaxSize.Key():                 8096,
		}),
	)
	if err != nil {
		return nil, err
	}
	if err := server.Start(); err != nil {
		return nil, err
	}
	s := &Server{server: server, level: cfg.Level}
	if err := waitReady(ctx, address(cfg.Port), cfg.Logger); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

func address(port int) string { return net.JoinHostPort(loopback, strconv.Itoa(port)) }

// waitReady asks until the namespace is served: other services may come up after the one that answers.
func waitReady(ctx context.Context, address string, logger *slog.Logger) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for {
		err := ask(ctx, address, logger)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("not ready at %s: %w", address, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func ask(ctx context.Context, address string, logger *slog.Logger) error {
	c, err := client.DialContext(ctx, client.Options{HostPort: address, Namespace: Namespace, Logger: logger})
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.CountWorkflow(ctx, countAll) // passes through frontend, database and visibility
	return err
}

// Stop ends the server. Workers should have stopped before.
func (s *Server) Stop() error {
	s.level.Set(slog.LevelError)
	return s.server.Stop()
}

// freePort is a port that is free now.
func freePort() (int, error) {
	l, err := net.Listen("tcp", loopback+":0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

func hosts(services map[string]config.Service) map[primitives.ServiceName]static.Hosts {
	hosts := map[primitives.ServiceName]static.Hosts{}
	for name, service := range services {
		hosts[primitives.ServiceName(name)] = static.SingleLocalHost(address(service.RPC.GRPCPort))
	}
	return hosts
}
