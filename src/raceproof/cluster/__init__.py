"""cluster: workers on other machines, by Dask.distributed. Knows addresses, connections and tasks; no program."""

from raceproof.cluster.address import Cluster, cluster_of
from raceproof.cluster.connection import ClusterLost, connected
from raceproof.cluster.workers import Greeting, Outcome, Task, Workers, is_wanted

__all__ = ["Cluster", "ClusterLost", "Greeting", "Outcome", "Task", "Workers", "cluster_of", "connected", "is_wanted"]
