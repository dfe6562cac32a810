// What Lucene's English analysis makes of texts, as Anserini sets it up. A line in is a text in UTF-8 as hexadecimal
// digits, a line out its terms likewise, with a blank between two.
//
//   java -cp 'FOLDER/*' testdata/Lucene.java, where FOLDER has lucene-core and lucene-analysis-common 9.12.3

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.StringJoiner;
import org.apache.lucene.analysis.*;
import org.apache.lucene.analysis.en.*;
import org.apache.lucene.analysis.standard.StandardTokenizer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;

public class Lucene {
  public static void main(String[] args) throws Exception {
    Analyzer english = new Analyzer() {
      @Override
      protected TokenStreamComponents createComponents(String field) {
        Tokenizer words = new StandardTokenizer();
        TokenStream terms = new LowerCaseFilter(new EnglishPossessiveFilter(words));
        terms = new PorterStemFilter(new StopFilter(terms, EnglishAnalyzer.ENGLISH_STOP_WORDS_SET));
        return new TokenStreamComponents(words, terms);
      }
    };
    HexFormat hex = HexFormat.of();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = in.readLine()) != null; ) {
      StringJoiner out = new StringJoiner(" ");
      try (TokenStream terms = english.tokenStream("", new String(hex.parseHex(line), StandardCharsets.UTF_8))) {
        CharTermAttribute term = terms.addAttribute(CharTermAttribute.class);
        terms.reset();
        while (terms.incrementToken()) {
          out.add(hex.formatHex(term.toString().getBytes(StandardCharsets.UTF_8)));
        }
        terms.end();
      }
      System.out.println(out);
    }
  }
}
