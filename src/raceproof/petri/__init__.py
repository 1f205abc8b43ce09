"""petri: engine. Any number of threads: the program as a Petri net, coverability, certificates."""

from raceproof.petri.checking import check_certificate, check_firing
from raceproof.petri.engine import PetriOptions, run
from raceproof.petri.graphviz import to_dot
from raceproof.petri.net import Marking, Net, NetCertificate, Safe, Solution, Transition, Undecided, Unsafe
from raceproof.petri.plain import solve_plainly
from raceproof.petri.pnml import read_pnml, write_pnml
from raceproof.petri.program_net import Detail, ProgramNet, format_net, program_net, unreached
from raceproof.petri.program_sml import write_program_sml
from raceproof.petri.program_trace import describe_run
from raceproof.petri.sml_format import format_sml
from raceproof.petri.sml_net import SmlNet, net_of_sml
from raceproof.petri.sml_syntax import parse_sml
from raceproof.petri.sml_trace import tell_sml
from raceproof.petri.solver import kernel, solve
from raceproof.petri.spec_format import read_spec, write_spec

__all__ = [
    "Detail",
    "Marking",
    "Net",
    "NetCertificate",
    "PetriOptions",
    "ProgramNet",
    "Safe",
    "SmlNet",
    "Solution",
    "Transition",
    "Undecided",
    "Unsafe",
    "check_certificate",
    "check_firing",
    "describe_run",
    "format_net",
    "format_sml",
    "kernel",
    "net_of_sml",
    "parse_sml",
    "program_net",
    "read_pnml",
    "read_spec",
    "run",
    "solve",
    "solve_plainly",
    "tell_sml",
    "to_dot",
    "unreached",
    "write_pnml",
    "write_program_sml",
    "write_spec",
]
