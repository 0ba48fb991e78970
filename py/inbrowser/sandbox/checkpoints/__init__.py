"""Checkpoints: states of the tree that can be gone back to."""
