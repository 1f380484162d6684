"""Policies: what decides the next assistant turn."""

from cadwright.agent.policies.factory import make_policy
from cadwright.agent.policies.policy import Policy

__all__ = ["Policy", "make_policy"]
