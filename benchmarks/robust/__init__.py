"""How much an agent loses to noise, irrelevant components and sparse rewards: README.md."""
