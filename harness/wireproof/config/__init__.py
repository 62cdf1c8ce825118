"""The configuration of commands: options, profiles, files and the frozen values that hold them."""

from wireproof.config.command_configs import MATRIX_PHASES, CorpusConfig, MatrixConfig, PowerConfig
from wireproof.config.config_file import OWN_FILE, file_layer
from wireproof.config.option_table import CODEC_FORMS, INSTALLED_CORPUS, OPTIONS, PHASE_NAMES, Option
from wireproof.config.option_words import option_values
from wireproof.config.processors import available_processors
from wireproof.config.profiles import PROFILES
from wireproof.config.report_paths import REPORTS, ReportOption, ReportPaths
from wireproof.config.run_config import ConfigError, Limits, OptionLayer, RunConfig
from wireproof.config.schema_source import SchemaSource
from wireproof.config.selection import (
    ALL_PHASES,
    DEFAULT_PHASES,
    MutationSet,
    Selection,
    mutations_of,
    phases_of,
)

__all__ = [
    "ALL_PHASES",
    "CODEC_FORMS",
    "DEFAULT_PHASES",
    "INSTALLED_CORPUS",
    "MATRIX_PHASES",
    "OPTIONS",
    "OWN_FILE",
    "PHASE_NAMES",
    "PROFILES",
    "REPORTS",
    "ConfigError",
    "CorpusConfig",
    "Limits",
    "MatrixConfig",
    "MutationSet",
    "Option",
    "OptionLayer",
    "PowerConfig",
    "ReportOption",
    "ReportPaths",
    "RunConfig",
    "SchemaSource",
    "Selection",
    "available_processors",
    "file_layer",
    "mutations_of",
    "option_values",
    "phases_of",
]
