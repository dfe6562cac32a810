package lineage_test

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/agent/learn"
	"github.com/hone-rl/hone/agent/rollout"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/lineage"
)

// forger changes artifacts of a training, and all that leads to them, so that every digest is right.
type forger struct {
	*mem.Store
	outcome artifacts.Digest
	key     string // of the stage, in hexadecimal
	changed map[artifacts.Digest]artifacts.Digest
}

func forging(t *testing.T, store *mem.Store, stage string) *forger {
	t.Helper()
	f := &forger{Store: store, changed: map[artifacts.Digest]artifacts.Digest{}}
	f.outcome = f.resolve(t, activities.RunName(runID, stage))
	f.key = strings.Split(f.names(t, "updates/")[0], "/")[1]
	return f
}

func (f *forger) resolve(t *testing.T, name string) artifacts.Digest {
	t.Helper()
	d, err := f.Resolve(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (f *forger) names(t *testing.T, prefix string) []string {
	t.Helper()
	names, err := f.Names(t.Context(), prefix)
	if err != nil || len(names) == 0 {
		t.Fatalf("names below %s: %v, %v", prefix, names, err)
	}
	return names
}

func (f *forger) update(t *testing.T, step int) artifacts.Digest {
	t.Helper()
	return f.resolve(t, f.names(t, "updates/")[step-1])
}

// input is one of an artifact's.
func (f *forger) input(t *testing.T, of artifacts.Digest, role string) artifacts.Digest {
	t.Helper()
	for _, in := range f.manifest(t, of).Inputs {
		if in.Role == role {
			return in.Digest
		}
	}
	t.Fatalf("%s has no %s", of, role)
	return ""
}

func (f *forger) manifest(t *testing.T, d artifacts.Digest) *artifacts.Manifest {
	t.Helper()
	m, err := artifacts.GetManifest(t.Context(), f, d)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (f *forger) file(t *testing.T, m *artifacts.Manifest, name string) []byte {
	t.Helper()
	i := slices.IndexFunc(m.Outputs, func(o artifacts.Output) bool { return o.Name == name })
	if i < 0 {
		t.Fatalf("no %s", name)
	}
	raw, err := artifacts.ReadAll(t.Context(), f, m.Outputs[i].Digest, m.Outputs[i].Size)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func (f *forger) replace(t *testing.T, m *artifacts.Manifest, name string, content []byte) {
	t.Helper()
	d, err := artifacts.PutBytes(t.Context(), f, "", content)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(m.Outputs, func(o artifacts.Output) bool { return o.Name == name })
	d.MediaType = m.Outputs[i].MediaType
	m.Outputs[i].Descriptor = d
}

// edit changes an artifact.
func (f *forger) edit(t *testing.T, d artifacts.Digest, change func(*artifacts.Manifest)) {
	t.Helper()
	m := f.manifest(t, d)
	change(m)
	forged, err := artifacts.PutManifest(t.Context(), f, *m)
	if err != nil {
		t.Fatal(err)
	}
	if forged.Digest == d {
		t.Fatal("nothing was changed")
	}
	f.changed[d] = forged.Digest
}

// linked is an artifact with all that is changed below it in its place.
func (f *forger) linked(t *testing.T, d artifacts.Digest) artifacts.Digest {
	t.Helper()
	if to, ok := f.changed[d]; ok && to == d {
		return d
	} else if ok {
		d = to
	}
	m := f.manifest(t, d)
	same := true
	for i, in := range m.Inputs {
		m.Inputs[i].Digest = f.linked(t, in.Digest)
		same = same && m.Inputs[i].Digest == in.Digest
	}
	to := d
	if !same {
		if m.Kind == artifacts.KindPolicy {
			f.quote(t, m)
		}
		forged, err := artifacts.PutManifest(t.Context(), f, *m)
		if err != nil {
			t.Fatal(err)
		}
		to = forged.Digest
	}
	f.changed[d], f.changed[to] = to, to
	return to
}

// quote writes the lines of an outcome anew, where those of a test are not its own forgery.
func (f *forger) quote(t *testing.T, m *artifacts.Manifest) {
	t.Helper()
	var steps, panels bytes.Buffer
	lines, err := activities.StepLines(t.Context(), f, inputRole(m, "policy"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		if err := json.NewEncoder(&steps).Encode(line); err != nil {
			t.Fatal(err)
		}
	}
	var all []activities.ValidationLine
	for _, in := range m.Inputs {
		if strings.HasPrefix(in.Role, "validation ") {
			line, err := activities.ReadValidation(t.Context(), f, in.Digest)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, line)
		}
	}
	for _, line := range all { // roles are sorted: with stands before without
		if err := json.NewEncoder(&panels).Encode(line); err != nil {
			t.Fatal(err)
		}
	}
	f.replace(t, m, activities.StepsFile, steps.Bytes())
	f.replace(t, m, activities.ValidationsFile, panels.Bytes())
}

func inputRole(m *artifacts.Manifest, role string) artifacts.Digest {
	for _, in := range m.Inputs {
		if in.Role == role {
			return in.Digest
		}
	}
	return ""
}

// audit names the forged training as a run's and audits that; with its record, as if a stage of its own had made it.
func (f *forger) audit(t *testing.T, recorded bool) []lineage.Finding {
	t.Helper()
	outcome := f.linked(t, f.outcome)
	give := func(name string, d artifacts.Digest) {
		if err := f.Name(t.Context(), name, d); err != nil {
			t.Fatal(err)
		}
	}
	give(activities.RunName("forged", "grpo"), outcome)
	if recorded {
		key := artifacts.Of([]byte("forged"))
		give(activities.StageName(key), outcome)
		for _, name := range f.names(t, "updates/") {
			give("updates/"+key.Hex()+"/"+path.Base(name), f.linked(t, f.resolve(t, name)))
		}
		for _, name := range f.names(t, "episodes/") {
			give(strings.Replace(name, f.key, key.Hex(), 1), f.resolve(t, name))
		}
		f.record(t, activities.Finished{Run: "forged", RunID: "one", Name: "grpo", Key: key, Digest: outcome})
	}
	res, err := auditor(f.Store).Run(t.Context(), "forged")
	if err != nil {
		t.Fatal(err)
	}
	return res.Findings
}

func (f *forger) record(t *testing.T, r activities.Finished) {
	t.Helper()
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	d, err := artifacts.PutBytes(t.Context(), f, "", raw)
	name := r.Name
	if r.Stopped > 0 {
		name = activities.StoppedName(r.Name, r.Stopped)
	}
	if err == nil {
		err = f.Name(t.Context(), activities.RecordPrefix(r.Run)+r.RunID+"/"+name, d.Digest)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// episodes are those of an artifact.
func (f *forger) episodes(t *testing.T, m *artifacts.Manifest) (all []rollout.Episode) {
	t.Helper()
	for line := range bytes.Lines(f.file(t, m, activities.EpisodesFile)) {
		var e rollout.Episode
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// retell changes the episodes of a panel or an update, and counts them anew where they can be.
func (f *forger) retell(t *testing.T, d artifacts.Digest, change func([]rollout.Episode) []rollout.Episode) {
	t.Helper()
	f.edit(t, d, func(m *artifacts.Manifest) { f.retold(t, d, m, change) })
}

// retold is retell of a manifest that is being edited.
func (f *forger) retold(t *testing.T, d artifacts.Digest, m *artifacts.Manifest, change func([]rollout.Episode) []rollout.Episode) {
	t.Helper()
	all := change(f.episodes(t, m))
	var lines bytes.Buffer
	for _, e := range all {
		raw, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(raw, '\n'))
	}
	f.replace(t, m, activities.EpisodesFile, lines.Bytes())
	if m.Kind == artifacts.KindUpdate {
		f.recount(t, d, m, all)
		return
	}
	var said activities.Validation
	listed, err := activities.ReadGameList(t.Context(), f, inputRole(m, "games"))
	if err == nil {
		err = json.Unmarshal(m.Summary, &said)
	}
	if err != nil {
		t.Fatal(err)
	}
	tally := activities.NewPanelTally(said, listed)
	for _, e := range all {
		if _, err := tally.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	if m.Summary, err = json.Marshal(tally.Validation()); err != nil {
		t.Fatal(err)
	}
}

// recount writes the figures of an update anew.
func (f *forger) recount(t *testing.T, d artifacts.Digest, m *artifacts.Manifest, all []rollout.Episode) {
	t.Helper()
	in, err := activities.UpdateOf(d, m)
	if err != nil {
		t.Fatal(err)
	}
	var said activities.UpdateFigures
	if err := json.Unmarshal(f.file(t, m, activities.UpdateFile), &said); err != nil {
		t.Fatal(err)
	}
	figures, err := learn.FiguresOf(all, in.Learn.Expect)
	if err != nil {
		t.Fatal(err)
	}
	figures.Excluded, figures.Before, figures.After = len(in.Excluded), said.Figures.Before, said.Figures.After
	for _, e := range all {
		if e.Check() != nil {
			return
		}
	}
	report, steps, err := learn.Credited(in.Learn, activities.Groups(all, in.Group))
	if err != nil {
		t.Fatal(err)
	}
	if report.Steps = said.Report.Steps[:min(steps, len(said.Report.Steps))]; len(report.Steps) < steps {
		report.Steps = append(report.Steps, learn.StepReport{})
	}
	said.Figures, said.Report = &figures, report
	raw, err := json.Marshal(said)
	if err != nil {
		t.Fatal(err)
	}
	f.replace(t, m, activities.UpdateFile, raw)
}
