"""The option --cluster: where it leads, and what cannot go there."""

from __future__ import annotations

import argparse

from raceproof import explore
from raceproof.cli.options import Parser
from raceproof.cluster import Cluster, cluster_of
from raceproof.core import InputError

_STAYS_HERE = ("client", "server", "directory")


def add_cluster_argument(parser: Parser | argparse._ArgumentGroup) -> None:
    parser.add_argument(
        "--cluster",
        metavar="WHERE",
        help="search on a Dask cluster: local:N (N processes here), tcp://HOST:PORT or tls://HOST:PORT (a scheduler),"
        " ssh:HOST,HOST, or file:SCHEDULER.json; see docs/cluster.md",
    )


def refuse_cluster_argument(parser: Parser) -> None:
    """For commands that run on this machine only."""

    def refuse(text: str) -> str:
        raise argparse.ArgumentTypeError("this command runs on this machine only; `explore` and `check` have --cluster")

    parser.add_argument("--cluster", type=refuse, help=argparse.SUPPRESS)


def cluster_given(args: argparse.Namespace) -> Cluster | None:
    """Where --cluster leads; what cannot go there is refused."""
    given: str | None = getattr(args, "cluster", None)
    if given is None:
        return None
    cluster = cluster_of(given)
    if args.jobs is not None:
        raise InputError("--cluster and --jobs: give one; a cluster has as many workers as it has")
    if getattr(args, "algorithm", None) == explore.STATES:
        raise InputError("--algorithm states keeps its table in one process: it does not go with --cluster")
    if args.target or args.via:
        raise InputError("--target does not go with --cluster: workers run programs of their own machines")
    for name in _STAYS_HERE:
        if getattr(args, name, None):
            raise InputError(f"--{name} does not go with --cluster: what it names is on this machine only")
    return cluster
