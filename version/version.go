// Package version says which Hone this is.
package version

// Hone is the version that manifests and stage keys carry. It is raised whenever a stage could give other bytes
// for the same inputs and parameters.
const Hone = "0.6.0"

// Import is the version that imported games and models carry, so that the same files keep their digest, and specs
// that name it stay valid, from one Hone to the next. It is raised only when an import stores other bytes.
const Import = "0.1.0"
