"""Driving web pages for an agent: one Chromium, sight, hands, and walls around both."""
