// Package stack finds the servers that a run lives on, Temporal and S3: the local stack's by its data folder, or
// others by the SDKs' own standard environment and flags.
package stack

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"
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

// Local is what a running local stack tells of itself in stack.json.
type Local struct {
	PID      int    `json:"pid"`
	Temporal string `json:"temporal"` // host:port
	UI       string `json:"ui"`       // URL
	S3       struct {
		Endpoint    string `json:"endpoint"`
		Bucket      string `json:"bucket"`
		Region      string `json:"region"`
		Credentials string `json:"credentials"` // file
	} `json:"s3"`
}

// ErrNotUp means that no local stack runs on the data folder.
var ErrNotUp = errors.New(`the local stack is not up: start it with "hone up"`)

// ReadLocal reads what the local stack on dir tells of itself.
func ReadLocal(dir string) (*Local, error) {
	path := filepath.Join(dir, "stack.json")
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", dir, ErrNotUp)
	}
	if err != nil {
		return nil, err
	}
	var l Local
	if err := json.Unmarshal(raw, &l); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &l, nil
}
