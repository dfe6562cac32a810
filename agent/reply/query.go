package reply

import "strings"

// Query is what to look for among the skills: what stands in <query>…</query>, else all of the reply. The prompt ends
// with the open tag, so that a reply mostly has the other alone.
func Query(text string) string {
	if _, after, ok := strings.Cut(text, "<query>"); ok {
		text = after
	}
	before, _, _ := strings.Cut(text, "</query>")
	return strings.TrimSpace(before)
}
