// Package freeport finds ports for the servers of tests.
package freeport

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

// Find is a port of 127.0.0.1 that nobody listens at, below those that the kernel gives to clients: none of them takes
// it before a server does, or while one is down.
func Find() (int, error) {
	var err error
	for range 100 {
		port := 20000 + rand.IntN(12000)
		var l net.Listener
		if l, err = net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err == nil {
			err = l.Close()
		}
		if err == nil {
			return port, nil
		}
	}
	return 0, fmt.Errorf("no free port: %w", err)
}

// Address is 127.0.0.1 with such a port.
func Address() (string, error) {
	port, err := Find()
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), err
}
