"""What can go wrong with a cluster."""

__all__ = ["ClusterError"]


class ClusterError(RuntimeError):
    """A cluster does not answer or cannot do the work; the message says what to do.

    Examples
    --------
    >>> from featsieve.engine import ClusterError
    >>> issubclass(ClusterError, RuntimeError)
    True
    """
