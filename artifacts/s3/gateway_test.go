package s3_test

import (
	"context"
	"path/filepath"

	"github.com/hone-rl/hone/devserver/gateway"
	"github.com/hone-rl/hone/devserver/gateway/faults"
	"github.com/hone-rl/hone/internal/freeport"
)

func gatewayConfig(dir, address string) gateway.Config {
	return gateway.Config{
		Dir: filepath.Join(dir, "objects"), MetaDir: filepath.Join(dir, "meta"), Address: address,
		AccessKeyID: accessKey, SecretAccessKey: secretKey,
	}
}

func startGateway(dir string, f *faults.Faults) (*gateway.Gateway, string, error) {
	address, err := freeport.Address()
	if err != nil {
		return nil, "", err
	}
	cfg := gatewayConfig(dir, address)
	cfg.Wrap = f.Wrap
	g, err := gateway.Start(context.Background(), cfg)
	return g, address, err
}
