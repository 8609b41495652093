"""Plan trees: typed plans that are made, carried out by workers, and made anew after a setback."""
