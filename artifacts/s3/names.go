package s3

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/hone-rl/hone/artifacts"
)

const (
	namePrefix = "names/"
	nameSuffix = ".json"
	maxRecord  = 4096 // bytes; a name record is at most 720
)

func nameKey(name string) string { return namePrefix + name + nameSuffix }

// nameOf is the name that is kept under a key.
func nameOf(key string) (string, bool) {
	return strings.CutSuffix(strings.TrimPrefix(key, namePrefix), nameSuffix)
}

// Name implements artifacts.Store. That a name is no folder of another is looked up beforehand: two that are named at
// the same moment can both succeed, and then both stand, in objects of their own.
func (s *Store) Name(ctx context.Context, name string, d artifacts.Digest) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	record, err := artifacts.EncodeName(name, d)
	if err != nil {
		return err
	}
	if err := s.checkFolders(ctx, name); err != nil {
		return explain(err)
	}
	_, err = s.client.PutObject(ctx, &awss3.PutObjectInput{
		Bucket:        &s.bucket,
		Key:           aws.String(nameKey(name)),
		Body:          bytes.NewReader(record),
		ContentLength: aws.Int64(int64(len(record))),
		ContentType:   aws.String("application/json"),
		IfNoneMatch:   aws.String("*"),
	})
	if err == nil {
		return nil
	}
	if !lost(err) {
		return explain(fmt.Errorf("name %q in %s: %w", name, s.where, err))
	}
	// It may be this very put that was first, tried again by the SDK.
	stored, rerr := s.readName(ctx, name)
	switch {
	case rerr != nil:
		return fmt.Errorf("%w (after %w)", rerr, err)
	case bytes.Equal(stored, record):
		return nil
	}
	other, derr := artifacts.DecodeName(name, stored)
	if derr != nil {
		return derr
	}
	return fmt.Errorf("name %q in %s points at %s, not %s: %w", name, s.where, other, d, artifacts.ErrConflict)
}

func (s *Store) checkFolders(ctx context.Context, name string) error {
	for _, p := range artifacts.Parents(name) {
		_, err := s.client.HeadObject(ctx, &awss3.HeadObjectInput{Bucket: &s.bucket, Key: aws.String(nameKey(p))})
		if err == nil {
			return fmt.Errorf("name %q: %q is a name already and cannot be a folder", name, p)
		}
		if !missing(err) {
			return fmt.Errorf("name %q in %s: look for %q: %w", name, s.where, p, err)
		}
	}
	inside, err := s.client.ListObjectsV2(ctx, &awss3.ListObjectsV2Input{
		Bucket: &s.bucket, Prefix: aws.String(namePrefix + name + "/"), MaxKeys: aws.Int32(1),
	})
	if err != nil {
		return fmt.Errorf("name %q in %s: look for names inside it: %w", name, s.where, err)
	}
	if len(inside.Contents) > 0 {
		return fmt.Errorf("name %q is a folder of %q already", name, aws.ToString(inside.Contents[0].Key))
	}
	return nil
}

func (s *Store) readName(ctx context.Context, name string) ([]byte, error) {
	out, err := s.client.GetObject(ctx, &awss3.GetObjectInput{Bucket: &s.bucket, Key: aws.String(nameKey(name))})
	if missing(err) {
		return nil, fmt.Errorf("name %q in %s: %w", name, s.where, artifacts.ErrNotFound)
	}
	if err != nil {
		return nil, explain(fmt.Errorf("name %q in %s: %w", name, s.where, err))
	}
	b, err := io.ReadAll(io.LimitReader(out.Body, maxRecord))
	_ = out.Body.Close() // only read from
	if err != nil {
		return nil, fmt.Errorf("name %q in %s: %w", name, s.where, err)
	}
	return b, nil
}

// Resolve implements artifacts.Store.
func (s *Store) Resolve(ctx context.Context, name string) (artifacts.Digest, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if err := artifacts.ValidateName(name); err != nil {
		return "", err
	}
	b, err := s.readName(ctx, name)
	if err != nil {
		return "", err
	}
	return artifacts.DecodeName(name, b)
}

// Names implements artifacts.Store.
func (s *Store) Names(ctx context.Context, prefix string) ([]string, error) {
	var names []string
	err := s.list(ctx, namePrefix+prefix, func(o types.Object) error {
		// The suffix is no part of a name, though the prefix may have matched within it.
		name, ok := nameOf(aws.ToString(o.Key))
		if ok && strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		return nil, explain(fmt.Errorf("list names in %s: %w", s.where, err))
	}
	slices.Sort(names) // keys are sorted with the suffix
	return names, nil
}
