"""config: what the user has written down: `raceproof.toml`, suppressions, the baseline of known findings."""

from raceproof.config.baseline import Known, apply_baseline, is_clean, read_baseline, write_baseline
from raceproof.config.intended import Intended, apply_intended, intended_of
from raceproof.config.load import load_config
from raceproof.config.settings import Config, DataModel, source_files
from raceproof.config.suppressions import Suppression, apply_suppressions, check_suppressions

__all__ = [
    "Config",
    "DataModel",
    "Intended",
    "Known",
    "Suppression",
    "apply_baseline",
    "apply_intended",
    "apply_suppressions",
    "check_suppressions",
    "intended_of",
    "is_clean",
    "load_config",
    "read_baseline",
    "source_files",
    "write_baseline",
]
