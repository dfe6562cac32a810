"""Print lines of mixed text, seeded, as a JSON list: what tokenizers are compared on.

usage: mixed_text.py COUNT [SEED]

A line is of one kind or of pieces of several: words of many languages, text of games, code, numbers, emoji, CJK and
Hangul, combining marks in any order and number, white space of all sorts, control characters, names of special tokens
whole and broken, replacement and private characters, characters of every plane, long runs of one thing. Lone surrogates
cannot be: tokenizers take UTF-8. The lines before a given count do not depend on it.
"""

import json
import random
import sys
import unicodedata

WORDS = {
    "en": "the cat's you'll I'M we've don't it'd O'Reilly naïve co-operate e-mail well-known Mr. etc. HELLO iPhone".split(),
    "de": "Straße über größer Ähnlichkeit Donaudampfschifffahrtsgesellschaft daß ÖFFENTLICH Fußgänger".split(),
    "fr": "l'été c'est aujourd'hui français où œuvre Noël À bientôt garçon".split(),
    "tr": "İstanbul ışık ğüşöç IĞDIR Iİıi".split(),
    "vi": "Việt Nam tiếng đường phở nghĩa ở".split(),
    "ru": "Привет мир ёлка Йод объём й".split(),
    "uk": "їжак Ґанок щастя".split(),
    "el": "Καλημέρα κόσμε ΟΔΥΣΣΕΥΣ άέήίόύώ ΐ".split(),
    "ar": "السلام عليكم مُحَمَّد العَرَبِيَّة ٣٤٥ لا".split(),
    "he": "שָׁלוֹם עולם בְּרֵאשִׁית".split(),
    "fa": "می‌خواهم کتاب‌ها".split(),
    "hi": "नमस्ते दुनिया हिन्दी क़लम ज़्यादा क्षत्रिय १२३".split(),
    "bn": "বাংলা কোথায় ড়ঢ়য়".split(),
    "ta": "தமிழ் கொடு க்ஷ".split(),
    "te": "తెలుగు కౄ".split(),
    "kn": "ಕನ್ನಡ ಕೋ".split(),
    "ml": "മലയാളം കൊ".split(),
    "si": "සිංහල කෝ".split(),
    "th": "สวัสดีครับ ภาษาไทย ๑๒๓ น้ำ".split(),
    "lo": "ສະບາຍດີ ນ້ຳ".split(),
    "my": "မြန်မာ ဦး".split(),
    "km": "ភាសាខ្មែរ".split(),
    "bo": "བོད་སྐད་ གྷ ཱི".split(),
    "ka": "გამარჯობა ᲡᲐᲥᲐᲠᲗᲕᲔᲚᲝ".split(),
    "hy": "Հայերեն և".split(),
    "am": "አማርኛ".split(),
    "zh": "你好 世界 汉字 漢字 「引號」 一二三 。，！？ 豈 龜 兀 﨑".split(),
    "ja": "こんにちは カタカナ ガギグ がぎぐ 東京 ﾊﾝｶｸ ㍿ 々 ー".split(),
    "ko": "안녕하세요 한국어 가각힣 한글 ㄱㄴ ﾡ".split(),
}
GAME = """go to countertop 1|take apple 2 from fridge 1|You arrive at loc 12. On the cabinet 3, you see a mug 1, and a plate 2.|
open drawer 4|clean potato 1 with sinkbasin 1|Nothing happens.|You are in the middle of a room. Looking quickly around you, you see
a bed 1, a desk 2.|Your task is to: put two cellphone in bed.|put/move pan 1 in/on stoveburner 2|examine desklamp 1|use desklamp 1|
search[wireless headphones under $30.00]|click[Buy Now]|Price: $12.99 to $24.99 [SEP] Rating: N.A. [SEP] Description|Instruction: [SEP]
i need a long-sleeve shirt, size x-large|think: I should first find an apple.|> look|-= Kitchen =-|done: 3/5 (60%)""".replace("\n", "").split("|")
CODE = """def f(x): return x**2 # note|for (int i = 0; i < n; ++i) {|    if err != nil { return fmt.Errorf("x: %w", err) }|#include <stdio.h>|
\t\treturn a[i] + b[j];|{"key": [1, 2.5e-3, null], "s": "\\u00e9\\n"}|SELECT * FROM t WHERE a='b''s';|<div class="x">&nbsp;</div>|0x1F_FF|__init__|
camelCaseHTTPServer2|snake_case_name|a->b::c<d>()|https://example.org/?q=a%20b&c=d#e|C:\\Users\\x|$HOME/.config|!!!???...---===|/* */ //""".replace(
    "\n", ""
).split("|")
SPECIAL = """<|endoftext|> <|im_start|> <|im_end|> <|im_start|>user <think> </think> <tool_call> </tool_call> <tool_response> <|fim_prefix|>
<|vision_start|> <|image_pad|> [CLS] [SEP] [PAD] [MASK] [UNK] ##ing <s> </s> <|im_star <|im_start|<|im_end|> <|IM_END|> [sep] [ SEP ] <think""".split()
SPACES = [" ", "  ", "   ", "\t", "\n", "\r\n", "\r", "\n\n", " \n ", "\u00a0", "\u2003", "\u2009", "\u200a", "\u3000", "\u2028", "\u2029", "\u0085", "\u1680", "\v", "\f", "\u202f", "\u205f", "  \t \n"]  # fmt: skip
CONTROL = [chr(c) for c in (*range(32), *range(0x7F, 0xA0), 0xAD, 0x200B, 0x200C, 0x200D, 0x200E, 0x202E, 0x2060, 0xFEFF, 0xFFFD, 0xFFFE, 0xFFFF, 0xE0001, 0x1D173)]  # fmt: skip
EMOJI = "😀 👍🏽 👨‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇩🇪🇫🇷 ❤️ ☎︎ 1️⃣ #️⃣ 🧑🏿‍🚀 ♥ ✈️ 🫠 🪿 🩷 ™ ©️".split()
PLANES = [(0x20, 0x7F), (0xA0, 0x250), (0x250, 0x530), (0x530, 0x900), (0x900, 0xE00), (0xE00, 0x1200), (0x1200, 0x2000), (0x2000, 0x2C00), (0x2C00, 0x3400), (0x4E00, 0xA000), (0xA000, 0xAC00), (0xAC00, 0xD7A4), (0xD7A4, 0xD800), (0xE000, 0xF900), (0xF900, 0x10000), (0x10000, 0x10900), (0x10900, 0x11000), (0x11000, 0x12000), (0x12000, 0x15000), (0x16000, 0x18D10), (0x1B000, 0x1BD00), (0x1CC00, 0x1E000), (0x1E000, 0x1F000), (0x1F000, 0x20000), (0x20000, 0x32400), (0xE0000, 0xE0200), (0xF0000, 0x110000)]  # fmt: skip
JAMO = [(0x1100, 0x1113), (0x1161, 0x1176), (0x11A7, 0x11C3), (0xAC00, 0xD7A4)]
UCD = unicodedata.ucd_3_2_0  # is the same in every Python; what is newer stands in ASTRAL
MARKS = [c for c in range(0x300, 0x1F000) if UCD.combining(chr(c))]
BASES = [c for c in range(0xC0, 0x3000) if UCD.decomposition(chr(c)) and "<" not in UCD.decomposition(chr(c))]
ASTRAL = [0x11099, 0x110BA, 0x11131, 0x11127, 0x11347, 0x1133E, 0x114B9, 0x114BA, 0x115B8, 0x115AF, 0x11935, 0x11930, 0x11938, 0x1D15E, 0x1D1BB, 0x1D165, 0x1E8D0, 0x1E947, 0x10AE5, 0x16AF0, 0x10EFD, 0x1E4EC, 0x1611E, 0x16129, 0x16D67, 0x113C5, 0x113C2]  # fmt: skip


