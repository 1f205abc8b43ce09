"""The configuration file and the command line together: what is given on the command line wins."""

from __future__ import annotations

import argparse
from pathlib import Path

from raceproof.cli.options import DEFAULT_TIME_LIMIT, Parser
from raceproof.config import Config, load_config, source_files
from raceproof.core import InputError

_PROGRAM = ("files", "compile_commands", "task")


def add_config_arguments(parser: Parser) -> None:
    group = parser.add_argument_group("configuration")
    group.add_argument(
        "--config", type=Path, metavar="F", help="read this file (default: raceproof.toml here or above, or pyproject)"
    )
    group.add_argument("--no-config", action="store_true", help="read no configuration file")
    group.add_argument(
        "--baseline", type=Path, metavar="F", help="known findings: only others count for the exit status"
    )
    group.add_argument("--write-baseline", type=Path, metavar="F", help="write the findings of this run as known ones")


def configured(args: argparse.Namespace) -> Config | None:
    """Find the configuration and fill in what the command line leaves open."""
    if args.no_config and args.config is not None:
        raise InputError("give only one of: --config, --no-config")
    config = None if args.no_config else load_config(Path(), args.config)
    if config is not None:
        _fill_in(args, config)
    args.time_limit = args.time_limit or DEFAULT_TIME_LIMIT
    args.jobs = args.jobs or 1
    return config


def _fill_in(args: argparse.Namespace, config: Config) -> None:
    if not any(getattr(args, name) for name in _PROGRAM):
        args.files = list(source_files(config))
        args.compile_commands = config.compile_commands
        if not getattr(args, "via", None):  # with it, the target is a machine
            args.target = args.target or config.target
    if args.task is None:
        args.cflag = [*config.flags, *args.cflag]
        args.link = [*config.link, *getattr(args, "link", [])]
        if args.files and not getattr(args, "via", None):
            args.data_model = args.data_model or config.data_model
    args.entry = args.entry or config.entry
    args.arguments = args.arguments or list(config.arguments or ())
    args.engines = args.engines or (",".join(config.engines) if config.engines else None)
    if hasattr(args, "accept"):
        args.accept = args.accept or config.accept
    args.time_limit = args.time_limit or config.time_limit
    args.jobs = args.jobs or config.jobs
    args.baseline = args.baseline or config.baseline
