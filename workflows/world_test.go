package workflows_test

import "github.com/stretchr/testify/mock"

// anything stands for an argument that a test does not look at.
var anything = mock.Anything
