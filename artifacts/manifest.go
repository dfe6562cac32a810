package artifacts

import "encoding/json"

// Manifest says what an artifact holds and how it came to be. Its canonical JSON (RFC 8785) is a blob, whose
// digest is the artifact's. No clock, host name, run id or attempt stands in it: those are in the run's record.
type Manifest struct {
	SchemaVersion int             `json:"schemaVersion"`        // 1
	MediaType     string          `json:"mediaType"`            // MediaTypeManifest
	Kind          Kind            `json:"kind"`                 // what it is
	Producer      Producer        `json:"producer"`             // which program made it
	Parameters    json.RawMessage `json:"parameters,omitempty"` // all that content depends on besides inputs
	Inputs        []Input         `json:"inputs"`               // sorted by role, then digest
	Outputs       []Output        `json:"outputs"`              // sorted by name
	Summary       json.RawMessage `json:"summary,omitempty"`    // small figures for people and for other stages
}

// Kind is the kind of an artifact.
type Kind string

// The kinds of artifacts.
const (
	KindGames        Kind = "games"        // a game list with its game files
	KindCatalogue    Kind = "catalogue"    // what a shop sells, and what people ask for there
	KindDataset      Kind = "dataset"      // records with hints
	KindModel        Kind = "model"        // a Hugging Face folder
	KindAdapter      Kind = "adapter"      // a PEFT folder
	KindCheckpoint   Kind = "checkpoint"   // a training run's whole state at a step
	KindTrajectories Kind = "trajectories" // episodes of one evaluation cell
	KindRollouts     Kind = "rollouts"     // free episodes of a panel, played by a policy with a library or without
	KindSkills       Kind = "skills"       // a skill library at a step
	KindBank         Kind = "bank"         // skills from outside that a library may begin with
	KindUpdate       Kind = "update"       // a policy after a step of reinforcement learning, by what it follows from
	KindPolicy       Kind = "policy"       // what reinforcement learning came to: its curve, and its models by name
	KindReport       Kind = "report"       // a table of evaluations
	KindRun          Kind = "run"          // a finished run: its spec and its stages
	KindRecord       Kind = "record"       // clocks, hosts and attempts of a stage; nothing is digested from it
)

// Producer is a program and its version.
type Producer struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Input is another artifact by its manifest.
type Input struct {
	Role   string `json:"role"`
	Digest Digest `json:"digest"`
}

// Output is one file of the artifact.
type Output struct {
	Name string `json:"name"` // file name, "/" between folders
	Descriptor
}

// MediaTypeManifest is the media type of a manifest.
const MediaTypeManifest = "application/vnd.hone.manifest.v1+json"
