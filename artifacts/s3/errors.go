package s3

import (
	"errors"
	"fmt"
	"net"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/hone-rl/hone/artifacts"
)

var (
	// ErrUnreachable means that nothing answers at the endpoint.
	ErrUnreachable = errors.New("S3 endpoint cannot be reached; is it running, is the address right?")
	// ErrCredentials means that the access key is not known or its secret is wrong.
	ErrCredentials = errors.New("S3 refuses the credentials")
	// ErrPermission means that the access key is right but may not do this.
	ErrPermission = errors.New("S3 credentials lack permission")
)

// code is the error code of an S3 answer, "" if err is none.
func code(err error) string {
	if api := smithy.APIError(nil); errors.As(err, &api) {
		return api.ErrorCode()
	}
	return ""
}

// explain adds to err what kind of error it is for callers.
func explain(err error) error {
	if err == nil {
		return nil
	}
	switch code(err) {
	case "InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken", "ExpiredToken", "AuthorizationHeaderMalformed",
		"TokenRefreshRequired":
		return fmt.Errorf("%w: %w", err, ErrCredentials)
	case "AccessDenied", "AllAccessDisabled", "AccountProblem":
		return fmt.Errorf("%w: %w", err, ErrPermission)
	case "InsufficientStorage", "QuotaExceeded", "XMinioStorageFull":
		return fmt.Errorf("%w: %w", err, artifacts.ErrNoSpace)
	}
	if unreachable(err) {
		return fmt.Errorf("%w: %w", err, ErrUnreachable)
	}
	return err
}

// unreachable says whether no connection was made at all.
func unreachable(err error) bool {
	if op := (*net.OpError)(nil); errors.As(err, &op) && op.Op == "dial" {
		return true
	}
	dns := (*net.DNSError)(nil)
	return errors.As(err, &dns)
}

// unanswered says whether a connection broke before an answer came.
func unanswered(err error) bool {
	send := (*smithyhttp.RequestSendError)(nil)
	return errors.As(err, &send)
}

// missing says whether the object is not there. HEAD answers NotFound, the others NoSuchKey.
func missing(err error) bool {
	c := code(err)
	return c == "NoSuchKey" || c == "NotFound"
}

// lost says whether a put found an object in its place; 409 is Amazon's answer while another put is under way.
func lost(err error) bool {
	c := code(err)
	return c == "PreconditionFailed" || c == "ConditionalRequestConflict"
}

// troubled says whether the server failed for a reason of its own. Several uploads of one blob that become an object at
// the same moment can be in each other's way like that.
func troubled(err error) bool { return code(err) == "InternalError" }
