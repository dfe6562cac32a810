package s3

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/middleware"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/hone-rl/hone/artifacts"
)

var _ artifacts.Remover = (*Store)(nil)

// usedPrefix begins the keys of empty objects that say by their time when an older blob was stored again: the blob itself
// is written once and keeps its time.
const usedPrefix = "used/sha256/"

func usedKey(d artifacts.Digest) string { return usedPrefix + d.Hex()[:2] + "/" + d.Hex() }

// use notes that a blob that is there has been stored again, unless it is as good as new.
func (s *Store) use(ctx context.Context, d artifacts.Digest, head *awss3.HeadObjectOutput) error {
	now, ok := middleware.GetServerTime(head.ResultMetadata)
	if ok && head.LastModified != nil && now.Sub(*head.LastModified) < artifacts.Freshness {
		return nil
	}
	_, err := s.client.PutObject(ctx, &awss3.PutObjectInput{
		Bucket: &s.bucket, Key: aws.String(usedKey(d)), Body: bytes.NewReader(nil), ContentLength: aws.Int64(0),
	})
	if err != nil {
		return fmt.Errorf("note that it is used: %w", err)
	}
	return nil
}

// Clock implements artifacts.Remover by the Date of an answer, to the second.
func (s *Store) Clock(ctx context.Context) (time.Time, error) {
	out, err := s.client.ListObjectsV2(ctx, &awss3.ListObjectsV2Input{Bucket: &s.bucket, MaxKeys: aws.Int32(1)})
	if err != nil {
		return time.Time{}, explain(fmt.Errorf("ask for the time of %s: %w", s.where, err))
	}
	now, ok := middleware.GetServerTime(out.ResultMetadata)
	if !ok {
		return time.Time{}, fmt.Errorf("the server of %s does not say its time (the header Date)", s.where)
	}
	return now, nil
}

// Objects implements artifacts.Remover.
func (s *Store) Objects(ctx context.Context, f func(artifacts.Object) error) error {
	var names []artifacts.Object
	err := s.list(ctx, namePrefix, func(o types.Object) error {
		if name, ok := nameOf(aws.ToString(o.Key)); ok {
			names = append(names, artifacts.Object{Name: name, Size: aws.ToInt64(o.Size), Used: aws.ToTime(o.LastModified)})
		}
		return nil
	})
	if err != nil {
		return explain(fmt.Errorf("list names in %s: %w", s.where, err))
	}
	slices.SortFunc(names, func(a, b artifacts.Object) int { return cmp.Compare(a.Name, b.Name) }) // keys are sorted with the suffix
	for _, o := range names {
		if err := f(o); err != nil {
			return err
		}
	}
	used := map[string]time.Time{}
	err = s.list(ctx, usedPrefix, func(o types.Object) error {
		used[aws.ToString(o.Key)[len(usedPrefix):]] = aws.ToTime(o.LastModified)
		return nil
	})
	if err != nil {
		return explain(fmt.Errorf("list blobs used in %s: %w", s.where, err))
	}
	var failed error // f's own, given back as it is
	err = s.list(ctx, blobPrefix, func(o types.Object) error {
		key := aws.ToString(o.Key)
		d, ok := blobOf(key)
		if !ok {
			return nil // hone audit --all names it
		}
		at := aws.ToTime(o.LastModified)
		if again := used[key[len(blobPrefix):]]; again.After(at) {
			at = again
		}
		failed = f(artifacts.Object{Digest: d, Size: aws.ToInt64(o.Size), Used: at})
		return failed
	})
	if failed != nil || err == nil {
		return failed
	}
	return explain(fmt.Errorf("list blobs in %s: %w", s.where, err))
}

// RemoveName implements artifacts.Remover.
func (s *Store) RemoveName(ctx context.Context, name string) error {
	if err := artifacts.ValidateName(name); err != nil {
		return err
	}
	return s.remove(ctx, nameKey(name))
}

// RemoveBlob implements artifacts.Remover. Between its look and the removal lie some milliseconds, in which a blob can be
// stored again unseen.
func (s *Store) RemoveBlob(ctx context.Context, d artifacts.Digest, since time.Time) (bool, error) {
	if err := d.Validate(); err != nil {
		return false, err
	}
	for _, key := range []string{blobKey(d), usedKey(d)} {
		head, err := s.client.HeadObject(ctx, &awss3.HeadObjectInput{Bucket: &s.bucket, Key: aws.String(key)})
		switch {
		case missing(err):
		case err != nil:
			return false, explain(fmt.Errorf("object %s in %s: %w", key, s.where, err))
		case !aws.ToTime(head.LastModified).Before(since):
			return false, nil
		}
	}
	return true, errors.Join(s.remove(ctx, blobKey(d)), s.remove(ctx, usedKey(d)))
}

func (s *Store) remove(ctx context.Context, key string) error {
	_, err := s.client.DeleteObject(ctx, &awss3.DeleteObjectInput{Bucket: &s.bucket, Key: &key})
	if err == nil || missing(err) {
		return nil
	}
	return explain(fmt.Errorf("remove %s in %s: %w", key, s.where, err))
}
