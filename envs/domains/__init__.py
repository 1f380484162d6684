"""Procedural task families: an endless supply of tasks whose answers can be measured."""
