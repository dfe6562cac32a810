package bench

import (
	"syscall"
	"time"
)

// Clock adds up what is done under it.
type Clock struct {
	Cost Cost
}

// Time does f under the clock.
func (c *Clock) Time(f func() error) error {
	cpu, err := processTime()
	if err != nil {
		return err
	}
	begun := time.Now()
	if err := f(); err != nil {
		return err
	}
	c.Cost.Wall += time.Since(begun)
	after, err := processTime()
	c.Cost.CPU += after - cpu
	return err
}

func processTime() (time.Duration, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, err
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}
