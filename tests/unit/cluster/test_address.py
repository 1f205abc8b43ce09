"""How clusters are named."""

from __future__ import annotations

import sys

import pytest

from raceproof.cluster import cluster_of, connected
from raceproof.cluster.address import Way
from raceproof.core import InputError, ToolMissing


def test_names_of_clusters() -> None:
    assert cluster_of("local:3").processes == 3
    assert cluster_of("local:3").is_here
    assert cluster_of("tcp://head:8786").way is Way.ADDRESS
    assert cluster_of("tls://[::1]:8786").way is Way.ADDRESS
    assert cluster_of("ssh:a,user@b").hosts == ("a", "user@b")
    assert str(cluster_of("file:/tmp/scheduler.json").file) == "/tmp/scheduler.json"
    assert not any(cluster_of(text).is_here for text in ("tcp://127.0.0.1:1", "ssh:localhost", "file:x"))


@pytest.mark.parametrize(
    "text",
    ["", "local", "local:", "local:0", "local:x", "local:-1", "tcp://head", "tcp://head:x", "tcp://:1", "http://a:1",
     "ssh:", "ssh:a,,b", "ssh:-oProxyCommand=x", "ssh:a b", "file:", "head:8786"],
)  # fmt: skip
def test_what_is_no_cluster(text: str) -> None:
    with pytest.raises(InputError, match="--cluster"):
        cluster_of(text)


def test_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dask", None)
    with pytest.raises(ToolMissing, match=r"pip install 'raceproof\[cluster\]'"), connected(cluster_of("local:1")):
        pass


def test_tls_needs_credentials() -> None:
    pytest.importorskip("distributed")
    with pytest.raises(InputError, match="TLS__CA_FILE"), connected(cluster_of("tls://127.0.0.1:9")):
        pass


def test_a_file_that_no_scheduler_has_written() -> None:
    pytest.importorskip("distributed")
    with (
        pytest.raises(InputError, match="there is no such file"),
        connected(cluster_of("file:/nowhere/scheduler.json")),
    ):
        pass
