"""Every peer, by the name of its convention."""

from . import classification, detection, retrieval

PEERS = {**classification.PEERS, **detection.PEERS, **retrieval.PEERS}
