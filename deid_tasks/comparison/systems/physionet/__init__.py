"""The deid software of PhysioNet, from a copy of the user."""
