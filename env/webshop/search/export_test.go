package search

// Exhaustive is Search without pruning.
func (x *Index) Exhaustive(query string, most int) ([]Hit, error) {
	terms, err := queryTerms(query)
	if err != nil {
		return nil, err
	}
	return x.best(terms, most, false), nil
}

// Exact reports whether the scores of a query are added without rounding, whatever their order.
func (x *Index) Exact(query string) bool {
	terms, _ := queryTerms(query)
	var weights []float32
	for _, t := range terms {
		if _, found, ok := x.find(t.text); ok {
			weights = append(weights, weight(t.count, found, x.counted))
		}
	}
	return exact(weights)
}
