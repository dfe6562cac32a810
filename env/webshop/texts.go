package webshop

// texts keeps one copy of what many products have in common, such as sizes and attributes.
type texts map[string]string

// maxTexts bounds what is looked for. Of more different texts, few come again.
const maxTexts = 1 << 20

func (t texts) one(s string) string {
	if known, ok := t[s]; ok {
		return known
	}
	if len(t) < maxTexts {
		t[s] = s
	}
	return s
}

// list shares the texts of a list that nobody else has.
func (t texts) list(list []string) {
	for i, s := range list {
		list[i] = t.one(s)
	}
}

func (t texts) share(p *Product) {
	p.Category, p.Query, p.CategoryPath = t.one(p.Category), t.one(p.Query), t.one(p.CategoryPath)
	for i := range p.Options {
		p.Options[i].Name = t.one(p.Options[i].Name)
		t.list(p.Options[i].Values)
	}
}
