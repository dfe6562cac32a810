// Package decode lets a model choose among given continuations and draw free ones.
//
// All requests of a call run side by side, their rows packed, yet none knows of another: rows are computed row by
// row, attention request by request, what is decided is decided in Go from a request's own numbers. So a request
// gives the same bits alone and in any company.
package decode
