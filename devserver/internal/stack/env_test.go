package stack

import (
	"slices"
	"testing"
)

// TestLocal: a worker of the local stack is not sent elsewhere by the environment of whoever started the stack.
func TestLocal(t *testing.T) {
	got := local([]string{"PATH=/bin", "TEMPORAL_ADDRESS=far:7233", "AWS_ENDPOINT_URL=http://far", "HONE_BUCKET=b", "HONE_FAULTS=/f", "TEMP=/t"})
	if want := []string{"PATH=/bin", "HONE_FAULTS=/f", "TEMP=/t"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
