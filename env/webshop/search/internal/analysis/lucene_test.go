package analysis_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.String("update", "", "record testdata/lucene.jsonl anew with the Lucene 9.12.3 in this `folder`")

const recorded = "testdata/lucene.jsonl"

// TestLucene: what Lucene made of texts full of odd characters (testdata/Lucene.java). Before they were recorded, the
// 198,657 characters of planes 0 to 2 and of tags in 17 surroundings and 400,000 texts such as these gave the same.
func TestLucene(t *testing.T) {
	if *update != "" {
		record(t, oddTexts())
	}
	terms(t, recorded, 400)
}

// oddTexts are made of characters that bound or join words in one way or another.
func oddTexts() []string {
	const characters = "aabcsS12_'’＇.,:;\"·-# *\u200d\u200d\ufe0f\ufe0e\u20e3❤★™©👩👨🏻🏿👍🇺🇸🇩\U000e0067\U000e007f\u0301\u00ad" +
		"אבカタｶﾞひ漢字ก็กขမ가각\u202f\u200b𝐇１２_٣\u3030㊙ℹⓂ🅰〽\u3005々ー・\u203f\n\r\u00a0𠀀ﾟ"
	every := []rune(characters)
	few := []rune("aab1_.'𝐇\u0301❤\u200d ")
	dice := rand.New(rand.NewPCG(7, 0))
	texts := []string{"eed eeds ies sses", "Shoe's SHOE’S shoe＇s's 's", strings.Repeat("𝐇", 127) + "ab"}
	for len(texts) < 400 {
		from, n := every, 1+dice.IntN(12)
		if len(texts)%20 == 0 { // longer than Lucene lets a word be
			from, n = few, 250+dice.IntN(300)
		}
		text := make([]rune, n)
		for i := range text {
			text[i] = from[dice.IntN(len(from))]
		}
		texts = append(texts, string(text))
	}
	return texts
}

func record(t *testing.T, texts []string) {
	var in, out bytes.Buffer
	for _, text := range texts {
		in.WriteString(hex.EncodeToString([]byte(text)) + "\n")
	}
	java := exec.CommandContext(t.Context(), "java", "-cp", filepath.Join(*update, "*"), "testdata/Lucene.java")
	java.Stdin, java.Stderr = &in, os.Stderr
	answer, err := java.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := json.NewEncoder(&out)
	for i, line := range strings.Split(strings.TrimSuffix(string(answer), "\n"), "\n") {
		c := struct {
			Text  string   `json:"text"`
			Terms []string `json:"terms"`
		}{texts[i], []string{}}
		for _, word := range strings.Fields(line) {
			term, err := hex.DecodeString(word)
			if err != nil {
				t.Fatal(err)
			}
			c.Terms = append(c.Terms, string(term))
		}
		if err := lines.Encode(c); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(recorded, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
