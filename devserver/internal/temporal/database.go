package temporal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	schema "go.temporal.io/server/schema/sqlite"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/hone-rl/hone/devserver/stackfile"
)

// retention is how long finished workflows are kept.
const retention = 90 * 24 * time.Hour

// origin stands beside the database, for which the server has no migrations.
type origin struct {
	ServerVersion string `json:"serverVersion"` // that made it
	ClusterID     string `json:"clusterId"`
}

type database struct {
	sql       *config.SQL
	clusterID string
}

func sqlConfig(file string, pragmas map[string]string) *config.SQL {
	attributes := map[string]string{"mode": "rwc", "busy_timeout": "10000"}
	for k, v := range pragmas {
		attributes[k] = v
	}
	// MaxConns stays 0, which makes it one connection: several answer "database is locked".
	return &config.SQL{PluginName: sqlite.PluginName, DatabaseName: file, ConnectAttributes: attributes}
}

// openDatabase makes the database where there is none and refuses one of another minor version.
func openDatabase(dir string) (*database, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	file, originFile := filepath.Join(dir, "temporal.db"), filepath.Join(dir, "origin.json")
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		if err := makeDatabase(file, originFile); err != nil {
			return nil, fmt.Errorf("make database: %w", err)
		}
	} else if err != nil {
		return nil, err
	}
	var o origin
	b, err := os.ReadFile(originFile)
	if err == nil {
		err = json.Unmarshal(b, &o)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: which server version made the database beside it cannot be read: %w", originFile, err)
	}
	if minor(o.ServerVersion) != minor(Version) {
		return nil, fmt.Errorf("%s was made by Temporal %s and cannot be opened by %s, expected %s.x; use the hone-stack that "+
			"made it, or another data folder", file, o.ServerVersion, Version, minor(Version))
	}
	sql := sqlConfig(file, map[string]string{"journal_mode": "wal", "synchronous": "full"})
	ns, err := schema.NewNamespaceConfig(clusterName, Namespace, false, nil)
	if err != nil {
		return nil, err
	}
	ns.Detail.Config.Retention = durationpb.New(retention)
	if err := schema.CreateNamespaces(sql, ns); err != nil {
		return nil, err
	}
	return &database{sql: sql, clusterID: o.ClusterID}, nil
}

// makeDatabase fills a file of another name first: one that a kill left half-made must not be taken for a whole one.
func makeDatabase(file, originFile string) error {
	if err := stackfile.WriteJSON(originFile, origin{ServerVersion: Version, ClusterID: uuid.NewString()}); err != nil {
		return err
	}
	half := file + ".new"
	if err := os.Remove(half); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// Without a write-ahead log, so that the file is all there is.
	if err := schema.SetupSchema(sqlConfig(half, map[string]string{"journal_mode": "delete", "synchronous": "full"})); err != nil {
		return err
	}
	if err := os.Rename(half, file); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(file))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// minor is "1.32" of "1.32.1".
func minor(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}
