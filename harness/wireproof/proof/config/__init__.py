"""The configuration of commands: options, profiles, files and the frozen values that hold them."""

from wireproof.proof.config.command_configs import MATRIX_PHASES, CorpusConfig, MatrixConfig, PowerConfig
from wireproof.proof.config.config_file import file_layer
from wireproof.proof.config.option_table import CODEC_FORMS, INSTALLED_CORPUS, NATIVE_FORM, OPTIONS, Option
from wireproof.proof.config.option_values import ProveOptions
from wireproof.proof.config.option_words import option_values
from wireproof.proof.config.processors import available_processors
from wireproof.proof.config.report_paths import REPORTS, ReportOption, ReportPaths
from wireproof.proof.config.run_config import ConfigError, OptionLayer, RunConfig
from wireproof.proof.config.selection import DEFAULT_PHASES, PROFILES, MutationSet, SchemaSource, Selection

__all__ = [
    "CODEC_FORMS",
    "NATIVE_FORM",
    "DEFAULT_PHASES",
    "INSTALLED_CORPUS",
    "MATRIX_PHASES",
    "OPTIONS",
    "PROFILES",
    "REPORTS",
    "ConfigError",
    "CorpusConfig",
    "MatrixConfig",
    "MutationSet",
    "Option",
    "OptionLayer",
    "PowerConfig",
    "ProveOptions",
    "ReportOption",
    "ReportPaths",
    "RunConfig",
    "SchemaSource",
    "Selection",
    "available_processors",
    "file_layer",
    "option_values",
]
