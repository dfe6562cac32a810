package hub

import (
	"context"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// PartSuffix is behind the name of a file that is not whole yet.
const PartSuffix = ".part"

// Progress is told how many of a file's bytes are there. It is called from the goroutine that downloads.
type Progress func(done int64)

// Download makes path the file f of r, checked against the commit's checksum. What has come of it lies in
// path + PartSuffix; a later call, of another process too, goes on from there. A file that is there already is read
// and left alone if it is f. Two calls must not have the same path at once.
func (c *Client) Download(ctx context.Context, r *Revision, f File, path string, progress Progress) error {
	what := fmt.Sprintf("download %s of %s at %s", f.Name, r.Repository, r.Commit)
	if f.known() {
		there, err := f.whole(path)
		if there {
			progress(f.Size)
			return nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	for again := false; ; again = true {
		d := &download{client: c, revision: r, file: f, progress: progress}
		err := d.run(ctx, path+PartSuffix)
		if err == nil {
			if err := os.Rename(path+PartSuffix, path); err != nil {
				return fmt.Errorf("%s: %w", what, err)
			}
			return nil
		}
		if !errors.Is(err, ErrChecksum) {
			return fmt.Errorf("%s: %w", what, err)
		}
		if rerr := os.Remove(path + PartSuffix); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
			return fmt.Errorf("%s: %w", what, errors.Join(err, rerr))
		}
		// What an earlier call left may be what is wrong.
		if again || !d.resumed {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
}

// download is one file on its way.
type download struct {
	client   *Client
	revision *Revision
	file     File
	progress Progress

	part    *os.File
	sum     hash.Hash // of the first done bytes
	done    int64
	resumed bool // some of it is an earlier call's
}

// run fills the part and checks it.
func (d *download) run(ctx context.Context, part string) (err error) {
	if d.part, err = os.OpenFile(part, os.O_RDWR|os.O_CREATE, 0o644); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.part.Close()) }()
	if err := d.adopt(); err != nil {
		return err
	}
	if err := d.fill(ctx); err != nil {
		return err
	}
	if err := d.file.check(d.sum); err != nil {
		return err
	}
	return d.part.Sync()
}

// adopt takes what an earlier call left.
func (d *download) adopt() error {
	if !d.file.known() {
		return d.restart() // which hash to take is not known yet
	}
	d.sum = d.file.sum()
	n, err := io.Copy(d.sum, io.LimitReader(d.part, d.file.Size+1))
	if err != nil {
		return err
	}
	if n > d.file.Size {
		return d.restart()
	}
	d.done, d.resumed = n, n > 0
	return nil
}

func (d *download) restart() error {
	if err := d.part.Truncate(0); err != nil {
		return err
	}
	_, err := d.part.Seek(0, io.SeekStart)
	d.done, d.sum = 0, d.file.sum()
	return err
}

// worthwhile is how many bytes more make a try a new beginning: with less a server could keep a client for ever.
const worthwhile = 1 << 20

// fill asks for the rest until it is there.
func (d *download) fill(ctx context.Context) error {
	d.progress(d.done)
	at := d.done
	for try := 0; d.done < d.file.Size || !d.file.known(); try++ {
		err := d.more(ctx)
		switch final := (*finalError)(nil); {
		case err == nil:
			continue
		case errors.As(err, &final):
			return final.error
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		if d.done >= at+worthwhile {
			at, try = d.done, 0
		}
		if try >= d.client.retries {
			return fmt.Errorf("%d of %d bytes, given up after %d tries that did not bring a MiB: %w", d.done, d.file.Size, try+1, err)
		}
		d.client.log.Info("a download goes on", "file", d.file.Name, "at", d.done, "of", d.file.Size, "reason", err)
		if err := d.client.pause(ctx, try); err != nil {
			return err
		}
	}
	return nil
}

// finalError is one that another try cannot mend.
type finalError struct{ error }

func (e *finalError) Unwrap() error { return e.error }

// more asks once for what is missing and takes what comes.
func (d *download) more(ctx context.Context) error {
	c, r := d.client, d.revision
	at := c.base.JoinPath(r.Org, r.Name, "resolve", r.Commit)
	for part := range strings.SplitSeq(d.file.Name, "/") {
		at = at.JoinPath(url.PathEscape(part))
	}
	header := http.Header{}
	if d.done > 0 {
		header.Set("Range", fmt.Sprintf("bytes=%d-", d.done))
	}
	resp, err := c.get(ctx, "ask for it", at, header)
	if err != nil {
		if resp != nil && resp.StatusCode == http.StatusRequestedRangeNotSatisfiable {
			return errors.Join(err, d.restart())
		}
		return &finalError{err} // it has been repeated as often as it should be
	}
	defer func() { _ = resp.Body.Close() }() // an error is on its way already, or all is read
	known := d.file.known()
	if d.file, err = d.file.told(c.own(resp), r.Commit); err != nil {
		return &finalError{err}
	}
	if !known || resp.StatusCode == http.StatusOK && d.done > 0 {
		if err := d.restart(); err != nil {
			return &finalError{err}
		}
	}
	if err := d.fits(resp); err != nil {
		return err
	}
	return d.take(resp.Body)
}

// fits compares what an answer announces with what was asked for.
func (d *download) fits(resp *http.Response) error {
	if resp.StatusCode == http.StatusPartialContent {
		from, total, ok := contentRange(resp.Header.Get("Content-Range"))
		if !ok || from != d.done || total >= 0 && total != d.file.Size {
			return fmt.Errorf("the answer is range %.80q, expected %d- of %d: %w", resp.Header.Get("Content-Range"), d.done, d.file.Size, ErrTruncated)
		}
	}
	if n := resp.ContentLength; n >= 0 && n != d.file.Size-d.done && resp.Header.Get("Content-Encoding") == "" {
		return fmt.Errorf("the answer announces %d bytes, expected %d: %w", n, d.file.Size-d.done, ErrTruncated)
	}
	return nil
}

// contentRange reads "bytes FROM-TO/TOTAL" (RFC 9110, 14.4); total is -1 where it is *. It is not ok where FROM, TO and TOTAL
// are no numbers or cannot be: TO before FROM, or not before TOTAL.
func contentRange(text string) (from, total int64, ok bool) {
	text, ok = strings.CutPrefix(text, "bytes ")
	span, whole, slash := strings.Cut(text, "/")
	first, last, dash := strings.Cut(span, "-")
	from, badFrom := parseSize(first)
	to, badTo := parseSize(last)
	if !ok || !slash || !dash || badFrom != nil || badTo != nil || to < from {
		return 0, 0, false
	}
	if whole == "*" {
		return from, -1, true
	}
	total, err := parseSize(whole)
	return from, total, err == nil && to < total
}

// parseSize reads a whole number without a sign that an int64 holds.
func parseSize(text string) (int64, error) {
	n, err := strconv.ParseUint(text, 10, 63)
	return int64(n), err
}

// take appends a body to the part. What comes beyond the file's size is ErrChecksum, and not waited for.
func (d *download) take(body io.Reader) error {
	buffer := make([]byte, 256<<10)
	for {
		n, err := body.Read(buffer)
		if int64(n) > d.file.Size-d.done {
			return &finalError{fmt.Errorf("more than the %d bytes of the commit: %w", d.file.Size, ErrChecksum)}
		}
		if n > 0 {
			if _, err := d.part.Write(buffer[:n]); err != nil {
				return &finalError{err}
			}
			d.sum.Write(buffer[:n]) // a hash never fails
			d.done += int64(n)
			d.progress(d.done)
		}
		switch {
		case errors.Is(err, io.EOF) && d.done < d.file.Size:
			return fmt.Errorf("%w: at %d of %d bytes", ErrTruncated, d.done, d.file.Size)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return broken(err)
		}
	}
}

// pause waits before the next try.
func (c *Client) pause(ctx context.Context, try int) error {
	timer := time.NewTimer(min(c.waitMin<<min(try, 20), c.waitMax))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
