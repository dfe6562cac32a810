package games_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/hone-rl/hone/activities"
	"github.com/hone-rl/hone/artifacts"
	"github.com/hone-rl/hone/artifacts/mem"
	"github.com/hone-rl/hone/env"
	"github.com/hone-rl/hone/env/webshop/bazaar"
	"github.com/hone-rl/hone/games"
	"github.com/hone-rl/hone/internal/outside"
)

// made are the games of a shop in a new store.
func made(t *testing.T, in activities.ShopGames) (*mem.Store, *games.Games, artifacts.Digest, []activities.GameFile) {
	t.Helper()
	store := mem.New()
	opener := games.New(games.Config{Store: store})
	catalogue, seq, err := opener.Shop(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	var all []activities.GameFile
	for file, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, file)
	}
	return store, opener, catalogue, all
}

// TestShop: the first goals of each split, each a small file that names a catalogue which is stored once, and which
// another process opens as the same game.
func TestShop(t *testing.T) {
	store, _, catalogue, files := made(t, activities.ShopGames{Products: 60, Train: 200, Validation: 20, Test: 1000})
	counts := map[string]int{}
	purchases := map[string]string{}
	other := games.New(games.Config{Store: store})
	for _, f := range files {
		counts[f.Split]++
		if len(f.Data) > 200 || f.File != activities.GoalFileName {
			t.Fatalf("%s: %s of %d bytes, want %s of 200 at most", f.ID, f.File, len(f.Data), activities.GoalFileName)
		}
		game, err := other.Open(t.Context(), f.ID, f.Data)
		if err != nil {
			t.Fatal(err)
		}
		if game.ID() != f.ID || game.Family() != f.Family {
			t.Errorf("got %s of %s, want %s of %s", game.ID(), game.Family(), f.ID, f.Family)
		}
		purchase := strings.TrimPrefix(f.ID, "webshop/"+f.Split+"/")
		if split := purchases[purchase]; split != "" {
			t.Errorf("%s is in %s and in %s", purchase, split, f.Split)
		}
		purchases[purchase] = f.Split
	}
	if counts["train"] != 200 || counts["validation"] != 20 || counts["test"] != 52 { // a tenth of 522
		t.Errorf("got %v, want 200 to train on, 20 to validate, and all of the test's 52", counts)
	}
	blobs := 0
	if err := store.Blobs(t.Context(), func(artifacts.Digest, int64) error { blobs++; return nil }); err != nil {
		t.Fatal(err)
	}
	if blobs != 5 { // its four files and its manifest
		t.Errorf("%d blobs are stored of the catalogue, want 5", blobs)
	}
	if d, err := store.Resolve(t.Context(), activities.CatalogueName(catalogue)); err != nil || d != catalogue {
		t.Errorf("its name leads to %s, %v", d, err)
	}
	// The buyer of the first game wins it, and the file says what it always said.
	const file = `{"format":"hone webshop goal/1","catalogue":"sha256:`
	if !strings.HasPrefix(string(files[0].Data), file) || !strings.HasSuffix(string(files[0].Data), `","seed":233,"game":"`+files[0].ID+"\"}\n") {
		t.Errorf("got %s", files[0].Data)
	}
	game, err := other.Open(t.Context(), files[0].ID, files[0].Data)
	if err != nil {
		t.Fatal(err)
	}
	if won := bought(t, game); !won.Won || won.Score != 1 {
		t.Errorf("got %+v, want a win", won)
	}
}

