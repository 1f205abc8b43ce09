"""A search on a cluster, or one whose state is kept in a file, or both."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace

from raceproof.core import Unsupported
from raceproof.explore.checkpoint import Checkpoint
from raceproof.explore.cluster_crew import ClusterCrew, cluster_crew
from raceproof.explore.crew import LocalCrew
from raceproof.explore.options import ExploreOptions
from raceproof.explore.parallel import State, run_crew
from raceproof.explore.preparation import Prepared
from raceproof.explore.process import GRACE, HostRun, OnProgress
from raceproof.explore.protocol import Control


def run_shared(prepared: Prepared, control: Control, options: ExploreOptions, show: OnProgress) -> HostRun:
    """As `run_hosts`, with what the options say about clusters and files."""
    if options.surroundings.libraries and options.cluster is not None and not options.cluster.is_here:
        raise Unsupported("libraries without sources on a cluster: they are not sent to its workers")
    checkpoint, state = None, None
    if options.checkpoint is not None:
        checkpoint = Checkpoint(options.checkpoint, prepared.program, control, prepared.isolation)
        state = checkpoint.load()

    def keep(state: State, is_end: bool) -> None:
        if checkpoint is not None:
            checkpoint.keep(state, is_end)

    notes = _taken_up(options, state) if state is not None else ()
    with ExitStack() as stack:
        crew: LocalCrew | ClusterCrew
        if options.cluster is not None:
            crew = stack.enter_context(
                cluster_crew(options.cluster, prepared.program, control, prepared.machine, options.on_progress)
            )
        else:
            crew = LocalCrew(prepared.host, prepared.program, control, options.jobs, GRACE, is_whole=True)
        run = run_crew(crew, control, show, options.sharing, state, keep)
    if isinstance(crew, ClusterCrew):
        notes += crew.notes()
    if checkpoint is not None and checkpoint.problem is not None:
        notes += (checkpoint.problem,)
    return replace(run, notes=(*notes, *run.notes), is_taken_up=state is not None)


def _taken_up(options: ExploreOptions, state: State) -> tuple[str, ...]:
    made, left = state.ledger.totals["executions"], len(state.tree.open)
    return (f"taken up from {options.checkpoint}: {made:,} executions made, {left:,} parts of the search open",)
