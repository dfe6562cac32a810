package activities

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/internal/inorder"
)

// GameListFile is the output of a games artifact that lists its games; each game's file is an output of its own.
const GameListFile = "games.jsonl"

// GameFileName is the file of each game, as ALFWorld names it; GoalFileName that of a goal of a shop.
const (
	GameFileName = "game.tw-pddl"
	GoalFileName = "goal.json"
)

// storedAtOnce is how many games are on their way to the store at the same time. A store answers after milliseconds,
// of which a core works for a fraction.
const storedAtOnce = 8

const (
	mediaGame  = "application/vnd.alfworld.game+json"
	mediaGoal  = "application/vnd.hone.webshop.goal+json"
	mediaJSON  = "application/json"
	mediaJSONL = "application/jsonl"
)

// ListedGame is a line of a game list.
type ListedGame struct {
	ID     string           `json:"id"`
	Split  string           `json:"split"`
	Family string           `json:"family"`
	Digest artifacts.Digest `json:"digest"` // of the game file
	Size   int64            `json:"size"`   // bytes
	File   string           `json:"file,omitempty"`
}

// FileName is the name of the game's file: "" in lists is GameFileName.
func (g ListedGame) FileName() string { return cmp.Or(g.File, GameFileName) }

// media is the type of a game's file.
func media(file string) string {
	if file == GoalFileName {
		return mediaGoal
	}
	return mediaGame
}

// StoreGames stores each game's file and the list of all, sorted by id, as the manifest of a games artifact.
// The caller publishes it. Two games of one id are refused.
func StoreGames(ctx context.Context, store artifacts.Store, games iter.Seq2[GameFile, error], tick func(string)) (*artifacts.Manifest, error) {
	return ExtendGames(ctx, store, nil, games, tick)
}

// ExtendGames is StoreGames of a list with the games of another, whose files are stored.
func ExtendGames(ctx context.Context, store artifacts.Store, list []ListedGame, games iter.Seq2[GameFile, error], tick func(string)) (*artifacts.Manifest, error) {
	type stored struct {
		game ListedGame
		err  error
	}
	list = slices.Clone(list)
	for s, err := range inorder.Map(storedAtOnce, games, func(game GameFile) stored {
		d, err := artifacts.PutBytes(ctx, store, media(game.File), game.Data)
		if err != nil {
			return stored{err: fmt.Errorf("store game %s: %w", game.ID, err)}
		}
		return stored{game: ListedGame{ID: game.ID, Split: game.Split, Family: game.Family, Digest: d.Digest, Size: d.Size, File: game.File}}
	}) {
		if err = cmp.Or(err, s.err); err != nil {
			return nil, err
		}
		list = append(list, s.game)
		tick(s.game.ID)
	}
	return gamesManifest(ctx, store, list)
}

func gamesManifest(ctx context.Context, store artifacts.Store, list []ListedGame) (*artifacts.Manifest, error) {
	slices.SortFunc(list, func(a, b ListedGame) int { return strings.Compare(a.ID, b.ID) })
	var lines bytes.Buffer
	encode := json.NewEncoder(&lines)
	m := &artifacts.Manifest{Kind: artifacts.KindGames}
	counts := map[string]map[string]int{}
	for i, game := range list {
		if i > 0 && list[i-1].ID == game.ID {
			return nil, wrong{fmt.Errorf("game list: %s stands in it twice", game.ID), ErrTypeBadInput}
		}
		if err := encode.Encode(game); err != nil {
			return nil, err
		}
		m.Outputs = append(m.Outputs, artifacts.Output{
			Name:       game.ID + "/" + game.FileName(),
			Descriptor: artifacts.Descriptor{MediaType: media(game.File), Digest: game.Digest, Size: game.Size},
		})
		if counts[game.Split] == nil {
			counts[game.Split] = map[string]int{}
		}
		counts[game.Split][game.Family]++
	}
	d, err := artifacts.PutBytes(ctx, store, mediaJSONL, lines.Bytes())
	if err != nil {
		return nil, fmt.Errorf("store game list: %w", err)
	}
	m.Outputs = append(m.Outputs, artifacts.Output{Name: GameListFile, Descriptor: d})
	m.Summary, err = json.Marshal(map[string]any{"games": len(list), "splits": counts}) // maps are sorted by encoding/json
	return m, err
}

