"""explore: engine. Builds the instrumented program, drives the native search, replays. Finds and proves."""

from raceproof.explore.build import build_host, why_not_32_bits
from raceproof.explore.diagnoses import ENDED_ALONE, WAITS_FOR_CLIENT, is_diagnosis
from raceproof.explore.engine import has_waits, run, setup_of, watched_pairs
from raceproof.explore.guide import Followed, follow
from raceproof.explore.options import (
    DEFAULT_ALGORITHM,
    DEFAULT_LEARNING,
    DEFAULT_MAX_STEPS,
    FINDS_DEADLOCKS,
    ExploreOptions,
)
from raceproof.explore.preparation import Prepared, module_hash, prepare
from raceproof.explore.protocol import ALGORITHMS, ISOLATIONS, SAMPLE, SAMPLINGS, STATES
from raceproof.explore.replay import KEPT_STEPS, Replayed, attempts_of, drive_of, repeat, shows
from raceproof.explore.sampling import (
    DEFAULT_RUNS,
    DEFAULT_SAMPLING,
    MAX_STEPS,
    Sampled,
    SamplingOptions,
    prepare_all,
    run_samples,
    sample,
)
from raceproof.explore.target import Target, machine_of, secret_given, target_of, this_machine

__all__ = [
    "ALGORITHMS",
    "DEFAULT_ALGORITHM",
    "DEFAULT_LEARNING",
    "DEFAULT_MAX_STEPS",
    "DEFAULT_RUNS",
    "DEFAULT_SAMPLING",
    "ENDED_ALONE",
    "FINDS_DEADLOCKS",
    "ISOLATIONS",
    "KEPT_STEPS",
    "MAX_STEPS",
    "SAMPLE",
    "SAMPLINGS",
    "STATES",
    "WAITS_FOR_CLIENT",
    "ExploreOptions",
    "Followed",
    "Prepared",
    "Replayed",
    "Sampled",
    "SamplingOptions",
    "Target",
    "attempts_of",
    "build_host",
    "drive_of",
    "follow",
    "has_waits",
    "is_diagnosis",
    "machine_of",
    "module_hash",
    "prepare",
    "prepare_all",
    "repeat",
    "run",
    "run_samples",
    "sample",
    "secret_given",
    "setup_of",
    "shows",
    "target_of",
    "this_machine",
    "watched_pairs",
    "why_not_32_bits",
]
