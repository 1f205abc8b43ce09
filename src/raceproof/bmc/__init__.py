"""bmc: engine. Unwinds the program into events and orders, asks a solver; models run on the real program."""

from raceproof.bmc.checking import Refuted, Unanswered, check_unwinding
from raceproof.bmc.engine import run
from raceproof.bmc.options import BmcOptions, Executor
from raceproof.bmc.smt_format import format_smt

__all__ = ["BmcOptions", "Executor", "Refuted", "Unanswered", "check_unwinding", "format_smt", "run"]
