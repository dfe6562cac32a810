package nouns

// Tokens is tokens.
var Tokens = tokens

// Without is what the guess would be if the title of a product of its table had not been there to learn from.
func (g *Guess) Without(asin, title string) []string {
	known := g.table.nouns[asin]
	g.learn(title, known, -1)
	defer g.learn(title, known, 1)
	return g.guess(title)
}
