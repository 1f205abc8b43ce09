"""`raceproof completion`: a script that teaches a shell the commands and options, made from the parser itself."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from raceproof.cli.options import Commands
from raceproof.cli.status import Exit


@dataclass(frozen=True, slots=True)
class Option:
    """`flags` are its spellings; `choices` its values, if they can be listed."""

    flags: tuple[str, ...]
    help: str
    takes_value: bool
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Command:
    """`choices`: the values of its first positional argument, if they can be listed; otherwise it takes files."""

    name: str
    help: str
    options: tuple[Option, ...]
    choices: tuple[str, ...]

    def flags(self) -> str:
        return " ".join(flag for option in self.options for flag in option.flags)


def add_parser(commands: Commands) -> None:
    """Call it last or first: the script knows all commands that there are when it is printed."""
    parser = commands.add_parser(
        "completion",
        help="print a completion script for a shell",
        description='Print a completion script. For bash: eval "$(raceproof completion bash)"; for zsh: the same with '
        "zsh, or write it to a file `_raceproof` in a directory of $fpath; for fish: write it to "
        "~/.config/fish/completions/raceproof.fish.",
    )
    parser.add_argument("shell", choices=sorted(_SCRIPTS), help="which shell")
    parser.set_defaults(run=partial(run, commands), verbose=0)


def run(commands: Commands, args: argparse.Namespace) -> Exit:
    print(_SCRIPTS[args.shell](describe(commands)), end="")
    return Exit.RACE_FREE


def describe(commands: Commands) -> tuple[Command, ...]:
    """All commands with their options, in the order of the parser."""
    helps = {action.dest: action.help or "" for action in commands._choices_actions}
    described = []
    for name, parser in commands.choices.items():
        actions = [action for action in parser._actions if action.help != argparse.SUPPRESS]
        positional = [action for action in actions if not action.option_strings]
        described.append(
            Command(
                name=name,
                help=helps.get(name, ""),
                options=tuple(_option(parser, action) for action in actions if action.option_strings),
                choices=_choices(positional[0]) if positional else (),
            )
        )
    return tuple(described)


def _option(parser: argparse.ArgumentParser, action: argparse.Action) -> Option:
    text = (action.help or "") % {**vars(action), "prog": parser.prog}
    return Option(tuple(action.option_strings), text, action.nargs != 0, _choices(action))


def _choices(action: argparse.Action) -> tuple[str, ...]:
    return tuple(map(str, action.choices)) if action.choices is not None else ()


# -- bash ---------------------------------------------------------------------------------------------


def bash_script(commands: Sequence[Command]) -> str:
    """Plain enough for the bash of macOS. Where nothing is listed, the shell offers files by itself."""
    values, words = [], []
    for command in commands:
        for option in command.options:
            if option.takes_value:
                pattern = "|".join(f'"{command.name} {flag}"' for flag in option.flags)
                listed = f'words="{" ".join(option.choices)}"; ' if option.choices else ""
                values.append(f"        {pattern}) {listed}is_value=1 ;;")
        choices = f'choices="{" ".join(command.choices)}"; ' if command.choices else ""
        words.append(f'        {command.name}) {choices}options="{command.flags()}" ;;')
    names = " ".join(command.name for command in commands)
    return "\n".join(
        [
            "# completion of raceproof for bash",
            "_raceproof() {",
            "    local cur prev words= options= choices= is_value=",
            '    cur="${COMP_WORDS[COMP_CWORD]}"; prev="${COMP_WORDS[COMP_CWORD-1]}"',
            '    if [ "$cur" = "=" ]; then cur=',
            '    elif [ "$prev" = "=" ]; then prev="${COMP_WORDS[COMP_CWORD-2]}"; fi',
            '    case "${COMP_WORDS[1]} $prev" in',
            *values,
            "    esac",
            '    case "${COMP_WORDS[1]}" in',
            *words,
            "    esac",
            f'    if [ "$COMP_CWORD" -eq 1 ]; then words="{names} --help --version"',
            '    elif [ -z "$is_value" ]; then',
            '        case "$cur" in -*) words="$options" ;; *) [ "$COMP_CWORD" -eq 2 ] && words="$choices" ;; esac',
            "    fi",
            '    COMPREPLY=($(compgen -W "$words" -- "$cur"))',
            "}",
            "complete -o default -F _raceproof raceproof",
            "",
        ]
    )


# -- zsh ----------------------------------------------------------------------------------------------


def zsh_script(commands: Sequence[Command]) -> str:
    lines = [
        "#compdef raceproof",
        "# completion of raceproof for zsh",
        "_raceproof() {",
        "    if (( CURRENT == 2 )); then",
    ]
    lines.append("        local -a subcommands=(")
    lines += [f"            {_quoted(command.name + ':' + command.help)}" for command in commands]
    lines += ["        )", "        _describe command subcommands", "        return", "    fi"]
    lines += ["    local command=${words[2]}", "    shift words", "    (( CURRENT-- ))", "    case $command in"]
    for command in commands:
        lines.append(f"        {command.name})")
        lines.append("            _arguments -S \\")
        for option in command.options:
            lines += [f"                {_quoted(_zsh_option(flag, option))} \\" for flag in option.flags]
        rest = f"1:value:({' '.join(command.choices)})' '*:file:_files" if command.choices else "*:file:_files"
        lines += [f"                '{rest}' ;;"]
    lines += ["    esac", "}"]
    lines += ['if [ "${funcstack[1]}" = _raceproof ]; then _raceproof "$@"; else compdef _raceproof raceproof; fi', ""]
    return "\n".join(lines)


def _zsh_option(flag: str, option: Option) -> str:
    text = option.help.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")
    if not option.takes_value:
        return f"*{flag}[{text}]"
    values = f"({' '.join(option.choices)})" if option.choices else "_files"
    return f"*{flag}{'=' if flag.startswith('--') else '+'}[{text}]:value:{values}"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


# -- fish ---------------------------------------------------------------------------------------------


def fish_script(commands: Sequence[Command]) -> str:
    lines = ["# completion of raceproof for fish", "complete -c raceproof -n __fish_use_subcommand -f"]
    for command in commands:
        help_text = _fish_quoted(command.help)
        lines.append(f"complete -c raceproof -n __fish_use_subcommand -f -a {command.name} -d {help_text}")
    for command in commands:
        start = f"complete -c raceproof -n '__fish_seen_subcommand_from {command.name}'"
        if command.choices:
            lines.append(f"{start} -f -a '{' '.join(command.choices)}'")
        for option in command.options:
            flags = " ".join(f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}" for flag in option.flags)
            value = f" -x -a '{' '.join(option.choices)}'" if option.choices else " -r" if option.takes_value else ""
            lines.append(f"{start} {flags}{value} -d {_fish_quoted(option.help)}")
    return "\n".join(lines) + "\n"


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


_SCRIPTS: dict[str, Callable[[Sequence[Command]], str]] = {
    "bash": bash_script,
    "fish": fish_script,
    "zsh": zsh_script,
}
