package lineage

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/version"
)

// Where the schemas of OpenLineage 2-0-2 and its facets are, and where Hone is.
const (
	honeURL         = "https://github.com/hone-rl/hone"
	openLineageURL  = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/"
	facetsURL       = "https://openlineage.io/spec/facets/"
	openLineageJobs = "hone" // the namespace of jobs and datasets
)

// facet is what an OpenLineage event says beyond its core, by a schema of its own.
type facet map[string]any

func newFacet(schema string, fields facet) facet {
	fields["_producer"] = honeURL + "/tree/v" + version.Hone
	fields["_schemaURL"] = schema
	return fields
}

type olJob struct {
	Namespace string           `json:"namespace"`
	Name      string           `json:"name"`
	Facets    map[string]facet `json:"facets,omitempty"`
}

type olRun struct {
	ID     string           `json:"runId"`
	Facets map[string]facet `json:"facets,omitempty"`
}

type olDataset struct {
	Namespace    string           `json:"namespace"`
	Name         string           `json:"name"`
	Facets       map[string]facet `json:"facets,omitempty"`
	InputFacets  map[string]facet `json:"inputFacets,omitempty"`
	OutputFacets map[string]facet `json:"outputFacets,omitempty"`
}

type olEvent struct {
	Type     string      `json:"eventType"`
	Time     time.Time   `json:"eventTime"`
	Producer string      `json:"producer"`
	Schema   string      `json:"schemaURL"`
	Run      olRun       `json:"run"`
	Job      olJob       `json:"job"`
	Inputs   []olDataset `json:"inputs"`
	Outputs  []olDataset `json:"outputs"`
}

// OpenLineage is the graph as run events of OpenLineage, a line each: a COMPLETE for every artifact, behind those of all that it
// was made from. docs/lineage.md says what stands where.
func (g *Graph) OpenLineage(ctx context.Context, store artifacts.Store) ([]byte, error) {
	all, err := g.makings(ctx, store)
	if err != nil {
		return nil, err
	}
	var lines bytes.Buffer
	e := json.NewEncoder(&lines)
	e.SetEscapeHTML(false)
	for _, m := range all {
		if err := e.Encode(g.event(m)); err != nil {
			return nil, err
		}
	}
	return lines.Bytes(), nil
}

func (g *Graph) event(m making) olEvent {
	job := newFacet(facetsURL+"2-0-4/JobTypeJobFacet.json#/$defs/JobTypeJobFacet", facet{"processingType": "BATCH", "integration": "HONE", "jobType": "STAGE"})
	e := olEvent{
		Type: "COMPLETE", Time: m.at, Producer: honeURL + "/tree/v" + version.Hone, Schema: openLineageURL + "RunEvent",
		Run:    m.run(),
		Job:    olJob{openLineageJobs, m.job(), map[string]facet{"jobType": job}},
		Inputs: []olDataset{}, Outputs: []olDataset{m.output()},
	}
	places := map[artifacts.Digest]int{}
	for _, in := range m.Inputs {
		if i, is := places[in.Digest]; is {
			roles := e.Inputs[i].InputFacets["hone_role"]
			roles["roles"] = append(roles["roles"].([]string), in.Role)
			continue
		}
		places[in.Digest] = len(e.Inputs)
		e.Inputs = append(e.Inputs, g.input(in))
	}
	return e
}

// job is what made an artifact: RUN/STAGE, RUN for a whole run, and where neither is known its kind.
func (m making) job() string {
	switch {
	case m.record != nil:
		return m.record.Run + "/" + named(*m.record)
	case m.whole != nil:
		return m.whole.Run
	}
	return "kind/" + string(m.Kind)
}

func (m making) run() olRun {
	said := facet{"time": m.since, "kind": m.Kind}
	if len(m.parameters) > 0 {
		said["parameters"] = m.parameters
	}
	run := olRun{ID: uuid.NewSHA1(uuid.NameSpaceURL, []byte(honeURL+"/"+string(m.Digest))).String(), Facets: map[string]facet{
		"processing_engine": newFacet(facetsURL+"1-1-1/ProcessingEngineRunFacet.json#/$defs/ProcessingEngineRunFacet",
			facet{"name": m.Producer.Name, "version": m.Producer.Version}),
		"hone_run": newFacet(openLineageURL+"RunFacet", said),
	}}
	switch {
	case m.record != nil:
		run.ID = uuid.NewSHA1(uuid.NameSpaceURL, []byte(honeURL+"/"+m.name)).String()
		said["started"], said["record"], said["workflow"], said["reused"] = m.record.Started.UTC(), m.name, m.record.Workflow, m.record.Reused
		run.Facets["parent"] = newFacet(facetsURL+"1-2-0/ParentRunFacet.json#/$defs/ParentRunFacet", facet{
			"run": olRun{ID: wholeRun(m.record)}, "job": olJob{Namespace: openLineageJobs, Name: m.record.Run},
		})
	case m.whole != nil:
		run.ID = wholeRun(m.whole)
	}
	return run
}

// wholeRun is the id of a run's workflow, as a UUID.
func wholeRun(r *activities.Finished) string {
	if id, err := uuid.Parse(r.RunID); err == nil {
		return id.String()
	}
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(honeURL+"/"+activities.RecordPrefix(r.Run)+r.RunID)).String()
}

// dataset is an artifact by its kind and digest.
func dataset(kind artifacts.Kind, d artifacts.Digest) olDataset {
	name := string(kind)
	if name == "" {
		name = "artifact" // one that could not be read
	}
	version := newFacet(facetsURL+"1-0-1/DatasetVersionDatasetFacet.json#/$defs/DatasetVersionDatasetFacet", facet{"datasetVersion": d})
	return olDataset{Namespace: openLineageJobs, Name: name + "/" + d.Hex(), Facets: map[string]facet{"version": version}}
}

func (g *Graph) input(in artifacts.Input) olDataset {
	kind := g.kinds[in.Digest]
	if n := g.Nodes[in.Digest]; n != nil {
		kind = n.Kind
	}
	d := dataset(kind, in.Digest)
	d.InputFacets = map[string]facet{"hone_role": newFacet(openLineageURL+"InputDatasetFacet", facet{"roles": []string{in.Role}})}
	return d
}

func (m making) output() olDataset {
	d := dataset(m.Kind, m.Digest)
	files, size, form := m.Outputs, int64(0), "FILE"
	for _, f := range files {
		size += f.Size
	}
	if m.Kind == artifacts.KindModel || m.Kind == artifacts.KindAdapter {
		form = "MODEL"
	}
	said := facet{"files": files}
	if len(m.Summary) > 0 {
		said["summary"] = m.Summary
	}
	d.Facets["datasetType"] = newFacet(facetsURL+"1-0-1/DatasetTypeDatasetFacet.json#/$defs/DatasetTypeDatasetFacet", facet{"datasetType": form, "subType": m.Kind})
	d.Facets["hone_artifact"] = newFacet(openLineageURL+"DatasetFacet", said)
	d.OutputFacets = map[string]facet{"outputStatistics": newFacet(facetsURL+"1-0-2/OutputStatisticsOutputDatasetFacet.json#/$defs/OutputStatisticsOutputDatasetFacet",
		facet{"size": size, "fileCount": len(files)})}
	return d
}
