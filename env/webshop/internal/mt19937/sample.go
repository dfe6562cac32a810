package mt19937

import "fmt"

// most is how many numbers one call draws at most.
const most = 1 << 20

// Choices is choices(range(n), k=k): k numbers of 0..n-1, each drawn for itself.
func (p *Python) Choices(n, k int) ([]int, error) {
	if n <= 0 || k < 0 || k > most {
		return nil, fmt.Errorf("choose %d of %d: expected 0 to %d of at least 1", k, n, most)
	}
	list := make([]int, k)
	for i := range list {
		list[i] = min(int(p.Float()*float64(n)), n-1)
	}
	return list, nil
}

// Sample is sample(range(n), k): k distinct numbers of 0..n-1 in the order drawn.
func (p *Python) Sample(n, k int) ([]int, error) {
	if k < 0 || k > n || k > most {
		return nil, fmt.Errorf("sample %d of %d: expected 0 to %d, and no more than there are", k, n, most)
	}
	list := make([]int, k)
	if n <= pooled(k) {
		p.fromPool(list, n)
		return list, nil
	}
	taken := make(map[int]bool, k)
	for i := range list {
		j := p.Below(n)
		for taken[j] {
			j = p.Below(n)
		}
		taken[j] = true
		list[i] = j
	}
	return list, nil
}

// pooled is up to how many things Python draws k from a list of all; from more it draws again what it has drawn before.
// The bound weighs the memory of a list against that of a set, and decides which numbers are drawn.
func pooled(k int) int {
	if k <= 5 {
		return 21
	}
	power := 1
	for power < 3*k {
		power *= 4
	}
	return 21 + power
}

func (p *Python) fromPool(list []int, n int) {
	pool := numbers(0, n)
	for i := range list {
		j := p.Below(n - i)
		list[i] = pool[j]
		pool[j] = pool[n-i-1]
	}
}

// numbers are from, from+1, … to-1.
func numbers(from, to int) []int {
	list := make([]int, to-from)
	for i := range list {
		list[i] = from + i
	}
	return list
}
