package alfworld

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/internal/exact"
)

// Imported is one game of a data set.
type Imported struct {
	ID     string // "split/task-folder/trial"
	Split  string // "train", "valid_seen", …; "" for a single file that lies in no such folder
	Family string
	Data   []byte // the game file
	File   string // where it was read: a game file, or a line of a packed list as FILE:LINE
}

// The kinds of reasons to leave a trial out. All but the last two are ALFWorld's own.
const (
	LeftMovable    = "movable receptacle"
	LeftSliced     = "sliced object"
	LeftTaskType   = "another task type"
	LeftNoGame     = "no " + gameName
	LeftNoFlag     = "not marked solvable or not"
	LeftUnsolvable = "not solvable"
	LeftUnread     = "cannot be read" // nor is there a traj_data.json that names its family
	LeftName       = "name is not UTF-8"
)

// LeftOut is a trial that is not imported.
type LeftOut struct {
	ID     string `json:"id"`
	Kind   string `json:"kind"`   // one of the kinds above
	Reason string `json:"reason"` // the kind, or more about it
}

// Families are ALFWorld's task types in the order of its own numbers 1 to 6.
var Families = []string{FamilyPick, FamilyLook, FamilyClean, FamilyHeat, FamilyCool, FamilyTwo}

// ErrNoGames is the error of a folder without any trial.
var ErrNoGames = errors.New("no " + gameName)

// Source is a data set to import games from. It belongs to one goroutine.
type Source struct {
	// TaskTypes are the families to take; none: all six. A game without traj_data.json may also be of no family.
	TaskTypes []string
	// GoOn has Games and Check pass over every trial that cannot be read. Without it they do so only in a folder, and
	// only where nobody can name the family of a broken file.
	GoOn bool

	library Library // of the games that must be read
	path    string
	folder  bool // else one file, a game or a packed list
	all     int  // trials, known once the first has been yielded
	leftOut []LeftOut
}

// Import opens a data set: an ALFWorld data folder (any folder above or below json_2.1.1), a packed list
// (games.jsonl.xz with alfred.pddl and alfred.twl2 beside it, or that folder), or one game.tw-pddl file.
func Import(path string) (*Source, error) {
	if path == "" {
		return nil, errors.New("reading games: expected a folder or a file, got an empty name")
	}
	path, err := filepath.Abs(path) // ids are made of the folders' names
	if err != nil {
		return nil, fmt.Errorf("reading games: %w", err)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading games: %w", err)
	case !info.IsDir() && !info.Mode().IsRegular():
		return nil, fmt.Errorf("reading games: %s: expected a folder or a regular file", path)
	case !info.IsDir() && filepath.Base(path) == TrajName:
		return nil, fmt.Errorf("reading games: %s: expected the %s beside it", path, gameName)
	}
	if packed := filepath.Join(path, packedName); info.IsDir() && isFile(packed) {
		return &Source{path: packed}, nil
	}
	return &Source{path: path, folder: info.IsDir()}, nil
}

// Games yields the games in the order of their ids, reading each when it is asked for. After an error it ends.
func (s *Source) Games() iter.Seq2[Imported, error] {
	return func(yield func(Imported, error) bool) {
		s.leftOut = nil
		for read, err := range s.trials {
			if err != nil {
				yield(Imported{}, err)
				return
			}
			t := read()
			if s.pass(t) {
				continue
			}
			if !yield(t.game, t.err) || t.err != nil {
				return
			}
		}
	}
}

// LeftOut is what Games or Check passed over and why. It is complete once they have been read to their end.
func (s *Source) LeftOut() []LeftOut { return s.leftOut }

// trial is what came of reading one trial: a game, a reason to leave it out, or an error.
type trial struct {
	game   Imported
	parsed *Game // of game, where it had to be parsed already
	left   *LeftOut
	err    error
}

func (t trial) leave(kind, reason string) trial {
	t.left = &LeftOut{ID: t.game.ID, Kind: kind, Reason: reason}
	return t
}

// pass reports whether a trial is left out, which it notes. In a folder that is so of files that nobody can name a
// family of, too: the others are not their fault.
func (s *Source) pass(t trial) bool {
	if t.left == nil && (s.GoOn && t.err != nil || s.folder && errors.Is(t.err, env.ErrBadGame)) {
		t = t.leave(LeftUnread, t.err.Error())
	}
	if t.left != nil {
		s.leftOut = append(s.leftOut, *t.left)
	}
	return t.left != nil
}

