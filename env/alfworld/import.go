package alfworld

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hone-rl/hone/env"
)

// Imported is one game of a data set.
type Imported struct {
	ID     string // "split/task-folder/trial"
	Split  string // "train", "valid_seen", …; "" for a single file that lies in no such folder
	Family string
	Data   []byte // the game file
}

// LeftOut is a trial that is not played, as ALFWorld itself would not play it.
type LeftOut struct {
	ID, Reason string
}

// Families are ALFWorld's task types in the order of its own numbers 1 to 6.
var Families = []string{FamilyPick, FamilyLook, FamilyClean, FamilyHeat, FamilyCool, FamilyTwo}

// Source is a data set to import games from.
type Source struct {
	path    string
	leftOut []LeftOut
}

// Import opens a data set: an ALFWorld data folder (any folder above or below json_2.1.1), a packed list
// (games.jsonl.xz with alfred.pddl and alfred.twl2 beside it, or that folder), or one game.tw-pddl file.
func Import(path string) (*Source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("importing games: %w", err)
	}
	if !info.IsDir() && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("importing games: %s: expected a folder or a regular file", path)
	}
	if info.IsDir() {
		if packed := filepath.Join(path, packedName); isFile(packed) {
			return &Source{path: packed}, nil
		}
	}
	return &Source{path: path}, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Games yields the games in the order of their ids, reading each when it is asked for. After an error it ends.
func (s *Source) Games() iter.Seq2[Imported, error] {
	s.leftOut = nil
	switch info, err := os.Stat(s.path); {
	case err != nil:
		return func(yield func(Imported, error) bool) { yield(Imported{}, fmt.Errorf("importing games: %w", err)) }
	case info.IsDir():
		return s.folder
	case strings.HasSuffix(s.path, ".xz"):
		return s.packed
	}
	return func(yield func(Imported, error) bool) {
		g, reason, err := readTrial(filepath.Dir(s.path), s.path)
		if reason != "" {
			s.leave(g.ID, reason)
			return
		}
		yield(g, err)
	}
}

// LeftOut is what Games passed over and why. It is complete once Games has been read to its end.
func (s *Source) LeftOut() []LeftOut { return s.leftOut }

func (s *Source) leave(id, reason string) { s.leftOut = append(s.leftOut, LeftOut{id, reason}) }

// folder yields the trials below a data folder. A trial is a folder with a game.tw-pddl or traj_data.json.
func (s *Source) folder(yield func(Imported, error) bool) {
	trials := map[string]string{} // folder by id
	err := filepath.WalkDir(s.path, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && (d.Name() == gameName || d.Name() == trajName) {
			dir := filepath.Dir(path)
			id := idOf(dir)
			if other, ok := trials[id]; ok && other != dir {
				return fmt.Errorf("%s and %s are both trial %s, expected one data set", other, dir, id)
			}
			trials[id] = dir
		}
		return err
	})
	if err == nil && len(trials) == 0 {
		err = fmt.Errorf("no %s below %s, expected json_2.1.1/SPLIT/TASK/TRIAL/%s", gameName, s.path, gameName)
	}
	if err != nil {
		yield(Imported{}, fmt.Errorf("importing games: %w", err))
		return
	}
	ids := make([]string, 0, len(trials))
	for id := range trials {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		g, reason, err := readTrial(trials[id], filepath.Join(trials[id], gameName))
		if reason != "" {
			s.leave(id, reason)
			continue
		}
		if errors.Is(err, env.ErrBadGame) { // one that nobody can name a family of; the others are not its fault
			s.leave(id, err.Error())
			continue
		}
		if !yield(g, err) || err != nil {
			return
		}
	}
}

const trajName = "traj_data.json"

// readTrial reads a trial's game, or says why ALFWorld would leave it out.
func readTrial(dir, path string) (g Imported, reason string, err error) {
	g.ID = idOf(dir)
	if abs, err := filepath.Abs(dir); err == nil {
		g.ID = idOf(abs)
	}
	if parts := strings.Split(g.ID, "/"); len(parts) == 3 {
		g.Split = parts[0]
	}
	switch {
	case strings.Contains(g.ID, "movable"):
		return g, "movable receptacle", nil
	case strings.Contains(g.ID, "Sliced"):
		return g, "sliced object", nil
	}
	if g.Data, err = os.ReadFile(path); errors.Is(err, fs.ErrNotExist) {
		return g, "no " + gameName, nil
	} else if err != nil {
		return g, "", fmt.Errorf("importing games: %w", err)
	}
	var flag struct {
		Solvable *bool `json:"solvable"`
	}
	broken := json.Unmarshal(g.Data, &flag)
	if broken == nil && (flag.Solvable == nil || !*flag.Solvable) {
		return g, "not solvable", nil
	}
	family, err := taskType(dir)
	if err != nil {
		return g, "", err
	}
	if broken != nil && family == "" {
		return g, "", fmt.Errorf("importing %s: %w", path, jsonError(g.Data, broken))
	}
	// A broken file whose family is known is imported as it is: a run excludes it with its reason, and plays it
	// once it is mended.
	if family == "" { // no traj_data.json: the goal says it too
		game, err := Parse(g.ID, g.Data)
		if err != nil {
			return g, "", fmt.Errorf("importing %s: %w", path, err)
		}
		family = game.Family()
	} else if !slices.Contains(Families, family) {
		return g, fmt.Sprintf("task type %q", family), nil
	}
	g.Family = family
	return g, "", nil
}

// taskType reads the task type beside a game, "" where there is no traj_data.json.
func taskType(dir string) (string, error) {
	path := filepath.Join(dir, trajName)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("importing games: %w", err)
	}
	var traj struct {
		TaskType string `json:"task_type"`
	}
	if err := json.Unmarshal(data, &traj); err != nil {
		return "", fmt.Errorf("importing %s: %w", path, jsonError(data, err))
	}
	if traj.TaskType == "" {
		return "", fmt.Errorf("importing %s: %w: no \"task_type\", expected one of %s", path, env.ErrBadGame, strings.Join(Families, ", "))
	}
	return traj.TaskType, nil
}

// canonical is a game file's JSON with sorted keys and without white space: the same bytes for the same parts.
func canonical(domain, grammar, problem string) ([]byte, error) {
	return encode(struct {
		Grammar     string   `json:"grammar"`
		Domain      string   `json:"pddl_domain"`
		Problem     string   `json:"pddl_problem"`
		Solvable    bool     `json:"solvable"`
		Walkthrough []string `json:"walkthrough"`
	}{grammar, domain, problem, true, nil})
}

// encode is json.Marshal without the escapes that are only for HTML.
func encode(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}
