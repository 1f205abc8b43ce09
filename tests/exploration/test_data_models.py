"""Where widths do not matter, a 32-bit program is searched as its 64-bit twin: verdicts, races, executions."""

from __future__ import annotations

import pytest
from programs_truth import PROGRAMS

from exploration.data_models import differences
from raceproof.explore.build import why_not_32_bits

# One for each kind of synchronisation, racy and not.
SAMPLE = (
    "atomics/cas_spinlock",
    "atomics/fetch_all_sizes_race",
    "atomics/mp_fences_race",
    "calls/cleanup_handler",
    "calls/longjmp_in_threads_race",
    "library/qsort_race",
    "library/sscanf_race",
    "library/strtok_race",
    "locks/c11_cnd_timedwait_race",
    "locks/cond_wait_released_race",
    "locks/mutexattr_all",
    "locks/robust_mutex_race",
    "locks/rwlock_attributes",
    "locks/sem_trywait",
    "locks/verifier_atomic_race",
    "threads/cancel_handlers_order",
)


@pytest.mark.skipif(why_not_32_bits() is not None, reason=str(why_not_32_bits()))
@pytest.mark.parametrize("name", SAMPLE)
def test_both_models_are_searched_alike(name: str) -> None:
    assert list(differences(PROGRAMS / f"{name}.c", executions=300)) == []
