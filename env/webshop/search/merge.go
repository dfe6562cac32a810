package search

import "github.com/hone-rl/hone/env/webshop/search/internal/postings"

// source is a run that is read.
type source interface {
	// head is the term that it stands at, "" past the last.
	head() string
	// take appends the postings of that term, once.
	take(list []postings.Posting) ([]postings.Posting, error)
	// advance goes to the next term.
	advance() error
}

// merge gives each term of all runs, in order, with its postings by the order in which the documents came.
func (b *builder) merge(do func(term string, list []postings.Posting) error) error {
	b.run.sort()
	var sources []source
	for _, r := range b.spilled {
		if err := r.rewind(); err != nil {
			return err
		}
		sources = append(sources, r)
	}
	sources = append(sources, &b.run) // its documents came last
	for _, s := range sources {
		if err := s.advance(); err != nil {
			return err
		}
	}
	var list []postings.Posting
	for {
		term := ""
		for _, s := range sources {
			if head := s.head(); head != "" && (term == "" || head < term) {
				term = head
			}
		}
		if term == "" {
			return nil
		}
		list = list[:0]
		for _, s := range sources {
			if s.head() != term {
				continue
			}
			var err error
			if list, err = s.take(list); err != nil {
				return err
			}
			if err := s.advance(); err != nil {
				return err
			}
		}
		if err := do(term, list); err != nil {
			return err
		}
	}
}
