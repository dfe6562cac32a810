package search

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"strings"
	"sync"

	"github.com/hone-rl/hone/env/webshop/search/internal/analysis"
	"github.com/hone-rl/hone/internal/inorder"
)

// builder gathers what an index holds. Documents are numbered as they come until all ids are known.
type builder struct {
	memory   int64 // see Options
	scratch  string
	progress func(Progress)

	ids       []string
	idSize    int // of all ids together, in bytes
	lengths   []byte
	length    int64
	postings  int64
	run       run // the postings in memory
	spilled   []*spilledRun
	published Progress
}

// batch is how many documents are analysed at a time.
const batch = 64

// maxID is how long an id may be, in bytes.
const maxID = 255

// analysed is a document taken apart.
type analysed struct {
	id    string
	terms []string
}

// read takes the documents, which are analysed on all cores.
func (b *builder) read(ctx context.Context, docs iter.Seq2[Document, error]) error {
	analysers := sync.Pool{New: func() any { return new(analysis.Analyzer) }}
	done := inorder.Map(runtime.GOMAXPROCS(0), batches(ctx, docs), func(docs []Document) []analysed {
		a := analysers.Get().(*analysis.Analyzer) //nolint:forcetypeassert // only these are put
		defer analysers.Put(a)
		out := make([]analysed, len(docs))
		for i, d := range docs {
			out[i] = analysed{strings.Clone(d.ID), a.Append(make([]string, 0, len(d.Text)/8), d.Text)}
		}
		return out
	})
	for docs, err := range done {
		if err != nil {
			return err
		}
		for _, d := range docs {
			if err := b.add(d); err != nil {
				return err
			}
		}
		b.tell(0, 4096)
	}
	b.tell(0, 0)
	return nil
}

// batches are documents as they are analysed together.
func batches(ctx context.Context, docs iter.Seq2[Document, error]) iter.Seq2[[]Document, error] {
	return func(yield func([]Document, error) bool) {
		var some []Document
		for d, err := range docs {
			if err == nil && len(some) == 0 {
				err = ctx.Err()
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if some = append(some, d); len(some) == batch {
				if !yield(some, nil) {
					return
				}
				some = make([]Document, 0, batch)
			}
		}
		if len(some) > 0 {
			yield(some, nil)
		}
	}
}

func (b *builder) add(d analysed) error {
	n := len(b.ids)
	switch {
	case d.id == "" || len(d.id) > maxID:
		return fmt.Errorf("document %d has an id of %d bytes, expected 1 to %d", n+1, len(d.id), maxID)
	case n == maxDocuments:
		return fmt.Errorf("more than %d documents", n)
	}
	b.ids = append(b.ids, d.id)
	b.idSize += len(d.id)
	b.lengths = append(b.lengths, encodeLength(len(d.terms)))
	b.length += int64(len(d.terms))
	b.postings += int64(b.run.add(uint32(n), d.terms)) //nolint:gosec // at most 2^31-1
	if b.run.size() > b.memory {
		return b.spill()
	}
	return nil
}

// tell publishes how far the build is, if it is so many documents further than last time.
func (b *builder) tell(written int64, further int) {
	now := Progress{Documents: len(b.ids), Written: written, Postings: b.postings}
	if b.progress == nil || now.Documents < b.published.Documents+further {
		return
	}
	b.published = now
	b.progress(now)
}