def words(r):
    every = r.choice(list(WORDS.values()))
    return " ".join(r.choice(every) for _ in range(r.randint(1, 6)))


def number(r):
    return r.choice(
        [
            str(r.randrange(10 ** r.randint(1, 18))),
            f"{r.random():.{r.randint(0, 12)}f}",
            f"{r.randrange(10**9):,}",
            f"{r.randint(1, 31):02}.{r.randint(1, 12):02}.{r.randint(1900, 2100)}",
            f"-{r.randrange(999)}e{r.randint(-30, 30)}",
            r.choice("½²Ⅷ٣४๓〇１２㊿①𝟘🄌"),
        ]
    )


def plane(r):
    low, high = r.choice(PLANES)
    return "".join(chr(r.randrange(low, high)) for _ in range(r.randint(1, 8)))


def combining(r):
    base = r.choice(["a", "e", "O", " ", "1", "-", "'", "", "क", "ก", "한", chr(r.choice(BASES)), chr(r.choice(ASTRAL))])
    count = r.choice([1, 1, 2, 2, 3, 4, 8, 29, 30, 31, 32, 40, 64])
    pool = r.choice([MARKS, [0x300, 0x301, 0x323, 0x327, 0x328, 0x31B, 0x308, 0x345], MARKS + ASTRAL])
    return base + "".join(chr(r.choice(pool)) for _ in range(count)) + r.choice(["", "b", " ", chr(r.choice(BASES))])


def jamo(r):
    return "".join(chr(r.randrange(*r.choice(JAMO))) for _ in range(r.randint(2, 8)))


def long(r):
    one = r.choice(["a", "ab", "1", " ", "\n", "é", "e\u0301", "字", "'", "!", "😀", "x" * 99, "ü" * 101, "AbC", "-"])
    return one * r.randint(20, 150)


KINDS = [
    (words, 30), (lambda r: r.choice(GAME), 20), (lambda r: r.choice(CODE), 12), (number, 12), (plane, 10), (combining, 8),
    (jamo, 3), (long, 1), (lambda r: r.choice(SPECIAL), 8), (lambda r: r.choice(SPACES), 14), (lambda r: r.choice(CONTROL), 5),
    (lambda r: r.choice(EMOJI), 6),
]  # fmt: skip


def line(seed, index):
    r = random.Random(f"{seed}/{index}")
    kinds, weights = zip(*KINDS, strict=True)
    count = r.choice([1, 1, 2, 3, 4, 6, 9, 14])
    if r.random() < 0.15:  # of one kind
        kind = r.choices(kinds, weights)[0]
        return r.choice(["", " ", "\n"]).join(kind(r) for _ in range(count))
    return "".join(r.choices(kinds, weights)[0](r) + r.choice(["", " ", " ", "  ", "\n", "'s "]) for _ in range(count))


def lines(count, seed="mixed"):
    return [line(seed, i) for i in range(count)]


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    json.dump(lines(int(sys.argv[1]), *sys.argv[2:]), sys.stdout)
