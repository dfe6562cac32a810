package alfworld

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/internal/exact"
)

// TrajName is the file beside a game that tells what it is about.
const TrajName = "traj_data.json"

// Traj is what ALFWorld's loader and experts read of a traj_data.json.
type Traj struct {
	TaskID   string     `json:"task_id"`
	TaskType string     `json:"task_type"`
	Params   TrajParams `json:"pddl_params"`
	Scene    TrajScene  `json:"scene"`
	Human    TrajHuman  `json:"turk_annotations"`
}

// TrajParams tells the task by types, "" where it has none of a kind.
type TrajParams struct {
	Movable     string `json:"mrecep_target"`
	Sliced      bool   `json:"object_sliced"`
	Object      string `json:"object_target"`
	Destination string `json:"parent_target"`
	Lamp        string `json:"toggle_target"`
}

// TrajScene is where the game takes place.
type TrajScene struct {
	FloorPlan string `json:"floor_plan"`
	Number    int    `json:"scene_num"`
}

// TrajHuman are goal sentences, which ALFWorld can put in the place of its own.
type TrajHuman struct {
	Sentences []TrajSentence `json:"anns"`
}

// TrajSentence is one goal sentence with the steps that lead there.
type TrajSentence struct {
	Task  string   `json:"task_desc"`
	Steps []string `json:"high_descs"`
}

// NewTraj begins a trajectory of a game "…/TASK-SCENE/TRIAL". Scenes are numbered as ALFWorld's floor plans.
func NewTraj(id, taskType string) Traj {
	t := Traj{TaskID: id[strings.LastIndex(id, "/")+1:], TaskType: taskType}
	if m := sceneNumber.FindStringSubmatch(id); m != nil {
		t.Scene.Number, _ = strconv.Atoi(m[1]) // so many digits are a number
		t.Scene.FloorPlan = "FloorPlan" + m[1]
	}
	t.Human.Sentences = []TrajSentence{}
	return t
}

var sceneNumber = regexp.MustCompile(`-([0-9]{1,9})/`)

// Say adds a goal sentence.
func (t *Traj) Say(sentence string) {
	t.Human.Sentences = append(t.Human.Sentences, TrajSentence{Task: sentence, Steps: []string{}})
}

// TrajOf is the trajectory of a game file, as far as its goal tells it: the types of the task, and as the one goal
// sentence that of the game. A file that is no JSON, with which ALFWorld's loader would fail, is an error; one that
// cannot be played otherwise has a trajectory without them.
func TrajOf(id, taskType string, data []byte) (Traj, error) {
	t := NewTraj(id, taskType)
	var f struct {
		Problem string `json:"pddl_problem"`
	}
	err := notUTF8(data)
	if broken := exact.Unmarshal(data, &f); broken != nil && err == nil {
		err = jsonError(data, broken, "a game file")
	}
	if err != nil {
		return t, fmt.Errorf("reading game %s: %w", id, err)
	}
	game, err := Parse(id, data)
	if err != nil {
		return t, nil //nolint:nilerr // what can be known without playing it
	}
	goal := game.Goal()
	t.Params.Object, t.Params.Destination = spelt(f.Problem, goal.Target), spelt(f.Problem, goal.Destination)
	if goal.Family == FamilyLook {
		t.Params.Lamp = spelt(f.Problem, goal.Device)
	}
	t.Say(goal.Text)
	return t, nil
}

var typeName = regexp.MustCompile(`[A-Za-z]+(?:Type|TYPE|type)\b`)

// spelt is a type in the spelling of the problem, where it is followed by "Type"; without it, it is as it was.
func spelt(problem, name string) string {
	for _, word := range typeName.FindAllString(problem, -1) {
		if word = word[:len(word)-len("type")]; strings.EqualFold(word, name) {
			return word
		}
	}
	return name
}

// Encode is the file's JSON.
func (t Traj) Encode() ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(t); err != nil {
		return nil, fmt.Errorf("writing %s of %s: %w", TrajName, t.TaskID, err)
	}
	return out.Bytes(), nil
}

// taskType reads the task type beside a game, "" where there is no traj_data.json.
func taskType(dir string) (string, error) {
	path := filepath.Join(dir, TrajName)
	data, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", path, err)
	}
	if err := notUTF8(data); err != nil {
		return "", fmt.Errorf("reading %s: %w", path, err)
	}
	var traj struct {
		TaskType string `json:"task_type"`
	}
	if err := exact.Unmarshal(data, &traj); err != nil {
		return "", fmt.Errorf("reading %s: %w", path, jsonError(data, err, "a trajectory"))
	}
	if traj.TaskType == "" {
		return "", fmt.Errorf("reading %s: %w: no \"task_type\", expected one of %s", path, env.ErrBadGame, strings.Join(Families, ", "))
	}
	return traj.TaskType, nil
}
