"""Docstrings hold what bases say of the parameters and attributes of a class."""

import inspect

from featsieve._docs import (
    SharedDocs,
    _entries,
    _sections,
    complete_docstring,
    described_like,
)
from public import public_names


class Base(SharedDocs):
    """A base.

    Parameters
    ----------
    seed : int, default=0
        Seed.
    low, high : float
        Bounds.

    Attributes
    ----------
    found_ : list
        What was found.

        In order.
    """

    seed: int = 0
    low: float = 0.0
    high: float = 1.0


class Own(Base):
    """A class that says some of it itself.

    More about it.

    Parameters
    ----------
    size : int, default=1
        Size.
    seed : int, default=0
        Seed of the size.

    Examples
    --------
    >>> 1 + 1
    2
    """

    size: int = 1


class Silent(Base):
    pass


def test_what_a_class_does_not_say_is_taken_from_its_base():
    assert (
        Own.__doc__
        == inspect.cleandoc(
            """A class that says some of it itself.

        More about it.

        Parameters
        ----------
        size : int, default=1
            Size.
        seed : int, default=0
            Seed of the size.
        low, high : float
            Bounds.

        Attributes
        ----------
        found_ : list
            What was found.

            In order.

        Examples
        --------
        >>> 1 + 1
        2
        """
        )
        + "\n"
    )
    assert complete_docstring(Own) == Own.__doc__


def test_parameters_that_a_class_does_not_have_are_not_told():
    class Part(SharedDocs):
        """A part.

        Parameters
        ----------
        known : int
            One.
        unknown : int
            The other.
        """

    class Whole(Part):
        """A whole."""

        known: int = 0

    assert "One." in Whole.__doc__
    assert "The other." not in Whole.__doc__


def test_a_class_without_a_docstring_has_that_of_its_base():
    assert vars(Silent).get("__doc__") is None
    assert inspect.getdoc(Silent) == inspect.getdoc(Base)


def test_every_parameter_of_an_estimator_has_an_entry_of_its_own():
    for module, name, thing in public_names():
        if not inspect.isclass(thing) or not issubclass(thing, SharedDocs):
            continue
        doc = inspect.getdoc(thing)
        assert doc.count("\nParameters\n") == doc.count("\nAttributes\n") == 1
        entries = _entries(_sections(thing.__doc__)[1]["Parameters"])
        told = {each for names, _ in entries for each in names}
        assert told >= set(inspect.signature(thing).parameters), (module, name)


def test_rows_to_predict_are_described():
    class Predicts(SharedDocs):
        """Predicts."""

        def predict(self, X):
            """Return answers.

            Returns
            -------
            ndarray
                Answers.
            """

        def fit(self, X, y):
            """Learn."""

    told = inspect.getdoc(Predicts.predict)
    assert told.index("Return answers.") < told.index("Columns as in `fit`.")
    assert told.index("Columns as in `fit`.") < told.index("Returns\n-------\nndarray")
    told = inspect.getdoc(Predicts.fit)
    assert told.startswith("Learn.\n\nParameters\n")
    assert told.index("\nX : ") < told.index("\ny : ") < told.index("\nReturns\n")
    assert "sample_weight" not in told

    class PredictsMore(Predicts):
        """Predicts more."""

        def predict(self, X):
            """Return other answers."""

    told = inspect.getdoc(PredictsMore.predict)
    assert told.startswith("Return other answers.")
    assert told.endswith("ndarray\n    Answers.")
    for _, _, thing in public_names():
        if inspect.isclass(thing) and issubclass(thing, SharedDocs):
            for name in ("predict", "predict_proba", "apply", "transform"):
                if hasattr(thing, name):
                    doc = inspect.getdoc(getattr(thing, name))
                    assert doc.count("\nX : ") == 1, (thing, name)


def test_a_function_is_described_like_another():
    def first(rows, seed=None):
        """Do one thing.

        Parameters
        ----------
        rows : int
            How many.
        seed : int, default=None
            Seed.

        Returns
        -------
        float
            A number.
        """

    @described_like(first, "Parameters\n----------\nlast : int\n    The end.\n")
    def second(rows, size, last=3):
        """Do another.

        Parameters
        ----------
        size : int
            How large.

        Examples
        --------
        >>> 1 + 1
        2
        """

    told = _sections(second.__doc__)[1]
    assert list(told) == ["Parameters", "Returns", "Examples"]
    words = "rows : int How many. size : int How large. last : int, default=3 The end."
    assert " ".join(told["Parameters"].split()) == words
    assert told["Returns"].strip() == "float\n    A number."


def test_every_function_that_is_described_like_another_has_all_entries():
    for module, name, thing in public_names():
        if inspect.isfunction(thing):
            told = _sections(thing.__doc__)[1].get("Parameters", "")
            names = {each for names, _ in _entries(told) for each in names}
            assert names == set(inspect.signature(thing).parameters), (module, name)
