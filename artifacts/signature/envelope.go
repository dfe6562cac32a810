// Package signature signs manifests with Ed25519 keys (RFC 8032). A signature is an envelope of its own beside the manifest,
// as DSSE has it (Dead Simple Signing Envelope, version 1.0.2), so that no digest depends on it. docs/lineage.md describes it.
package signature

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// MediaType is that of an envelope.
const MediaType = "application/vnd.dsse.envelope.v1+json"

// MaxEnvelope bounds what is read as an envelope, in bytes: the base64 of the largest manifest, and room for the rest.
const MaxEnvelope = 88 << 20

// mostSignatures bounds how many an envelope has.
const mostSignatures = 64

// Envelope is a payload with signatures of it and of its type.
type Envelope struct {
	Payload     []byte
	PayloadType string
	Signatures  []Signature
}

// Signature is by a key, which KeyID only hints at.
type Signature struct {
	KeyID string
	Sig   []byte
}

// wire is an envelope's JSON.
type wire struct {
	Payload     string          `json:"payload"`
	PayloadType string          `json:"payloadType"`
	Signatures  []wireSignature `json:"signatures"`
}

type wireSignature struct {
	KeyID string `json:"keyid,omitempty"`
	Sig   string `json:"sig"`
}

// encoded is what is signed: DSSE's pre-authentication encoding of type and payload, with their lengths in bytes.
func encoded(payloadType string, payload []byte) []byte {
	return append(fmt.Appendf(nil, "DSSEv1 %d %s %d ", len(payloadType), payloadType, len(payload)), payload...)
}

// Encode is the envelope's JSON. The same envelope gives the same bytes.
func (e Envelope) Encode() ([]byte, error) {
	w := wire{Payload: base64.StdEncoding.EncodeToString(e.Payload), PayloadType: e.PayloadType, Signatures: []wireSignature{}}
	for _, s := range e.Signatures {
		w.Signatures = append(w.Signatures, wireSignature{s.KeyID, base64.StdEncoding.EncodeToString(s.Sig)})
	}
	return json.Marshal(w)
}

// Decode reads an envelope. It says nothing of whether its signatures hold.
func Decode(raw []byte) (Envelope, error) {
	if len(raw) > MaxEnvelope {
		return Envelope{}, fmt.Errorf("envelope: %d bytes, expected at most %d", len(raw), MaxEnvelope)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	var w wire
	if err := d.Decode(&w); err != nil {
		return Envelope{}, fmt.Errorf("envelope: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Envelope{}, fmt.Errorf("envelope: more behind its JSON, at byte %d of %d", d.InputOffset(), len(raw))
	}
	if n := len(w.Signatures); n == 0 || n > mostSignatures {
		return Envelope{}, fmt.Errorf("envelope: signatures: %d, expected 1 to %d", n, mostSignatures)
	}
	payload, err := unbase64(w.Payload)
	if err != nil {
		return Envelope{}, fmt.Errorf("envelope: payload: %w", err)
	}
	e := Envelope{Payload: payload, PayloadType: w.PayloadType}
	for i, s := range w.Signatures {
		sig, err := unbase64(s.Sig)
		if err != nil {
			return Envelope{}, fmt.Errorf("envelope: signatures[%d].sig: %w", i, err)
		}
		e.Signatures = append(e.Signatures, Signature{s.KeyID, sig})
	}
	return e, nil
}

// unbase64 takes the usual alphabet and the one for URLs, as DSSE asks for.
func unbase64(text string) ([]byte, error) {
	if strings.ContainsAny(text, "-_") {
		return base64.URLEncoding.Strict().DecodeString(text)
	}
	return base64.StdEncoding.Strict().DecodeString(text)
}
