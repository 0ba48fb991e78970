"""Command lines, read as far as needed to complete a word, or to know that there is more to come."""

import re
from dataclasses import dataclass, field

MAX_TEXT = 65_536
"""Characters that are read before the kernel has other things to do."""

OPENERS = {
    "if": "fi",
    "for": "done",
    "while": "done",
    "until": "done",
    "select": "done",
    "case": "esac",
    "{": "}",
    "[[": "]]",
}
"""What each waits for."""
WITH_WORDS = {"for", "select", "case", "[["}
"""Words follow these; commands follow the other openers."""
BEFORE_COMMANDS = {"then", "else", "elif", "do", "!", "time"}.union(
    ["command", "builtin", "exec", "env", "nohup", "xargs"]
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(\[[^]]*])?\+?=")
_OPERATOR = re.compile(
    r"<<<|<<-|<<|<\(|<&|<>|<|&>>|&>|&&|&|>>|>\(|>&|>\||>|\|\||\|&|\||;;&|;;|;&|;|\(\(|\(|\)|\n"
)
_PLAIN = re.compile(r"[^\s\\'\"$`#;&|<>()/=]+")
_PLAIN_IN_QUOTES = {"'": re.compile(r"[^'/]+"), '"': re.compile(r'[^"\\$`/]+'), "$'": re.compile(r"[^'\\/]+")}
_JOINS = {"|", "|&", "||", "&&"}
_ESCAPED_IN_QUOTES = '"\\$`\n'


@dataclass(slots=True)
class Word:
    """A word up to the cursor. Its last part is what follows the last `/` or the `=` of `name=value`."""

    part: int
    """Where the last part begins in the line."""
    part_quote: str = ""
    """The quote that is open there."""
    text: str = ""
    """What it says, without quotes and backslashes."""
    value_at: int = 0
    """Where in `text` the value of `name=value` begins."""
    part_at: int = 0
    """Where in `text` the last part begins."""
    expands: bool = False
    """Whether more is in it than the text says."""
    quoted: bool = False


@dataclass(slots=True)
class Level:
    """The commands on one level: the whole line, or what is in parentheses or backquotes."""

    closer: str = ""
    in_word: bool = False
    """Whether it is a part of the outer level's word."""
    words: list[str] = field(default_factory=list[str])
    """Those of the simple command so far: none where a command's name is next."""
    word: Word | None = None
    quote: str = ""
    """The one that is open: `'`, `"`, `$'`, or none."""
    redirect: str = ""
    """What the next word is the target of."""
    awaits: list[str] = field(default_factory=list[str])
    """The words that end what is open."""


