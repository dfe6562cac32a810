package durability_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/hone-rl/hone/devserver/stackfile"
)

const chaosSpec = "testdata/chaos.yaml"

// TestChaos runs the whole pipeline, from hints to the evaluation of what GRPO has trained, while faults of all kinds come
// at random, without warning and wherever it is: HONE_CHAOS of them, which HONE_SEED draws. What the
// run has made is what an undisturbed one makes, to the last name in the store.
func TestChaos(t *testing.T) {
	t.Parallel()
	text := os.Getenv("HONE_CHAOS")
	if text == "" {
		t.Skip("takes minutes: HONE_CHAOS=100 has so many faults, as make chaos does")
	}
	faults, err := strconv.Atoi(text)
	if err != nil || faults < 1 {
		t.Fatalf("HONE_CHAOS: expected a number of faults, got %q", text)
	}
	begun := time.Now()
	quiet := newArena(t)
	want := quiet.through(t, func() {})
	t.Logf("undisturbed it took %.0f s", time.Since(begun).Seconds())
	t.Run("faults", func(t *testing.T) {
		t.Parallel()
		amidFaults(t, faults, want)
	})
	t.Run("again", func(t *testing.T) {
		t.Parallel()
		quiet.again(t, want)
	})
}

// again fails where a stage of the run that is done anew comes to another digest.
func (a *arena) again(t *testing.T, want outcome) {
	t.Helper()
	out := a.mustHone("reproduce", want.run)
	for _, s := range want.result.Stages {
		line := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(s.Name) + ` +same +` + s.Digest.Short() + `$`)
		if !line.MatchString(out) {
			t.Errorf("stage %s, %s, is not said to be the same", s.Name, s.Digest.Short())
		}
	}
	n := len(want.result.Stages)
	if !strings.Contains(out, fmt.Sprintf("%d stages done anew, %d of them with the digest that it had", n, n)) {
		t.Errorf("not all %d stages are the same:\n%s", n, out)
	}
	a.close(t)
}

func amidFaults(t *testing.T, faults int, want outcome) {
	begun := time.Now()
	a := newArena(t)
	dice := rand.New(rand.NewPCG(seed(t), 2))
	var deck []chaos
	done := map[string]int{}
	var log []string
	next := time.Now()
	got := a.through(t, func() {
		if len(log) == faults || time.Now().Before(next) {
			return
		}
		if len(deck) == 0 {
			deck = a.kinds()
			dice.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
		}
		kind := deck[0]
		deck = deck[1:]
		at := time.Since(begun)
		what, end := kind.begin(dice)
		time.Sleep(time.Duration(kind.least+dice.IntN(kind.most-kind.least+1)) * time.Millisecond)
		end()
		done[kind.name]++
		log = append(log, fmt.Sprintf("%6.1f s  %s  %s", at.Seconds(), kind.name, what))
		next = time.Now().Add(time.Duration(dice.IntN(4000)) * time.Millisecond)
	})
	t.Logf("seed %d: %d faults in %.0f s\n%s", seed(t), len(log), time.Since(begun).Seconds(), strings.Join(log, "\n"))
	if len(log) < faults {
		t.Errorf("the run had ended after %d faults, expected %d: make the spec longer", len(log), faults)
	}
	compare(t, got, want)
	a.tell(t, done, got, want)
	a.orphans(t)
	a.close(t)
}

// chaos is a kind of fault.
type chaos struct {
	name        string
	least, most int // how long it stays, milliseconds
	// begin makes it happen and says to what; end takes back what does not end by itself.
	begin func(*rand.Rand) (what string, end func())
}

// arena is a local stack whose workers reach it through wires that can be cut and spoilt.
type arena struct {
	*place
	temporal *wire
	s3       *wire
	front    *s3Front
	workers  []*minion // the last two have the device's queue
	mounted  bool      // whether the objects lie on a disk of their own, which can be filled
}