// trials yields what reads each trial, in the order of their ids; reading is for any goroutine.
func (s *Source) trials(yield func(func() trial, error) bool) {
	var err error
	switch {
	case s.folder:
		err = s.walk(yield)
	case strings.HasSuffix(s.path, ".xz"):
		err = s.packed(yield)
	default:
		s.all = 1
		yield(func() trial { return s.readTrial(filepath.Dir(s.path), s.path) }, nil)
	}
	if err != nil {
		yield(nil, fmt.Errorf("reading games: %w", err))
	}
}

// walk yields the trials below a data folder. A trial is a folder with a game.tw-pddl or traj_data.json. Like
// ALFWorld it follows links to files and the folder itself, but no links to folders below it.
func (s *Source) walk(yield func(func() trial, error) bool) error {
	dirs := map[string]string{} // by id
	err := filepath.WalkDir(s.path+string(filepath.Separator), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && (d.Name() == gameName || d.Name() == TrajName) {
			dir := filepath.Dir(path)
			id := idOf(dir)
			if other, ok := dirs[id]; ok && other != dir {
				return fmt.Errorf("%s and %s are both trial %s, expected one data set", other, dir, id)
			}
			dirs[id] = dir
		}
		return err
	})
	if err == nil && len(dirs) == 0 {
		err = fmt.Errorf("%w below %s, expected json_2.1.1/SPLIT/TASK/TRIAL/%s", ErrNoGames, s.path, gameName)
	}
	if err != nil {
		return err
	}
	ids := make([]string, 0, len(dirs))
	for id := range dirs {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	s.all = len(ids)
	for _, id := range ids {
		dir := dirs[id]
		if !yield(func() trial { return s.readTrial(dir, filepath.Join(dir, gameName)) }, nil) {
			return nil
		}
	}
	return nil
}

// wanted says of a task type that is not to be imported why.
func (s *Source) wanted(family string) (reason string) {
	switch {
	case !slices.Contains(Families, family):
		return fmt.Sprintf("task type %q is none of ALFWorld's six", family)
	case len(s.TaskTypes) > 0 && !slices.Contains(s.TaskTypes, family):
		return "task type " + family + " was not asked for"
	}
	return ""
}

// readTrial reads a trial's game, or says why ALFWorld would leave it out.
func (s *Source) readTrial(dir, path string) (t trial) {
	t.game.ID, t.game.File = idOf(dir), path
	if parts := strings.Split(t.game.ID, "/"); len(parts) == 3 {
		t.game.Split = parts[0]
	}
	switch {
	case !utf8.ValidString(t.game.ID):
		return t.leave(LeftName, fmt.Sprintf("%q is not UTF-8", t.game.ID))
	case strings.Contains(t.game.ID, "movable"):
		return t.leave(LeftMovable, LeftMovable)
	case strings.Contains(t.game.ID, "Sliced"):
		return t.leave(LeftSliced, LeftSliced)
	}
	family, err := taskType(dir)
	if err != nil {
		t.err = err
		return t
	}
	if family != "" {
		if reason := s.wanted(family); reason != "" {
			return t.leave(LeftTaskType, reason)
		}
	}
	if t.game.Data, err = readFile(path); errors.Is(err, fs.ErrNotExist) {
		return t.leave(LeftNoGame, LeftNoGame)
	} else if err != nil {
		t.err = fmt.Errorf("reading %s: %w", path, err)
		return t
	}
	t.game.Family = family
	return s.judge(t)
}

// judge looks at the flag of a game that has been read and sees to its family. A broken file whose family is known is
// imported as it is: a run excludes it with its reason, and plays it once it is mended.
func (s *Source) judge(t trial) trial {
	var flag struct {
		Solvable json.RawMessage `json:"solvable"`
	}
	broken := notUTF8(t.game.Data)
	if err := exact.Unmarshal(t.game.Data, &flag); err != nil && broken == nil {
		broken = jsonError(t.game.Data, err, "a game file")
	}
	if broken == nil {
		switch string(flag.Solvable) {
		case "true":
		case "":
			return t.leave(LeftNoFlag, `no "solvable" in the file`)
		default:
			return t.leave(LeftUnsolvable, fmt.Sprintf(`"solvable" is %.20s`, flag.Solvable))
		}
	}
	if t.game.Family != "" {
		return t
	}
	if broken != nil {
		t.err = fmt.Errorf("reading %s: %w", t.game.File, broken)
		return t
	}
	// No traj_data.json: the goal says it too.
	game, err := s.library.parse(t.game.ID, t.game.Data)
	if err != nil {
		t.err = fmt.Errorf("reading %s: %w", t.game.File, err)
		return t
	}
	t.parsed, t.game.Family = game, game.Family()
	if reason := s.wanted(game.Family()); reason != "" && len(s.TaskTypes) > 0 {
		return t.leave(LeftTaskType, reason)
	}
	return t
}
