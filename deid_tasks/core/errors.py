"""Errors of the platform. Their texts name notes, files, settings and offsets, never note text or identifiers."""


class DeidError(Exception):
    """Base of every error that this package raises on purpose; its text is safe to log."""


class SettingsError(DeidError):
    """A settings file, or a secret that it names, is missing or invalid."""


class WarehouseError(DeidError):
    """The warehouse cannot be reached, or lacks a table or column of the canonical contract."""


class LexiconError(DeidError):
    """A compiled lexicon is missing, damaged or of another format version."""


class ModelError(DeidError):
    """Model files are missing, damaged, or need a package that is not installed."""


class InputError(DeidError):
    """A line or a file given on the command line cannot be read."""


class GateError(DeidError):
    """A check that guards publishing failed; the text says which figure fell short."""


class ApprovalError(DeidError):
    """An act needs the approval of another person, or of a person who is known; the text says how to get it."""


class DictionariesTooOldError(DeidError):
    """The dictionaries of the promoted engine are older than the settings allow; a run waits for newer ones."""


class PublishError(DeidError):
    """The published table cannot be written or read."""


class VaultError(DeidError):
    """The vault cannot be written, or what it holds cannot be opened; nothing of what it holds is in the text."""


class StorageError(DeidError):
    """A file or a folder cannot be read or written; the text names it and the reason. A later try may succeed."""


class SparkError(DeidError):
    """Spark cannot start here, or did not do what was asked of it; the text says what to install or to run again."""
