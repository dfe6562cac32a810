package main

import (
	"context"
	"io"
	"net/http"

	"github.com/hone-rl/hone/artifacts"
)

type (
	httpWriter  = http.ResponseWriter
	httpRequest = http.Request
)

func (s *failingStore) Put(ctx context.Context, mediaType string, r io.ReadSeeker) (artifacts.Descriptor, error) {
	if err := s.fails(); err != nil {
		return artifacts.Descriptor{}, err
	}
	return s.Store.Put(ctx, mediaType, r)
}

func (s *failingStore) Name(ctx context.Context, name string, d artifacts.Digest) error {
	if err := s.fails(); err != nil {
		return err
	}
	return s.Store.Name(ctx, name, d)
}
