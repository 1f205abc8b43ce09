"""evidence: independent checkers of what a report claims. Shares no code with the engines that made the claims."""

from raceproof.evidence.claims import AccessClaim, Answer, Claim, Judgement, ReportClaims, Ruling, Subject
from raceproof.evidence.registry import CHECKERS, Checker, check_evidence

__all__ = [
    "CHECKERS",
    "AccessClaim",
    "Answer",
    "Checker",
    "Claim",
    "Judgement",
    "ReportClaims",
    "Ruling",
    "Subject",
    "check_evidence",
]
