package activities

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/skills"
)

// BankName is the name of an imported bank of skills.
func BankName(d artifacts.Digest) string { return "banks/" + d.Hex() }

// StoreBank stores a bank of skills that a training may begin with. Its digest follows from the skills and the producer
// alone. The name comes last.
func StoreBank(ctx context.Context, store artifacts.Store, by artifacts.Producer, bank skills.Bank) (artifacts.Digest, error) {
	file, err := bank.Encode()
	if err != nil {
		return "", fmt.Errorf("bank of skills: %w", err)
	}
	m := artifacts.Manifest{SchemaVersion: 1, MediaType: artifacts.MediaTypeManifest, Kind: artifacts.KindBank, Producer: by}
	desc, err := artifacts.PutBytes(ctx, store, mediaJSONL, file)
	if err != nil {
		return "", fmt.Errorf("store bank of skills: %w", err)
	}
	m.Outputs = []artifacts.Output{{Name: skills.BankName, Descriptor: desc}}
	if m.Summary, err = json.Marshal(bank.Count()); err != nil {
		return "", err
	}
	d, err := artifacts.PutManifest(ctx, store, m)
	if err != nil {
		return "", fmt.Errorf("store bank of skills: %w", err)
	}
	return d.Digest, store.Name(ctx, BankName(d.Digest), d.Digest)
}

// ReadBank reads a stored bank of skills.
func ReadBank(ctx context.Context, store artifacts.Store, d artifacts.Digest) (skills.Bank, error) {
	m, err := artifacts.GetManifest(ctx, store, d)
	if err != nil {
		return nil, fmt.Errorf("read bank of skills %s: %w", d.Short(), err)
	}
	return bankOf(ctx, store, d, m)
}

func bankOf(ctx context.Context, store artifacts.Store, d artifacts.Digest, m *artifacts.Manifest) (skills.Bank, error) {
	if m.Kind != artifacts.KindBank {
		return nil, wrong{fmt.Errorf("artifact %s is of kind %s, expected a bank of skills", d.Short(), m.Kind), ErrTypeBadInput}
	}
	file, err := readOf(ctx, store, d, m, skills.BankName)
	if err != nil {
		return nil, fmt.Errorf("read bank of skills %s: %w", d.Short(), err)
	}
	bank, err := skills.DecodeBank(file)
	if err != nil {
		return nil, wrong{fmt.Errorf("bank of skills %s: %w", d.Short(), err), ErrTypeCorrupt}
	}
	return bank, nil
}

// CheckBank says whether a library of these rules can begin with the artifact d: a bank of skills or a stored library.
// artifacts.ErrNotFound where there is no such artifact.
func CheckBank(ctx context.Context, store artifacts.Store, d artifacts.Digest, rules skills.Rules) error {
	m, err := artifacts.GetManifest(ctx, store, d)
	if err != nil {
		return err
	}
	switch m.Kind {
	case artifacts.KindSkills: // with rules of its own
		return nil
	case artifacts.KindBank:
		bank, err := bankOf(ctx, store, d, m)
		if most := rules.WithDefaults().Capacity; err == nil && len(bank) > most {
			err = fmt.Errorf("%d skills, expected at most the library's capacity, %d", len(bank), most)
		}
		return err
	}
	return fmt.Errorf("it is of kind %s, expected a bank of skills or a skill library", m.Kind)
}

// begin makes the library that a training begins with: an empty one, that of a bank from outside by the training's rules,
// or a stored one as it is.
func (a *Activities) begin(ctx context.Context, in SkillsInput) (*SkillsResult, error) {
	inputs := []artifacts.Input{}
	var entries []skills.Entry
	if in.Bank != "" {
		m, err := artifacts.GetManifest(ctx, a.Store, in.Bank)
		if err != nil {
			return nil, fmt.Errorf("read bank of skills %s: %w", in.Bank.Short(), err)
		}
		if m.Kind == artifacts.KindSkills {
			l, err := ReadLibrary(ctx, a.Store, in.Bank)
			if err != nil {
				return nil, err
			}
			return &SkillsResult{Library: in.Bank, Size: l.Len(), Utility: l.MeanUtility()}, nil
		}
		bank, err := bankOf(ctx, a.Store, in.Bank, m)
		if err != nil {
			return nil, err
		}
		if entries, err = a.entries(ctx, bank); err != nil {
			return nil, fmt.Errorf("bank of skills %s: %w", in.Bank.Short(), err)
		}
		inputs = append(inputs, artifacts.Input{Role: "bank", Digest: in.Bank})
	}
	l, err := skills.New(in.Rules, vectorSize, entries...)
	if err != nil {
		return nil, final(ErrTypeBadInput, fmt.Errorf("skill library: %w", err))
	}
	d, err := a.storeLibrary(ctx, l, LibraryParameters{in.Rules.WithDefaults(), in.Trajectories}, inputs)
	return &SkillsResult{Library: d, Size: l.Len(), Utility: l.MeanUtility()}, err
}

// entries are a bank's skills with the vectors of their keys.
func (a *Activities) entries(ctx context.Context, bank skills.Bank) ([]skills.Entry, error) {
	all, err := bank.Skills()
	if err != nil {
		return nil, err
	}
	entries := make([]skills.Entry, len(all))
	for i, s := range all {
		entries[i].Skill = s
		if entries[i].Vector, err = a.embed(ctx, s.Key()); err != nil {
			return nil, err
		}
	}
	return entries, nil
}
