"""evidence: independent checkers of what a report claims. Shares no code with the engines that made the claims."""

from raceproof.evidence.claims import (
    About,
    AccessClaim,
    Answer,
    Claim,
    DeadlockClaim,
    ExecutedDeadlock,
    IncidentClaim,
    Judgement,
    ReportClaims,
    Ruling,
    Subject,
)
from raceproof.evidence.registry import CHECKERS, Checker, check_evidence

__all__ = [
    "CHECKERS",
    "About",
    "AccessClaim",
    "Answer",
    "Checker",
    "Claim",
    "DeadlockClaim",
    "ExecutedDeadlock",
    "IncidentClaim",
    "Judgement",
    "ReportClaims",
    "Ruling",
    "Subject",
    "check_evidence",
]
