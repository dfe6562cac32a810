package lineage

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
)

// Note is a line about the artifact from its manifest's summary, or from where it came; "" where there is nothing to say.
func (n *Node) Note() string {
	if n.foreign() {
		from := make([]string, len(n.Sources))
		for i, s := range n.Sources {
			from[i] = s.String()
		}
		return cmp.Or(strings.Join(from, "; "), activities.ImportedSource)
	}
	var s map[string]any
	if json.Unmarshal(n.Summary, &s) != nil {
		return ""
	}
	switch n.Kind {
	case artifacts.KindGames:
		return fmt.Sprintf("%v games", s["games"])
	case artifacts.KindDataset:
		return fmt.Sprintf("%v records of %v games, %v excluded", s["records"], s["games"], s["excluded"])
	case artifacts.KindTrajectories:
		return fmt.Sprintf("%v of %v won", s["won"], s["games"])
	case artifacts.KindUpdate:
		return fmt.Sprintf("step %v", s["step"])
	case artifacts.KindSkills:
		return fmt.Sprintf("after step %v, %v skills", s["step"], s["skills"])
	case artifacts.KindBank:
		return fmt.Sprintf("%v skills", s["skills"])
	case artifacts.KindCatalogue:
		return fmt.Sprintf("%v products", s["products"])
	case artifacts.KindRollouts:
		if score, apart := s["score"]; apart {
			return fmt.Sprintf("%v of %v won, mean score %.3v", s["won"], s["count"], score)
		}
		return fmt.Sprintf("%v of %v won", s["won"], s["count"])
	case artifacts.KindPolicy:
		return fmt.Sprintf("%v steps, best at %v", s["steps"], s["best"])
	case artifacts.KindModel, artifacts.KindAdapter:
		if best, ok := s["best"].(map[string]any); ok {
			return fmt.Sprintf("step %v, validation loss %.4v", best["step"], best["loss"])
		}
	}
	return ""
}
