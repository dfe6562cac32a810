package alfworld

import (
	"encoding/hex"

	"github.com/hone-rl/hone/env"
)

var _ env.Stateful = (*Episode)(nil)

// StateKey implements env.Stateful.
func (e *Episode) StateKey() string {
	key := e.state.Key()
	text := hex.EncodeToString(key[:])
	if e.teller.told != nil {
		key = e.teller.told.Key()
		text += hex.EncodeToString(key[:])
	}
	return text
}
