"""The configuration of commands: options, profiles, files and the frozen values that hold them."""

from wireproof.proof.config.command_configs import MATRIX_PHASES, CorpusConfig, MatrixConfig, PowerConfig
from wireproof.proof.config.config_file import OWN_FILE, file_layer
from wireproof.proof.config.option_table import (
    CODEC_FORMS,
    INSTALLED_CORPUS,
    NATIVE_FORM,
    OPTIONS,
    PHASE_NAMES,
    Option,
)
from wireproof.proof.config.option_values import OptionValues, ProveOptions
from wireproof.proof.config.option_words import option_values
from wireproof.proof.config.processors import available_processors
from wireproof.proof.config.report_paths import REPORTS, ReportOption, ReportPaths
from wireproof.proof.config.run_config import ConfigError, Limits, OptionLayer, RunConfig
from wireproof.proof.config.selection import (
    ALL_PHASES,
    DEFAULT_PHASES,
    PROFILES,
    MutationSet,
    SchemaSource,
    Selection,
    mutations_of,
    phases_of,
)

__all__ = [
    "ALL_PHASES",
    "CODEC_FORMS",
    "NATIVE_FORM",
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
    "OptionValues",
    "PowerConfig",
    "ProveOptions",
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
