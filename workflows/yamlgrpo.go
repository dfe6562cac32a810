package workflows

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/hone-rl/hone/agent/ask"
	"github.com/hone-rl/hone/agent/credit"
)

// begin fills in what a spec's method and cold start begin with, since the rest of the text takes the place of it. What
// is wrong in the text is told of when it is read as a whole.
func (s *Spec) begin(text []byte) {
	var peek struct {
		Games     map[string]any `yaml:"games"`
		ColdStart map[string]any `yaml:"cold_start"`
		GRPO      map[string]any `yaml:"grpo"`
		Distilled map[string]any `yaml:"distilled"`
	}
	_ = yaml.UnmarshalWithOptions(text, &peek, yaml.AllowDuplicateMapKey())
	if peek.ColdStart != nil {
		s.ColdStart = &ColdStartSpec{SFTSpec: defaultSFT(), Skilled: 0.5}
	}
	if peek.Distilled != nil {
		d := DefaultDistilled()
		s.Distilled = &d
	}
	if peek.GRPO != nil {
		method, _ := peek.GRPO["method"].(string)
		ablation, _ := peek.GRPO["ablation"].(string)
		world, _ := peek.GRPO["world"].(string)
		if peek.Games["shop"] != nil {
			world = string(ask.Shop)
		}
		g := DefaultGRPO(method, ablation, ask.World(world))
		s.GRPO = &g
	}
}

// zeros complains of a zero that is given where it would stand for the default.
func (d *document) zeros(g *GRPOSpec) (wrong []error) {
	given := map[string]bool{}
	if l := g.Library; l != nil {
		given["library.capacity"], given["library.rate"], given["library.merge_above"] = l.Capacity == 0, l.Rate == 0, l.MergeAbove == 0
	}
	given["retrieval.top_k"] = g.Retrieval != nil && g.Retrieval.TopK == 0
	given["validation_retrieval.top_k"] = g.ValidationRetrieval != nil && g.ValidationRetrieval.TopK == 0
	for _, field := range slices.Sorted(maps.Keys(given)) {
		if given[field] && d.lines["grpo."+field] != 0 {
			wrong = append(wrong, fmt.Errorf("grpo.%s 0: expected above 0, or left out", field))
		}
	}
	return wrong
}

// credited puts the method's parts of the objective beside those that the text names: a part of a known name is the
// method's, but for the fields that are given; another name is a part of its own. So it is with rewards of one's own.
func (d *document) credited(g *GRPOSpec) {
	method := DefaultGRPO(g.Method, g.Ablation, g.World).Learn.Credit
	const field = "grpo.learn.credit"
	if d.lines[field+".own"] != 0 {
		given := g.Learn.Credit.Own
		g.Learn.Credit.Own = maps.Clone(method.Own)
		if g.Learn.Credit.Own == nil {
			g.Learn.Credit.Own = map[credit.Phase]float64{}
		}
		maps.Copy(g.Learn.Credit.Own, given)
	}
	if d.lines[field+".parts"] == 0 {
		return
	}
	given := g.Learn.Credit.Parts
	g.Learn.Credit.Parts = method.Parts
	for i, part := range given {
		at := slices.IndexFunc(method.Parts, func(p credit.Part) bool { return p.Name == part.Name })
		if at < 0 {
			g.Learn.Credit.Parts = append(g.Learn.Credit.Parts, part)
			continue
		}
		from, to := reflect.ValueOf(part), reflect.ValueOf(&g.Learn.Credit.Parts[at]).Elem()
		for f := range from.NumField() {
			name, _, _ := strings.Cut(from.Type().Field(f).Tag.Get("yaml"), ",")
			if d.lines[field+".parts["+strconv.Itoa(i)+"]."+name] != 0 {
				to.Field(f).Set(from.Field(f))
			}
		}
	}
}
