"""The parts of the repository brief: each module contributes research actions, none knows the others."""
