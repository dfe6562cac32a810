package catalogue

// Word is the text of the term of a rank.
var Word = word
