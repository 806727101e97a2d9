"""Subjects: what runs a case, behind one protocol; eager is the reference."""
