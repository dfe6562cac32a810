// Package inorder does the same to each of many inputs on several cores and gives the results in the inputs' order.
package inorder

import "iter"

// Map yields do of each input in the order of the inputs, running it on up to n goroutines. All have ended when
// it returns. An error of the inputs comes in its place, and ends them.
func Map[In, Out any](n int, inputs iter.Seq2[In, error], do func(In) Out) iter.Seq2[Out, error] {
	type result struct {
		out Out
		err error
	}
	return func(yield func(Out, error) bool) {
		queue := make(chan chan result, n) // a few more than are worked on wait to be asked for
		working := make(chan struct{}, n)
		stop := make(chan struct{})
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			defer func() { // every goroutine has given its token back
				for range n {
					working <- struct{}{}
				}
			}()
			defer close(queue)
			for in, err := range inputs {
				promise := make(chan result, 1)
				select {
				case queue <- promise:
				case <-stop:
					return
				}
				if err != nil {
					var none Out
					promise <- result{none, err}
					return
				}
				working <- struct{}{}
				go func() {
					defer func() { <-working }()
					promise <- result{do(in), nil}
				}()
			}
		}()
		defer func() { <-ended }()
		defer close(stop)
		for promise := range queue {
			r := <-promise
			if !yield(r.out, r.err) || r.err != nil {
				return
			}
		}
	}
}
