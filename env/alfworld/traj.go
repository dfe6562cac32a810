package alfworld

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/hone-rl/hone/env"
)

const trajName = "traj_data.json"

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

// taskType reads the task type beside a game, "" where there is no traj_data.json.
func taskType(dir string) (string, error) {
	path := filepath.Join(dir, trajName)
	data, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("importing %s: %w", path, err)
	}
	if err := notUTF8(data); err != nil {
		return "", fmt.Errorf("importing %s: %w", path, err)
	}
	var traj struct {
		TaskType string `json:"task_type"`
	}
	if err := json.Unmarshal(data, &traj); err != nil {
		return "", fmt.Errorf("importing %s: %w", path, jsonError(data, err, "a trajectory"))
	}
	if traj.TaskType == "" {
		return "", fmt.Errorf("importing %s: %w: no \"task_type\", expected one of %s", path, env.ErrBadGame, strings.Join(Families, ", "))
	}
	return traj.TaskType, nil
}
