"""corpora: many programs with known verdicts: read, checked, scored, compared."""

from raceproof.corpora.comparison import compare
from raceproof.corpora.page import comparison_page, run_page
from raceproof.corpora.results import Run, Store, TaskResult, open_store, read_run
from raceproof.corpora.running import interruptions, run_tasks
from raceproof.corpora.scoring import Outcome
from raceproof.corpora.settings import Settings, code_digest
from raceproof.corpora.tables import comparison_lines, error_lines, printable, result_line, summary_lines, wrong_lines
from raceproof.corpora.tallies import tally
from raceproof.corpora.tasks import Corpus, read_corpus

__all__ = [
    "Corpus",
    "Outcome",
    "Run",
    "Settings",
    "Store",
    "TaskResult",
    "code_digest",
    "compare",
    "comparison_lines",
    "comparison_page",
    "error_lines",
    "interruptions",
    "open_store",
    "printable",
    "read_corpus",
    "read_run",
    "result_line",
    "run_page",
    "run_tasks",
    "summary_lines",
    "tally",
    "wrong_lines",
]
