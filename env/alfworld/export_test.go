package alfworld

// NameOf is an object of the problem as the player reads it.
func (g *Game) NameOf(id string) string { return g.names.name[g.problem.Object(id)] }

// Told are the predicates of which the game's texts may see something else than what holds.
func (g *Game) Told() []int { return g.told }
