package lineage

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/skills"
)

// BankRole is the role of the bank that a library began with among its inputs.
const BankRole = "bank"

// bank reads a bank of skills and counts it again.
func (a *Auditor) bank(ctx context.Context, d artifacts.Digest, m *artifacts.Manifest) error {
	bank, err := activities.ReadBank(ctx, a.Store, d)
	if err != nil {
		return err
	}
	var said skills.Counts
	if err := json.Unmarshal(m.Summary, &said); err != nil {
		return fmt.Errorf("its summary: %w", err)
	}
	if has := bank.Count(); !reflect.DeepEqual(said, has) {
		return fmt.Errorf("it says %+v, its skills come to %+v", said, has)
	}
	return nil
}

// begun compares a library that began with a bank with it: its skills are the bank's, one by one. Vectors are the
// encoder's, which is not at hand here.
func (a *Auditor) begun(ctx context.Context, d artifacts.Digest, m *artifacts.Manifest) error {
	from := inputOf(m, BankRole)
	if from == "" {
		return nil
	}
	library, err := activities.ReadLibrary(ctx, a.Store, d)
	if err != nil {
		return err
	}
	bank, err := activities.ReadBank(ctx, a.Store, from)
	if err != nil {
		return err
	}
	want, err := bank.Skills()
	if err != nil {
		return err
	}
	got := library.Skills()
	if len(got) != len(want) {
		return fmt.Errorf("it has %d skills, its bank %d", len(got), len(want))
	}
	for i, s := range got {
		if s != want[i] {
			return fmt.Errorf("skill %d, %s, is not that of its bank, %s", i+1, s.ID, want[i].ID)
		}
	}
	return nil
}