// bought is how a game ends for the buyer.
func bought(t *testing.T, game env.Game) env.Observation {
	t.Helper()
	episode, err := game.Start(t.Context(), env.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := episode.(env.Expert).Plan(t.Context(), env.Search)
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range plan {
		if !episode.Now().Actions.Allow(command) {
			t.Errorf("%s: %q is not listed: %+v", game.ID(), command, episode.Now().Actions)
		}
		if _, err := episode.Step(t.Context(), command); err != nil {
			t.Fatal(err)
		}
	}
	return episode.Now()
}

// TestOtherCatalogues: seed and size make other catalogues, people's goals other games of the same.
func TestOtherCatalogues(t *testing.T) {
	_, _, first, synthetic := made(t, activities.ShopGames{Products: 60, Train: 5})
	for name, in := range map[string]activities.ShopGames{"seed": {Products: 60, Seed: 1, Train: 5}, "size": {Products: 61, Train: 5}} {
		if _, _, other, _ := made(t, in); other == first {
			t.Errorf("%s: the same catalogue", name)
		}
	}
	_, _, same, human := made(t, activities.ShopGames{Products: 60, Human: true, Train: 5})
	if same != first || human[0].ID == synthetic[0].ID || !strings.HasPrefix(human[0].ID, "webshop-human/train/") {
		t.Errorf("catalogue %s, game %s, want catalogue %s and a goal by people", same, human[0].ID, first)
	}
}

// TestGroups: verl-agent's tasks by name: of each group's own shop, training from the 500th goal of its order on,
// validation before. Its first reset of seed 0 draws the numbers that NumPy draws.
func TestGroups(t *testing.T) {
	_, opener, _, files := made(t, activities.ShopGames{Products: 300, Train: 40, Validation: 6, Groups: &activities.ShopGroups{Count: 4}})
	seeds, counts := map[string]bool{}, map[string]int{}
	for _, f := range files {
		list, number, ok := strings.Cut(f.ID, "/number/")
		if !ok || !strings.HasPrefix(list, "webshop-seed") {
			t.Fatalf("got %s, want a goal by its number in a shop of a seed", f.ID)
		}
		if front := len(number) < 3 || len(number) == 3 && number < "500"; front != (f.Split == "validation") {
			t.Errorf("%s is in %s", f.ID, f.Split)
		}
		seeds[list] = true
		counts[f.Split]++
		game, err := opener.Open(t.Context(), f.ID, f.Data)
		if err != nil || game.ID() != f.ID {
			t.Fatalf("%s: %v", f.ID, err)
		}
	}
	if counts["train"] != 40 || counts["validation"] != 6 || len(seeds) != 4+6 {
		t.Errorf("got %v in %d shops, want 40 and 6 in 10", counts, len(seeds))
	}
	want := []string{"webshop-seed0", "webshop-seed1", "webshop-seed2", "webshop-seed3"}
	for i, f := range files[:4] {
		if list, _, _ := strings.Cut(f.ID, "/"); list != want[i] {
			t.Errorf("task %d of the first reset is of %s, want %s", i, list, want[i])
		}
	}
}

// TestOpenWrong: what is wrong with a file is the game's fault; what is wrong with the store is not.
func TestOpenWrong(t *testing.T) {
	store, opener, _, files := made(t, activities.ShopGames{Products: 60, Train: 1})
	good := string(files[0].Data)
	swap := func(from, to string) string { return strings.Replace(good, from, to, 1) }
	for name, tt := range map[string]struct{ id, data, want string }{
		"another id":    {"webshop/train/X/0", good, "it is the goal webshop/train/"},
		"no such goal":  {"webshop/train/X/0", swap(files[0].ID, "webshop/train/X/0"), "there is no game"},
		"no such split": {"webshop/dev/X/0", swap(files[0].ID, "webshop/dev/X/0"), `split "dev"`},
		"other seed":    {files[0].ID, swap(`"seed":233`, `"seed":7`), "expected one of webshop-seed7"},
		"no digest":     {files[0].ID, swap("sha256:", "sha1:"), "catalogue: "},
		"field":         {files[0].ID, swap(`"seed"`, `"size":1,"seed"`), `"size"`},
		"spelling":      {files[0].ID, swap(`"seed":233`, `"seed": 233`), "expected it as it is written"},
		"cut off":       {files[0].ID, good[:len(good)-3], ""},
		"long":          {files[0].ID, swap(`"seed"`, strings.Repeat(" ", 5000)+`"seed"`), "expected at most 4096"},
		"no game":       {files[0].ID, "{}", ""},
	} {
		game, err := opener.Open(t.Context(), tt.id, []byte(tt.data))
		if err == nil || game != nil || errors.Is(err, activities.ErrUnread) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, %v, want a bad game and %q", name, game, err, tt.want)
		}
	}
	elsewhere := games.New(games.Config{Store: mem.New()})
	if _, err := elsewhere.Open(t.Context(), files[0].ID, files[0].Data); !errors.Is(err, activities.ErrUnread) || !errors.Is(err, artifacts.ErrNotFound) {
		t.Errorf("without its catalogue: got %v", err)
	}
	other, err := artifacts.PutManifest(t.Context(), store, artifacts.Manifest{
		SchemaVersion: 1, MediaType: artifacts.MediaTypeManifest, Kind: artifacts.KindBank, Producer: artifacts.Producer{Name: "hone", Version: "test"},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = opener.Shop(t.Context(), activities.ShopGames{Catalogue: other.Digest, Train: 1})
	if err == nil || !strings.Contains(err.Error(), "it is of kind bank, expected a catalogue") {
		t.Errorf("another kind: got %v", err)
	}
	if _, _, err := opener.Shop(t.Context(), activities.ShopGames{Products: -1, Train: 1}); err == nil {
		t.Error("a negative number of products was taken")
	}
}

// TestImport: WebShop's own 1,000 products, whose goals are those of the original.
func TestImport(t *testing.T) {
	dir := outside.Shared(t, "webshop-golden", "data")
	folder, found, err := games.FindCatalogue(dir)
	if err != nil || !found {
		t.Fatalf("%v, %v", found, err)
	}
	store := mem.New()
	res, err := games.ImportCatalogue(t.Context(), store, folder)
	if err != nil {
		t.Fatal(err)
	}
	want := games.Imported{Digest: res.Digest, Products: 1000, Asked: 415, ByPeople: 13, Human: true}
	if *res != want {
		t.Errorf("got %+v, want %+v", *res, want)
	}
	opener := games.New(games.Config{Store: store})
	_, seq, err := opener.Shop(t.Context(), activities.ShopGames{Catalogue: res.Digest, Train: 1_000_000, Validation: 1_000_000, Test: 1_000_000})
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for f, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		counts[f.Split]++
	}
	if counts["test"]+counts["validation"]+counts["train"] != 6910-9 { // 9 repeat another
		t.Errorf("got %v, want 6,901", counts)
	}
}

// TestNoGoals: a catalogue without goals of a kind is the spec's fault and no passing one.
func TestNoGoals(t *testing.T) {
	made, err := bazaar.Make(bazaar.Config{Products: 60})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, data := range map[string][]byte{
		"items_shuffle.json": made.Products, "items_ins_v2.json": made.Attributes, "items_human_ins.json": []byte(`{"B01": []}`), "title_nouns.json": made.Nouns,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	folder, _, err := games.FindCatalogue(dir)
	if err != nil {
		t.Fatal(err)
	}
	store := mem.New()
	res, err := games.ImportCatalogue(t.Context(), store, folder)
	if err != nil || res.Human || res.Asked != 48 || res.Passed.Unknown != 1 {
		t.Fatalf("%+v, %v, want no instructions by people", res, err)
	}
	opener := games.New(games.Config{Store: store})
	_, _, err = opener.Shop(t.Context(), activities.ShopGames{Catalogue: res.Digest, Human: true, Train: 1})
	if !errors.Is(err, env.ErrBadGame) || !strings.Contains(err.Error(), "no instruction of the kind asked for") {
		t.Errorf("goals by people: %v", err)
	}
	a := &activities.Activities{Store: store, Shop: opener.Shop, Now: time.Now}
	var suite testsuite.WorkflowTestSuite
	of := suite.NewTestActivityEnvironment()
	of.RegisterActivity(a.GenerateShop)
	_, err = of.ExecuteActivity(a.GenerateShop, activities.ShopInput{Games: activities.ShopGames{Catalogue: res.Digest, Human: true, Train: 1}})
	var final *temporal.ApplicationError
	if !errors.As(err, &final) || !final.NonRetryable() {
		t.Errorf("%v, want an error that is not tried again", err)
	}
}

func TestFindCatalogue(t *testing.T) {
	for name, tt := range map[string]struct {
		files []string
		found bool
		want  string
	}{
		"none":          {nil, false, ""},
		"another's":     {[]string{"game.tw-pddl"}, false, ""},
		"whole":         {[]string{"items_shuffle.json", "items_ins_v2.json", "title_nouns.json"}, true, ""},
		"no nouns":      {[]string{"items_shuffle.json", "items_ins_v2.json"}, true, "expected title_nouns.json beside items_shuffle.json"},
		"no attributes": {[]string{"items_shuffle_1000.json", "title_nouns.json"}, true, "expected items_ins_v2.json beside items_shuffle_1000.json"},
		"two":           {[]string{"items_shuffle.json", "items_shuffle_1000.json", "items_ins_v2.json"}, true, "expected one catalogue in a folder"},
	} {
		dir := filepath.Join(t.TempDir(), "a[b")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, file := range tt.files {
			if err := os.WriteFile(filepath.Join(dir, file), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		f, found, err := games.FindCatalogue(dir)
		if found != tt.found || (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %+v, %v, %v, want %v, %q", name, f, found, err, tt.found, tt.want)
		}
	}
}

// TestOneOpening: many who open games at once read the catalogue once.
func TestOneOpening(t *testing.T) {
	store, _, _, files := made(t, activities.ShopGames{Products: 60, Train: 64})
	counting := &counter{Store: store}
	opener := games.New(games.Config{Store: counting})
	done := make(chan error)
	for _, f := range files {
		go func() {
			_, err := opener.Open(t.Context(), f.ID, f.Data)
			done <- err
		}()
	}
	for range files {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if n := counting.blobs.Load(); n != 5 {
		t.Errorf("%d blobs were read, want 5: the catalogue's manifest and files", n)
	}
}

// TestOnDisk: a large catalogue is written to the folder once, is read from there, and is the same shop. A folder that is
// damaged is written anew.
func TestOnDisk(t *testing.T) {
	store, _, catalogue, files := made(t, activities.ShopGames{Products: 60, Train: 3})
	dir := t.TempDir()
	sold := filepath.Join(dir, catalogue.Hex(), "products")
	play := func() (blobs int64) {
		t.Helper()
		counting := &counter{Store: store}
		opener := games.New(games.Config{Store: counting, Folder: dir, InMemory: 1})
		for _, f := range files {
			game, err := opener.Open(t.Context(), f.ID, f.Data)
			if err != nil {
				t.Fatal(err)
			}
			if won := bought(t, game); !won.Won || game.Family() != f.Family {
				t.Errorf("%s of %s: got %+v, want a win of %s", f.ID, game.Family(), won, f.Family)
			}
		}
		return counting.blobs.Load()
	}
	if n := play(); n != 5 {
		t.Errorf("%d blobs were read at first, want 5", n)
	}
	before, err := os.ReadFile(sold)
	if err != nil {
		t.Fatal(err)
	}
	if n := play(); n != 2 { // the manifest, and the nouns
		t.Errorf("%d blobs were read with the folder there, want 2", n)
	}
	if err := os.WriteFile(sold, before[:len(before)-1], 0o644); err != nil {
		t.Fatal(err)
	}
	if n := play(); n != 5 {
		t.Errorf("%d blobs were read with the folder damaged, want 5", n)
	}
	if after, err := os.ReadFile(sold); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the folder is not what it was: %v", err)
	}
}

// counter counts the blobs that are opened.
type counter struct {
	*mem.Store
	blobs atomic.Int64
}

func (c *counter) Open(ctx context.Context, d artifacts.Digest) (io.ReadCloser, error) {
	c.blobs.Add(1)
	return c.Store.Open(ctx, d)
}

func FuzzGoal(f *testing.F) {
	f.Add([]byte(`{"format":"hone webshop goal/1","catalogue":"sha256:` + strings.Repeat("0", 64) + `","seed":233,"game":"webshop/train/A/0"}` + "\n"))
	f.Add([]byte(`{"format":"hone webshop goal/1","catalogue":"","seed":-1,"human":true,"game":""}` + "\n"))
	f.Add([]byte("{}"))
	opener := games.New(games.Config{Store: mem.New()})
	f.Fuzz(func(t *testing.T, data []byte) {
		game, err := opener.Open(t.Context(), "webshop/train/A/0", data)
		if strings.HasPrefix(string(data), `{"format":"hone webshop goal/1"`) && (err == nil || game != nil) {
			t.Errorf("%q was opened in an empty store", data)
		}
	})
}
