// Package version says which Hone this is.
package version

// Hone is the version that manifests and stage keys carry. It is raised whenever a stage could give other bytes
// for the same inputs and parameters.
const Hone = "0.2.0"