func newArena(t *testing.T) *arena {
	t.Helper()
	a := &arena{}
	a.place = newPlaceOn(t, nil, func(dir stackfile.Dir) { a.mounted = smallDisk(t, dir.Objects(), "256m") }, "--no-worker")
	local, err := a.dir.Read()
	if err != nil {
		t.Fatal(err)
	}
	keys, err := a.dir.ReadCredentials()
	if err != nil {
		t.Fatal(err)
	}
	a.temporal = newWire(t, local.Temporal.Address)
	front, address := newS3Front(t, local.S3.Endpoint)
	a.front, a.s3 = front, newWire(t, address)
	env := []string{
		"HONE_FAULTS=" + a.faults, "TEMPORAL_ADDRESS=" + a.temporal.address(), "TEMPORAL_NAMESPACE=" + local.Temporal.Namespace,
		"AWS_ENDPOINT_URL=http://" + a.s3.address(), "AWS_REGION=" + local.S3.Region, "HONE_BUCKET=" + local.S3.Bucket,
		"AWS_ACCESS_KEY_ID=" + keys.AccessKeyID, "AWS_SECRET_ACCESS_KEY=" + keys.SecretAccessKey,
	}
	for _, name := range []string{"cpu-1", "cpu-2", "gpu-1", "gpu-2"} {
		a.workers = append(a.workers, a.newMinion(t, name, env, "--queues", name[:3], "--threads", "1"))
	}
	return a
}

// through runs the spec to its end and returns what it has made; now is called again and again until then.
func (a *arena) through(t *testing.T, now func()) outcome {
	t.Helper()
	out := a.mustHone("run", "--detach", chaosSpec, "--heartbeat", heartbeat.String())
	run := strings.TrimPrefix(strings.TrimSpace(out), "run ")
	c := a.client()
	a.await("the run's end", func() bool {
		now()
		return a.over(c, run)
	})
	return a.outcome(c, run)
}

func (a *arena) close(t *testing.T) {
	t.Helper()
	for _, m := range a.workers {
		m.close()
	}
	a.mustHone("down")
}

// kinds are all kinds of faults. One that stays for longer than the heartbeat has its work given to another worker, and goes on
// with it beside that.
func (a *arena) kinds() []chaos {
	long := int(heartbeat/time.Millisecond) + 1000
	any := func(dice *rand.Rand) *minion { return a.workers[dice.IntN(len(a.workers))] }
	spoil := func(mode int32) func(*rand.Rand) (string, func()) {
		return func(*rand.Rand) (string, func()) {
			a.front.mode.Store(mode)
			return "", func() { a.front.mode.Store(frontPlain) }
		}
	}
	cut := func(w *wire) func(*rand.Rand) (string, func()) {
		return func(*rand.Rand) (string, func()) {
			w.cut()
			return "", w.mend
		}
	}
	kill := func(from int) func(*rand.Rand) (string, func()) {
		return func(dice *rand.Rand) (string, func()) {
			m := a.workers[from+dice.IntN(2)]
			m.signal(syscall.SIGKILL)
			return m.name, func() {}
		}
	}
	return []chaos{
		{"CPU worker killed", 0, 1000, kill(0)},
		{"GPU worker killed", 0, 1000, kill(2)},
		{"Temporal and S3 killed", 0, 2000, func(*rand.Rand) (string, func()) { return a.killStack() }},
		{"Temporal cut off", 500, 4000, cut(a.temporal)},
		{"S3 cut off", 500, 4000, cut(a.s3)},
		{"S3 answers errors", 1000, 4000, spoil(frontErrors)},
		{"S3 slow", 1000, 4000, spoil(frontSlow)},
		{"S3 answers torn", 500, 3000, spoil(frontTornReplies)},
		{"uploads torn", 500, 3000, spoil(frontTornPuts)},
		{"disk full", 1000, 4000, func(*rand.Rand) (string, func()) { return a.fill() }},
		{"worker suspended", long, long + 2000, func(dice *rand.Rand) (string, func()) {
			m := any(dice)
			pid := m.signal(syscall.SIGSTOP)
			return m.name, func() {
				if pid != 0 {
					_ = syscall.Kill(pid, syscall.SIGCONT)
				}
			}
		}},
		{"Temporal and S3 suspended", 500, long, func(*rand.Rand) (string, func()) {
			pid, _ := a.dir.Holder()
			if pid != 0 {
				_ = syscall.Kill(pid, syscall.SIGSTOP)
			}
			return "", func() {
				if pid != 0 {
					_ = syscall.Kill(pid, syscall.SIGCONT)
				}
			}
		}},
		{"heartbeats kept back", long, long + 2000, func(dice *rand.Rand) (string, func()) {
			m := any(dice)
			file := filepath.Join(a.faults, fmt.Sprint("mute-", m.signal(0)))
			if err := os.WriteFile(file, nil, 0o644); err != nil {
				a.t.Error(err)
			}
			return m.name, func() { _ = os.Remove(file) }
		}},
	}
}

