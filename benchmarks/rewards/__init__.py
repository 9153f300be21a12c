"""Rewards that are not linear, zero-shot: what an agent that plans earns of the optimum, and what a switch costs."""
