package stack

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/hone-rl/hone/devserver/internal/temporal"
	"github.com/hone-rl/hone/devserver/stackfile"
)

// credentials reads the data folder's keys and makes them the first time, for the owner's eyes only.
func credentials(dir stackfile.Dir) (stackfile.Credentials, error) {
	c, err := dir.ReadCredentials()
	if err == nil {
		return c, os.Chmod(dir.Credentials(), 0o600)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return c, err
	}
	secret := make([]byte, 20)
	_, _ = rand.Read(secret) // never fails
	c = stackfile.Credentials{AccessKeyID: "HONE" + rand.Text()[:16], SecretAccessKey: hex.EncodeToString(secret)}
	return c, stackfile.WriteJSON(dir.Credentials(), c)
}

func versions() stackfile.Versions {
	v := stackfile.Versions{Go: runtime.Version(), Temporal: temporal.Version}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	for _, m := range info.Deps {
		switch m.Path {
		case "github.com/temporalio/ui-server/v2":
			v.UI = m.Version
		case "github.com/versity/versitygw":
			v.VersityGW = m.Version
		}
	}
	return v
}