class CommandLine:
    """A line, or several, as they are typed."""

    def __init__(self, text: str) -> None:
        self.levels = [Level()]
        self.in_text = False
        """Whether it ends in a comment, a here-document or an expression, where no words are."""
        self._text = text
        self._joins = False
        """Whether the last operator wants another command."""
        self._open = False
        self._heredocs: list[tuple[str, bool]] = []
        at = 0
        while at < len(text):
            at = self._step(at)

    @property
    def level(self) -> Level:
        """Where it ends."""
        return self.levels[-1]

    def needs_more(self) -> bool:
        """Tell whether a shell would go on reading; call it last."""
        self._end_word()
        level = self.level
        return bool(
            self._open or self._joins or self._heredocs or level.quote or level.awaits or len(self.levels) > 1
        )

    def _step(self, at: int) -> int:
        """Read what is at `at`; returns where to go on."""
        level, char = self.level, self._text[at]
        if level.quote:
            return self._quoted(at, level.quote)
        if char == "\\":
            return self._escaped(at)
        if char in "'\"":
            self._begin(at).quoted = True
            level.quote = char
            return at + 1
        if char in "$`":
            return self._expansion(at)
        if char == "#" and not level.word:
            end = self._text.find("\n", at)
            self.in_text = end < 0
            return len(self._text) if end < 0 else end
        if char in " \t":
            self._end_word()
            return at + 1
        if operator := _OPERATOR.match(self._text, at):
            return self._operator(at, operator[0])
        return self._plain(at, _PLAIN)

    def _plain(self, at: int, run: re.Pattern[str]) -> int:
        found = run.match(self._text, at)
        text = found[0] if found else self._text[at]
        self._add(at, text)
        return at + len(text)

    def _quoted(self, at: int, quote: str) -> int:
        char, following = self._text[at], self._text[at + 1 : at + 2]
        if char == quote[-1]:
            self.level.quote = ""
        elif char == "\\" and quote != "'":
            if following and (quote == "$'" or following in _ESCAPED_IN_QUOTES):
                self._add(at, following.replace("\n", ""))
                return at + 2
            self._add(at, char)
        elif char in "$`" and quote == '"':
            return self._expansion(at)
        else:
            return self._plain(at, _PLAIN_IN_QUOTES[quote])
        return at + 1

    def _escaped(self, at: int) -> int:
        following = self._text[at + 1 : at + 2]
        if not following:
            self._open = True
        elif following != "\n":
            self._begin(at).quoted = True
            self._add(at, following)
        return at + 2

    def _expansion(self, at: int) -> int:
        level, text = self.level, self._text
        if text[at] == "`" and level.closer == "`":
            return self._close(at)
        if text[at] != "`" and text[at + 1 : at + 2] not in {"(", "{", "'"}:
            self._begin(at).expands |= bool(re.match(r"[\w@*#?!$-]", text[at + 1 : at + 2]))
            self._add(at, "$")
            return at + 1
        self._begin(at).expands = True
        if text[at] == "`":
            self.levels.append(Level("`", in_word=True))
            return at + 1
        if text.startswith("$((", at):
            return self._skip(at + 1, "(", ")")
        if text[at + 1] == "{":
            return self._skip(at + 1, "{", "}")
        if text[at + 1] == "'":
            level.quote = "$'" if not level.quote else level.quote
            return at + 2
        self.levels.append(Level(")", in_word=True))
        return at + 2

    def _operator(self, at: int, operator: str) -> int:
        level = self.level
        end = at + len(operator)
        if operator in {"<(", ">("}:
            self._begin(at).expands = True
            self.levels.append(Level(")", in_word=True))
            return end
        if operator[0] in "<>" and level.word and level.word.text.isdigit():
            level.word = None
        if operator == "((" and level.words not in ([], ["for"]):
            operator, end = "(", at + 1
        if operator == "(":
            # Words are in the parentheses of an array, commands in others.
            array = level.word is not None and level.word.text.endswith("=")
            self._end_word()
            self.levels.append(Level(")", words=["("] if array else []))
            return end
        self._end_word()
        if operator == "((":
            return self._skip(at, "(", ")")
        if operator == ")":
            if level.closer == ")" and not level.awaits:
                return self._close(at)
            level.words = []
        elif operator[0] in "<>" or operator in {"&>", "&>>"}:
            level.redirect = operator
        else:
            level.words, level.redirect = [], ""
            self._joins = operator in _JOINS or (self._joins and operator == "\n")
            if operator == "\n":
                return self._skip_heredocs(end)
        return end

    def _close(self, at: int) -> int:
        self._end_word()
        if not self.levels.pop().in_word:
            self.level.words = []
        return at + 1

    def _skip(self, at: int, opener: str, closer: str) -> int:
        """Return where what is opened at `at` has been closed."""
        depth = 0
        for index in range(at, len(self._text)):
            depth += (self._text[index] == opener) - (self._text[index] == closer)
            if not depth:
                return index + 1
        self._open = self.in_text = True
        return len(self._text)

    def _skip_heredocs(self, at: int) -> int:
        while self._heredocs:
            delimiter, indented = self._heredocs[0]
            while True:
                if at > len(self._text):
                    self.in_text = True
                    return at
                end = self._text.find("\n", at)
                line = self._text[at : end if end >= 0 else None]
                at += len(line) + 1
                if (line.lstrip("\t") if indented else line) == delimiter:
                    break
            self._heredocs.pop(0)
        return at

    def _begin(self, at: int) -> Word:
        """Return the word at hand, or a new one."""
        level = self.level
        level.word = level.word or Word(part=at)
        return level.word

    def _add(self, at: int, char: str) -> None:
        word, quote = self._begin(at), self.level.quote
        word.text += char
        if char == "/" or (char == "=" and not quote and not word.value_at):
            word.part, word.part_quote, word.part_at = at + 1, quote, len(word.text)
            if char == "=":
                word.value_at = len(word.text)

    def _end_word(self) -> None:
        level, word = self.level, self.level.word
        if not word or level.quote:
            return
        level.word, self._joins = None, False
        text = word.text
        if level.redirect:
            if level.redirect in {"<<", "<<-"}:
                self._heredocs.append((text, level.redirect == "<<-"))
            level.redirect = ""
        elif level.words == ["function"]:
            level.words = []
        elif text == "]]" and level.awaits[-1:] == ["]]"]:
            level.awaits.pop()
        elif level.words or word.quoted:
            level.words.append(text)
        elif level.awaits[-1:] == [text]:
            level.awaits.pop()
            level.words.append(text)
        elif text in OPENERS:
            level.awaits.append(OPENERS[text])
            level.words = [text] if text in WITH_WORDS else []
        elif text not in BEFORE_COMMANDS and not _ASSIGNMENT.match(text):
            level.words.append(text)


def needs_more(text: str) -> bool:
    """Tell whether a shell would go on reading: a quote, a here-document, or an `if` is open, for instance.

    Of more than 64 KiB, which nobody types, the shell itself will tell.
    """
    return len(text) <= MAX_TEXT and CommandLine(text).needs_more()
