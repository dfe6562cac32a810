//go:build deps

// Package deps keeps modules in go.mod until their importers are written.
package deps

import (
	_ "github.com/aws/aws-sdk-go-v2/config"
	_ "github.com/aws/aws-sdk-go-v2/credentials"
	_ "github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	_ "github.com/aws/aws-sdk-go-v2/service/s3"
	_ "github.com/dustin/go-humanize"
	_ "github.com/edsrzf/mmap-go"
	_ "github.com/goccy/go-yaml"
	_ "github.com/gofrs/flock"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/gowebpki/jcs"
	_ "github.com/mattn/go-isatty"
	_ "github.com/opencontainers/image-spec/specs-go/v1"
	_ "github.com/spf13/cobra"
	_ "github.com/spf13/cobra/doc"
	_ "github.com/sugarme/gotch/libtch"
	_ "github.com/temporalio/ui-server/v2/server"
	_ "github.com/ulikunitz/xz"
	_ "github.com/vbauerster/mpb/v8"
	_ "github.com/versity/versitygw/embedgw"
	_ "go.temporal.io/sdk/client"
	_ "go.temporal.io/sdk/contrib/envconfig"
	_ "go.temporal.io/sdk/testsuite"
	_ "go.temporal.io/server/temporal"
	_ "go.temporal.io/server/temporaltest"
	_ "golang.org/x/text/unicode/norm"
	_ "pgregory.net/rapid"
)
