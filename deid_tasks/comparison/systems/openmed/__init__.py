"""The rules of OpenMed."""
