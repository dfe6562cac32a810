package agent

import "strings"

// The pieces that WebShop's pages begin with, and what stands between pieces.
const (
	pieceEnd    = " [SEP] "
	frontPiece  = "WebShop" + pieceEnd
	instruction = "Instruction:" + pieceEnd
)

// page is a page of a shop without the instruction that each of them repeats, as verl-agent shows it (WebShop's
// specification, "How verl-agent drives it"): the pieces behind the task. Other texts stay as they are.
func page(text string) string {
	rest, ok := strings.CutPrefix(strings.TrimPrefix(text, frontPiece), instruction)
	if !ok {
		return text
	}
	if _, shown, more := strings.Cut(rest, pieceEnd); more {
		return shown
	}
	return text
}
