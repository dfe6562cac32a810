package inorder_test

import (
	"errors"
	"iter"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hone-rl/hone/internal/inorder"
)

// numbers yields 0 to n-1 and then an error, if there is one.
func numbers(n int, err error) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := range n {
			if !yield(i, nil) {
				return
			}
		}
		if err != nil {
			yield(0, err)
		}
	}
}

func TestOrder(t *testing.T) {
	var working, most atomic.Int32
	var got []int
	for n, err := range inorder.Map(3, numbers(100, nil), func(i int) int {
		now := working.Add(1)
		defer working.Add(-1)
		for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
		}
		time.Sleep(time.Duration((i*7)%5) * 100 * time.Microsecond)
		return i * i
	}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, n)
	}
	want := make([]int, 100)
	for i := range want {
		want[i] = i * i
	}
	if !slices.Equal(got, want) || most.Load() > 3 {
		t.Errorf("got %v from %d at once, want %v from 3", got, most.Load(), want)
	}
}

// An error of the inputs comes after the results before it, and is the last.
func TestError(t *testing.T) {
	broken := errors.New("broken")
	n := 0
	var last error
	for got, err := range inorder.Map(2, numbers(5, broken), func(i int) int { return i }) {
		if last = err; err == nil {
			if got != n {
				t.Errorf("got %d, want %d", got, n)
			}
			n++
		}
	}
	if n != 5 || !errors.Is(last, broken) {
		t.Errorf("got %d results and %v, want 5 and %v", n, last, broken)
	}
}

// Who turns away leaves nothing running, nor inputs that are still asked for.
func TestTurningAway(t *testing.T) {
	before := runtime.NumGoroutine()
	asked := 0
	endless := func(yield func(int, error) bool) {
		for ; yield(asked, nil); asked++ {
		}
	}
	var working atomic.Int32
	for n, err := range inorder.Map(4, endless, func(i int) int {
		working.Add(1)
		defer working.Add(-1)
		time.Sleep(time.Millisecond)
		return i
	}) {
		if err != nil || n == 10 {
			break
		}
	}
	if working.Load() != 0 || asked > 30 {
		t.Errorf("%d still work, %d inputs were asked for, want none and at most 30", working.Load(), asked)
	}
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, before there were %d", runtime.NumGoroutine(), before)
		}
		time.Sleep(time.Millisecond)
	}
}
