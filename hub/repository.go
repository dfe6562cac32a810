package hub

import (
	"fmt"
	"regexp"
	"strings"
)

// DefaultRevision is the branch that a repository without a revision means.
const DefaultRevision = "main"

// Repository is the name of a model on a hub.
type Repository struct {
	Org, Name string
}

// String is ORG/NAME.
func (r Repository) String() string { return r.Org + "/" + r.Name }

var (
	// The hub's own rule for both parts, which also keeps them plain components of paths.
	repositoryPart = regexp.MustCompile(`^[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9_])?$`)
	commitHash     = regexp.MustCompile(`^[0-9a-f]{40}$`)
)

// ParseRepository reads ORG/NAME@REVISION. Without @ the revision is DefaultRevision. A revision is a commit, a tag, a
// branch or a pull request such as refs/pr/3.
func ParseRepository(text string) (Repository, string, error) {
	name, revision, given := strings.Cut(text, "@")
	if !given {
		revision = DefaultRevision
	}
	org, name, ok := strings.Cut(name, "/")
	if !ok || !repositoryPart.MatchString(org) || !repositoryPart.MatchString(name) || strings.Contains(org+"/"+name, "..") {
		return Repository{}, "", fmt.Errorf("model %q: expected ORG/NAME or ORG/NAME@REVISION, such as Qwen/Qwen2.5-0.5B@main", text)
	}
	// git has no revision with two dots in a row.
	if revision == "" || revision == "." || strings.Contains(revision, "..") || len(revision) > 255 || strings.ContainsFunc(revision, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return Repository{}, "", fmt.Errorf("model %q: revision %q: expected a commit, tag or branch", text, revision)
	}
	return Repository{org, name}, revision, nil
}

// IsCommit says whether a revision is a whole commit hash, which can never mean anything else later.
func IsCommit(revision string) bool { return commitHash.MatchString(revision) }
