package stack

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"

	"github.com/hone-rl/hone/artifacts/s3"
	"github.com/hone-rl/hone/internal/endpoint"
)

// Remote says whether flags or environment name a Temporal server, so that no local stack is asked for.
func (c *Config) Remote() bool {
	return c.Address != "" || os.Getenv("TEMPORAL_ADDRESS") != "" || os.Getenv("TEMPORAL_PROFILE") != ""
}

// Dial connects to Temporal. Options' address and namespace are filled in: from the flags, the SDK's standard
// environment configuration, or the local stack. The local stack's address is passed explicitly, so that a
// stranger's profile does not redirect it.
func (c *Config) Dial(ctx context.Context, options client.Options) (client.Client, error) {
	where := "the local stack's"
	if c.Remote() {
		where = "named by flags or environment"
		fromEnv, err := envconfig.LoadDefaultClientOptions()
		if err != nil {
			return nil, fmt.Errorf("read TEMPORAL_* environment configuration: %w", err)
		}
		logger := options.Logger
		options = fromEnv
		options.Logger = logger
		if c.Address != "" {
			options.HostPort = c.Address
		}
	} else {
		local, err := c.localDir().Read()
		if err != nil {
			return nil, err
		}
		options.HostPort, options.Namespace = local.Temporal.Address, local.Temporal.Namespace
	}
	if c.Namespace != "" {
		options.Namespace = c.Namespace
	}
	if strings.Contains(options.HostPort, "@") { // a password would come back in the library's errors
		return nil, fmt.Errorf("address of Temporal %s (%s): expected host:port", endpoint.Plain(options.HostPort), where)
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	conn, err := client.DialContext(ctx, options)
	if err != nil {
		return nil, fmt.Errorf("reach Temporal at %s (%s; is it running, is the address right?): %w", options.HostPort, where, err)
	}
	return conn, nil
}

// Store opens the S3 store: the local stack's, or where the AWS SDK's standard environment and files point.
func (c *Config) Store(ctx context.Context) (*s3.Store, error) {
	cfg := s3.Config{Bucket: c.bucket()}
	if c.localStore() {
		local, err := c.localDir().Read()
		if err != nil {
			return nil, err
		}
		keys, err := c.localDir().ReadCredentials()
		if err != nil {
			return nil, fmt.Errorf("read the local stack's S3 keys: %w", err)
		}
		if c.Bucket == "" && os.Getenv("HONE_BUCKET") == "" {
			cfg.Bucket = local.S3.Bucket
		}
		cfg.Endpoint, cfg.Region = local.S3.Endpoint, local.S3.Region
		cfg.AccessKeyID, cfg.SecretAccessKey = keys.AccessKeyID, keys.SecretAccessKey
	}
	store, err := s3.Open(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("open S3 store: %w", err)
	}
	return store, nil
}

// localStore says whether the store is the local stack's: always, unless Temporal is elsewhere, and then still if
// the environment names no S3 endpoint and a local stack is up.
func (c *Config) localStore() bool {
	if !c.Remote() {
		return true
	}
	if os.Getenv("AWS_ENDPOINT_URL") != "" || os.Getenv("AWS_ENDPOINT_URL_S3") != "" || os.Getenv("AWS_PROFILE") != "" {
		return false
	}
	_, err := c.localDir().Read()
	return err == nil
}
