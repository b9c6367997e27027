"""Every peer, by the name of its convention."""

from . import classification, detection, r, retrieval

PEERS = {**classification.PEERS, **detection.PEERS, **r.PEERS, **retrieval.PEERS}
