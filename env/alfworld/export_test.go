package alfworld

// NameOf is an object of the problem as the player reads it.
func (g *Game) NameOf(id string) string { return g.names.name[g.problem.Object(id)] }
