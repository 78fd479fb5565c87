"""Addresses where no scheduler answers are told at once."""

import pickle
import socket

import pytest

from featsieve.engine import ClusterError, _cluster, use

pytest.importorskip("distributed")


pytestmark = pytest.mark.filterwarnings("ignore")


def test_an_address_where_no_scheduler_answers(monkeypatch):
    monkeypatch.setattr(_cluster, "CONNECT_SECONDS", 1.0)
    with socket.socket() as silent:  # takes the call and says nothing
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with (
            pytest.raises(ClusterError, match="No scheduler of Dask answers"),
            use("dask", address),
        ):
            pass
    with (
        pytest.raises(ClusterError, match="No scheduler of Dask answers"),
        use("dask", "tcp://127.0.0.1:1"),
    ):
        pass


@pytest.mark.parametrize("address", ["nonsense", "carrier-pigeon://roof:1"])
def test_what_is_no_address(address):
    with (
        pytest.raises(ValueError, match="no address of a scheduler"),
        use("dask", address),
    ):
        pass


def test_errors_of_clusters_are_runtime_errors_and_can_be_sent():
    error = ClusterError("no workers")
    assert isinstance(error, RuntimeError)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is ClusterError
    assert str(again) == "no workers"