// killStack kills the stack; the end begins it again.
func (a *arena) killStack() (string, func()) {
	pid, err := a.dir.Holder()
	if err != nil || pid == 0 {
		a.t.Fatalf("the stack's process: %d, %v", pid, err)
	}
	_ = syscall.Kill(-pid, syscall.SIGKILL)
	return "", func() {
		a.await("the stack's end", a.down)
		a.up()
	}
}

// fill fills the objects' disk, or has S3 answer as if.
func (a *arena) fill() (string, func()) {
	if !a.mounted {
		a.front.mode.Store(frontFull)
		return "as answered by S3", func() { a.front.mode.Store(frontPlain) }
	}
	filler := filepath.Join(a.dir.Objects(), ".filler")
	f, err := os.Create(filler)
	if err != nil {
		a.t.Fatal(err)
	}
	for _, size := range []int{1 << 20, 4 << 10} {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, size))
		}
	}
	_ = f.Close() // there is no room left to flush to
	return "a small file system", func() {
		if err := os.Remove(filler); err != nil {
			a.t.Error(err)
		}
	}
}

// orphans fails where something lies on the disk that hone gc neither keeps nor reports: after it has removed what no name
// leads to, as many blobs are there as it says stay.
func (a *arena) orphans(t *testing.T) {
	t.Helper()
	type share struct{ Count int }
	var plan struct {
		Blobs int
		Bytes int64
		Stays []share
		Young share
	}
	gc := func(args ...string) {
		out := a.mustHone(append([]string{"gc", "--json", "--grace", "1s"}, args...)...)
		_, object, _ := strings.Cut(out, "{") // behind what it tells on the way
		if err := json.NewDecoder(strings.NewReader("{" + object)).Decode(&plan); err != nil {
			t.Fatalf("hone gc: %v\n%s", err, out)
		}
	}
	time.Sleep(1100 * time.Millisecond) // what was stored last has its grace
	gc("--remove")
	t.Logf("hone gc removed %d blobs of %d bytes that no name led to", plan.Blobs, plan.Bytes)
	gc()
	if plan.Blobs != 0 || plan.Young.Count != 0 {
		t.Errorf("hone gc finds %d blobs more, and %d it calls young", plan.Blobs, plan.Young.Count)
	}
	stay := 0
	for _, s := range plan.Stays {
		stay += s.Count
	}
	if n := a.blobs(t); n != stay {
		t.Errorf("%d blobs are on the disk, hone gc knows of %d", n, stay)
	}
}

// blobs counts what lies on the objects' disk beside names.
func (a *arena) blobs(t *testing.T) int {
	t.Helper()
	n := 0
	err := filepath.WalkDir(a.dir.Objects(), func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && strings.Contains(path, "/blobs/") {
			n++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// tell prints the faults by kind, and the work that was done again for them; it fails if there was none.
func (a *arena) tell(t *testing.T, done map[string]int, got, want outcome) {
	t.Helper()
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "fault\ttimes")
	names := make([]string, 0, len(done))
	for name := range done {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(w, "%s\t%d\n", name, done[name])
	}
	fmt.Fprintln(w, "\nactivity\tundisturbed\tattempts with faults")
	calm, stormy := begins(want.points), begins(got.points)
	kinds := make([]string, 0, len(stormy))
	for kind := range stormy {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	again := 0
	for _, kind := range kinds {
		fmt.Fprintf(w, "%s\t%d\t%d\n", kind, calm[kind], stormy[kind])
		again += stormy[kind] - calm[kind]
	}
	if err := w.Flush(); err != nil {
		t.Error(err)
	}
	for _, stage := range got.result.Stages {
		for _, note := range stage.Redone {
			fmt.Fprintf(&b, "%s: %s\n", stage.Name, note)
		}
	}
	t.Logf("\n%s", b.String())
	if again <= 0 && len(done) > 0 {
		t.Error("nothing was done again: the faults met nothing")
	}
}

// begins are how many attempts at each type of activity have begun.
func begins(points []point) map[string]int {
	n := map[string]int{}
	for _, p := range points {
		if p.Point == "start" {
			n[p.Type]++
		}
	}
	return n
}

// smallDisk makes a disk of its own out of the folder; false where that is not allowed.
func smallDisk(t *testing.T, dir, size string) bool {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=0700,size="+size); err != nil {
		return false
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return true
}