// ReadGameList reads the list of the games artifact d.
func ReadGameList(ctx context.Context, store artifacts.Store, d artifacts.Digest) ([]ListedGame, error) {
	m, err := artifacts.GetManifest(ctx, store, d)
	if err != nil {
		return nil, fmt.Errorf("read games %s: %w", d.Short(), err)
	}
	i := slices.IndexFunc(m.Outputs, func(o artifacts.Output) bool { return o.Name == GameListFile })
	if m.Kind != artifacts.KindGames || i < 0 {
		return nil, wrong{fmt.Errorf("artifact %s is a %s, expected games with %s", d.Short(), m.Kind, GameListFile), ErrTypeBadInput}
	}
	raw, err := artifacts.ReadAll(ctx, store, m.Outputs[i].Digest, m.Outputs[i].Size)
	if err != nil {
		return nil, fmt.Errorf("read game list of %s: %w", d.Short(), err)
	}
	var list []ListedGame
	lines := bufio.NewScanner(bytes.NewReader(raw))
	for n := 1; lines.Scan(); n++ {
		var game ListedGame
		if err := json.Unmarshal(lines.Bytes(), &game); err != nil {
			return nil, wrong{fmt.Errorf("game list of %s, line %d: %w", d.Short(), n, err), ErrTypeBadInput}
		}
		list = append(list, game)
	}
	return list, lines.Err()
}

// HouseholdInput asks for the embedded games.
type HouseholdInput struct {
	Key   artifacts.Digest `json:"key"`
	Games HouseholdGames   `json:"games"`
}

// GamesResult is a games artifact and how many games it lists.
type GamesResult struct {
	Digest artifacts.Digest `json:"digest"`
	Games  int              `json:"games"`
	Work   Work             `json:"work"`
}

// GenerateHousehold makes the embedded games and stores them as one list.
func (a *Activities) GenerateHousehold(ctx context.Context, in HouseholdInput) (*GamesResult, error) {
	beat := a.beat(ctx)
	defer beat.stop()
	n := 0
	m, err := StoreGames(ctx, a.Store, a.Household(in.Games), func(string) { n++; beat.at(n, "games") })
	if err != nil {
		return nil, classify(err)
	}
	return a.publishMade(ctx, in.Key, m, in.Games, n, beat)
}

// publishMade publishes the list of n games that were made as params say.
func (a *Activities) publishMade(ctx context.Context, key artifacts.Digest, m *artifacts.Manifest, params any, n int, beat *beater) (*GamesResult, error) {
	var err error
	if m.Parameters, err = json.Marshal(params); err != nil {
		return nil, err
	}
	d, err := a.publish(ctx, key, *m)
	if err != nil {
		return nil, err
	}
	return &GamesResult{Digest: d, Games: n, Work: beat.work()}, nil
}

// PanelInput asks for the part of a game list that an evaluation plays.
type PanelInput struct {
	Key   artifacts.Digest `json:"key"`
	Games artifacts.Digest `json:"games"`
	Panel Panel            `json:"panel"`
}

// Panel chooses games. Which ones is a function of the list, the panel and its seed.
type Panel struct {
	Name      string   `json:"name" yaml:"name"`
	Splits    []string `json:"splits" yaml:"splits"`                   // of these splits
	Families  []string `json:"families,omitempty" yaml:"families"`     // of these families; none: all
	PerFamily int      `json:"per_family,omitempty" yaml:"per_family"` // at most so many of each family, drawn by seed; 0: all
	Games     int      `json:"games,omitempty" yaml:"games"`           // at most so many in all, drawn by seed; 0: all
	Seed      uint64   `json:"seed,omitempty" yaml:"seed"`
}

// SelectPanel freezes a panel as a games artifact of its own, before anything is trained.
func (a *Activities) SelectPanel(ctx context.Context, in PanelInput) (*GamesResult, error) {
	beat := a.beat(ctx)
	defer beat.stop()
	all, err := ReadGameList(ctx, a.Store, in.Games)
	if err != nil {
		return nil, classify(err)
	}
	list := in.Panel.choose(all)
	if len(list) == 0 {
		return nil, final(ErrTypeBadInput, fmt.Errorf("panel %s: no game of splits %v and families %v in list %s",
			in.Panel.Name, in.Panel.Splits, in.Panel.Families, in.Games.Short()))
	}
	m, err := gamesManifest(ctx, a.Store, list)
	if err != nil {
		return nil, classify(err)
	}
	m.Inputs = []artifacts.Input{{Role: "games", Digest: in.Games}}
	if m.Parameters, err = json.Marshal(in.Panel); err != nil {
		return nil, err
	}
	d, err := a.publish(ctx, in.Key, *m)
	if err != nil {
		return nil, err
	}
	return &GamesResult{Digest: d, Games: len(list), Work: beat.work()}, nil
}

func (p Panel) choose(all []ListedGame) []ListedGame {
	var chosen []ListedGame
	for _, game := range all {
		if slices.Contains(p.Splits, game.Split) && (len(p.Families) == 0 || slices.Contains(p.Families, game.Family)) {
			chosen = append(chosen, game)
		}
	}
	if p.PerFamily == 0 && p.Games == 0 {
		return chosen
	}
	chosen = draw(chosen, len(chosen), p.Seed, func(g ListedGame) string { return g.ID })
	if p.PerFamily > 0 {
		taken := map[string]int{}
		chosen = slices.DeleteFunc(chosen, func(g ListedGame) bool {
			taken[g.Family]++
			return taken[g.Family] > p.PerFamily
		})
	}
	if p.Games > 0 {
		chosen = chosen[:min(p.Games, len(chosen))]
	}
	return chosen
}
