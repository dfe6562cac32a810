// Package equivalence has only tests: that computing one thing in two ways gives the same, for every architecture. A
// new architecture is a line in the table.
package equivalence
