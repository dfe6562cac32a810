// Package stack finds the servers that a run lives on, Temporal and S3: the local stack's by its data folder, or
// others by the SDKs' own standard environment and flags.
package stack

import (
	"os"

	"github.com/spf13/pflag"

	"github.com/hone-rl/hone/devserver/stackfile"
)

// Config says where the servers are. Its zero value means the local stack in DefaultData, or what the environment
// names.
type Config struct {
	Data      string // the local stack's data folder; also where a worker keeps its cache
	Address   string // Temporal's, host:port; with it, or TEMPORAL_ADDRESS, nothing local is asked for
	Namespace string // Temporal's
	Bucket    string // S3's
}

// Defaults.
const (
	DefaultData   = ".hone/data"
	DefaultBucket = "hone"
)

// Flags adds c's flags to f.
func (c *Config) Flags(f *pflag.FlagSet) {
	f.StringVar(&c.Data, "data", "", "data folder of the local stack (default $HONE_DATA, else "+DefaultData+")")
	f.StringVar(&c.Address, "temporal-address", "", "a Temporal server elsewhere, host:port (default $TEMPORAL_ADDRESS or the local stack's)")
	f.StringVar(&c.Namespace, "namespace", "", "Temporal namespace (default $TEMPORAL_NAMESPACE, else default)")
	f.StringVar(&c.Bucket, "bucket", "", "S3 bucket (default $HONE_BUCKET, else "+DefaultBucket+")")
}

// DataDir is the data folder.
func (c *Config) DataDir() string {
	return first(c.Data, os.Getenv("HONE_DATA"), DefaultData)
}

func (c *Config) bucket() string { return first(c.Bucket, os.Getenv("HONE_BUCKET"), DefaultBucket) }

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// localDir is the data folder, as the local stack knows it.
func (c *Config) localDir() stackfile.Dir { return stackfile.Dir(c.DataDir()) }

// Local is what the local stack that is up says of itself.
func (c *Config) Local() (*stackfile.Stack, error) { return c.localDir().Read() }
