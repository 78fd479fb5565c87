"""The few errors and warnings of our own; each says what to do next."""

__all__ = [
    "DataError",
    "DependentRowsWarning",
    "DroppedRowsWarning",
    "InterruptedSearchWarning",
    "NoFeatureSelectedWarning",
    "WeakEvidenceWarning",
]


class DataError(ValueError):
    """The table cannot be used as it is; the message names the column and the way out.

    Examples
    --------
    >>> from featsieve.exceptions import DataError
    >>> issubclass(DataError, ValueError)
    True
    """


class DependentRowsWarning(UserWarning):
    """Rows look as if they belonged together; the message names the option to pass."""


class DroppedRowsWarning(UserWarning):
    """Rows were left out, for example because their target is missing."""


class NoFeatureSelectedWarning(UserWarning):
    """A selector kept nothing, which is an answer but seldom the one hoped for."""


class WeakEvidenceWarning(UserWarning):
    """The answer is sound, but the data could not have shown much more."""


class InterruptedSearchWarning(UserWarning):
    """A search was ended by Ctrl-C; the best answer so far is kept."""
