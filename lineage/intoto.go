package lineage

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"time"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
)

// The types of in-toto Statements and of SLSA's provenance, version 1 each, and what Hone's builds are called.
const (
	statementType  = "https://in-toto.io/Statement/v1"
	provenanceType = "https://slsa.dev/provenance/v1"
	buildType      = honeURL + "/blob/main/docs/lineage.md#in-toto-and-slsa"

	// ManifestSubject is the subject that is the manifest itself. No file of an artifact can be called so.
	ManifestSubject = "./manifest.json"
)

type statement struct {
	Type          string     `json:"_type"`
	Subject       []resource `json:"subject"`
	PredicateType string     `json:"predicateType"`
	Predicate     provenance `json:"predicate"`
}

// resource is in-toto's ResourceDescriptor.
type resource struct {
	Name      string            `json:"name,omitempty"`
	URI       string            `json:"uri,omitempty"`
	Digest    map[string]string `json:"digest,omitempty"`
	MediaType string            `json:"mediaType,omitempty"`
}

type provenance struct {
	BuildDefinition struct {
		BuildType            string         `json:"buildType"`
		ExternalParameters   externalParams `json:"externalParameters"`
		ResolvedDependencies []resource     `json:"resolvedDependencies"`
	} `json:"buildDefinition"`
	RunDetails struct {
		Builder  builder        `json:"builder"`
		Metadata *buildMetadata `json:"metadata,omitempty"`
	} `json:"runDetails"`
}

type externalParams struct {
	Kind       artifacts.Kind  `json:"kind"`
	Parameters json.RawMessage `json:"parameters,omitempty"`
}

type builder struct {
	ID      string            `json:"id"`
	Version map[string]string `json:"version"`
}

type buildMetadata struct {
	InvocationID string    `json:"invocationId"`
	StartedOn    time.Time `json:"startedOn"`
	FinishedOn   time.Time `json:"finishedOn"`
}

// Statements is the graph as in-toto Statements with SLSA provenance, a line for every artifact, behind those of all that
// it was made from. docs/lineage.md says what stands where.
func (g *Graph) Statements(ctx context.Context, store artifacts.Store) ([]byte, error) {
	all, err := g.makings(ctx, store)
	if err != nil {
		return nil, err
	}
	var lines bytes.Buffer
	e := json.NewEncoder(&lines)
	e.SetEscapeHTML(false)
	for _, m := range all {
		if err := e.Encode(m.statement()); err != nil {
			return nil, err
		}
	}
	return lines.Bytes(), nil
}

func (m making) statement() statement {
	s := statement{Type: statementType, PredicateType: provenanceType}
	s.Subject = append(s.Subject, blobOf(ManifestSubject, m.Digest, artifacts.MediaTypeManifest))
	for _, out := range m.Outputs {
		s.Subject = append(s.Subject, blobOf(out.Name, out.Digest, out.MediaType))
	}
	build := &s.Predicate.BuildDefinition
	build.BuildType = buildType
	build.ExternalParameters = externalParams{m.Kind, m.parameters}
	build.ResolvedDependencies = []resource{}
	for _, in := range m.Inputs {
		build.ResolvedDependencies = append(build.ResolvedDependencies, blobOf(in.Role, in.Digest, artifacts.MediaTypeManifest))
	}
	for _, source := range m.Sources {
		if source.Kind == activities.SourcePull {
			build.ResolvedDependencies = append(build.ResolvedDependencies, pulled(source))
		}
	}
	run := &s.Predicate.RunDetails
	run.Builder = builder{honeURL, map[string]string{m.Producer.Name: m.Producer.Version}}
	if m.record != nil {
		run.Metadata = &buildMetadata{m.name, m.record.Started.UTC(), m.record.Ended.UTC()}
	}
	return s
}

func blobOf(name string, d artifacts.Digest, mediaType string) resource {
	return resource{Name: name, Digest: map[string]string{"sha256": d.Hex()}, MediaType: mediaType}
}

var gitCommit = regexp.MustCompile(`^[0-9a-f]{40}$`)

// pulled is a hub's repository at a commit.
func pulled(s activities.Source) resource {
	r := resource{Name: "source", URI: s.Endpoint + "/" + s.Repository + "@" + s.Commit}
	if gitCommit.MatchString(s.Commit) {
		r.Digest = map[string]string{"gitCommit": s.Commit}
	}
	return r
}
