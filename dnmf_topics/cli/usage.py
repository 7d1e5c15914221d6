"""Arguments that cannot be used: one line that says what is wrong, and how to get help."""

from __future__ import annotations

import re
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from itertools import dropwhile
from typing import Any, NoReturn

from .errors import printable

# What argparse says of an option's value, and what is said here.
SAID = (
    (r"expected .*argument.*", "needs a value"),
    (r"ignored explicit argument .*", "takes no value"),
    (r"not allowed with argument (.*)", r"cannot be given together with \1"),
)


# What stands before arguments that begin with a dash.
NO_MORE_OPTIONS = "--"


class Parser(ArgumentParser):
    """A parser whose errors are one line.

    It gets its arguments when they are needed, from `groups`, and refuses what it does not know
    before it misses anything: a misspelt option is not one that is missing.
    """

    groups: tuple[Callable[[ArgumentParser], None], ...] = ()
    commands: Iterable[str] = ()  # which come first, if there are any

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """The values, and nothing that is unknown."""
        groups, self.groups = self.groups, ()
        for group in groups:
            group(self)
        if groups:
            self.usage = " ".join(["%(prog)s", *self._required(), "[options]"])
        self._given: list[str] = list(sys.argv[1:] if args is None else args)
        if self.commands:  # of which none begins with a dash
            self._given = list(dropwhile(NO_MORE_OPTIONS.__eq__, self._given))
        self._check_names()
        found, unknown = super().parse_known_args(self._given, namespace)
        for argument in unknown:
            if argument != NO_MORE_OPTIONS:  # which argparse leaves over where nothing needs it
                self._refuse(argument)
        return found, []

    def error(self, message: str) -> NoReturn:
        """End the process with the code of wrong usage, 2."""
        sentence = printable(self._sentence(message))
        self.exit(2, f"{self.prog}: {sentence}; see {self.prog} --help\n")

    def _required(self) -> list[str]:
        """What has to be given, as help shows it."""
        positional = [action for action in self._actions if not action.option_strings]
        names = [
            f"[{each.metavar}]" if each.nargs == "?" else str(each.metavar) for each in positional
        ]
        needed = [each for each in self._actions if each.option_strings and each.required]
        return names + [f"{each.option_strings[-1]} {each.metavar}" for each in needed]

    def _check_names(self) -> None:
        """Refuse the first option, or the command, that does not exist."""
        for argument in self._given:
            if argument == NO_MORE_OPTIONS:
                return
            if not argument.startswith("-"):
                if self.commands:
                    if argument not in self.commands:
                        hint = did_you_mean(argument, self.commands)
                        self.error(f"there is no command {argument!r}{hint}")
                    return
            elif argument.startswith("--") and " " not in argument:
                name = argument.partition("=")[0]
                if not any(option.startswith(name) for option in self._option_string_actions):
                    self._refuse(name)

    def _refuse(self, argument: str) -> NoReturn:
        is_value = argument in dropwhile(NO_MORE_OPTIONS.__ne__, self._given)
        if is_value or not argument.startswith("-"):
            self.error(f"{argument!r} is one argument too many")
        hint = did_you_mean(argument, self._option_string_actions)
        before = " before the command" if self.commands else ""
        self.error(f"there is no option {argument}{before}{hint}")

    def _sentence(self, message: str) -> str:
        missing = re.fullmatch("the following arguments are required: (.*)", message)
        if missing:
            names = missing[1].split(", ")
            return f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} missing"
        about = re.fullmatch("argument ([^:]+): (.*)", message, re.DOTALL)
        if about:
            said = about[2]
            for pattern, sentence in SAID:
                said = re.sub(pattern, sentence, said)
            return f"{self._as_given(about[1])} {said}"
        return message.removeprefix("ambiguous option: ")

    def _as_given(self, names: str) -> str:
        """Of the names of an option, such as -k/--num-topics, the one that was given."""
        *others, last = names.split("/")
        given = tuple(self._given)
        return next((name for name in others if any(g.startswith(name) for g in given)), last)


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """A question in parentheses; nothing if nothing is similar."""
    close = get_close_matches(given, list(known), 1)
    return f" (did you mean {close[0]}?)" if close else ""
