package temporal

import (
	"fmt"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/common/primitives"
)

const clusterName = "active"

var countAll = &workflowservice.CountWorkflowExecutionsRequest{Namespace: Namespace}

// serverConfig puts all four services on loopback, the frontend on the given port and the others on free ones.
func serverConfig(port int, db *database) (*config.Config, map[primitives.ServiceName]static.Hosts, error) {
	services := map[string]config.Service{}
	for _, name := range []primitives.ServiceName{
		primitives.FrontendService, primitives.HistoryService, primitives.MatchingService, primitives.WorkerService,
	} {
		rpc := config.RPC{BindOnIP: loopback, GRPCPort: port}
		free, err := freePort()
		if err != nil {
			return nil, nil, fmt.Errorf("find a free port: %w", err)
		}
		if name == primitives.FrontendService {
			rpc.HTTPPort = free
		} else {
			rpc.GRPCPort = free
		}
		services[string(name)] = config.Service{RPC: rpc}
	}
	c := &config.Config{
		Global: config.Global{
			Membership: config.Membership{MaxJoinDuration: 30 * time.Second, BroadcastAddress: loopback},
		},
		Persistence: config.Persistence{
			DefaultStore: sqlite.PluginName, VisibilityStore: sqlite.PluginName, NumHistoryShards: 1,
			DataStores: map[string]config.DataStore{sqlite.PluginName: {SQL: db.sql}},
		},
		ClusterMetadata: &cluster.Config{
			FailoverVersionIncrement: 10, MasterClusterName: clusterName, CurrentClusterName: clusterName,
			ClusterInformation: map[string]cluster.ClusterInformation{clusterName: {
				Enabled: true, InitialFailoverVersion: 1, RPCAddress: address(port), ClusterID: db.clusterID,
			}},
		},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		Services:            services,
		Archival: config.Archival{
			History: config.HistoryArchival{State: "disabled"}, Visibility: config.VisibilityArchival{State: "disabled"},
		},
		PublicClient: config.PublicClient{HostPort: address(port)},
		NamespaceDefaults: config.NamespaceDefaults{Archival: config.ArchivalNamespaceDefaults{
			History:    config.HistoryArchivalNamespaceDefaults{State: "disabled"},
			Visibility: config.VisibilityArchivalNamespaceDefaults{State: "disabled"},
		}},
	}
	return c, hosts(services), nil
}
