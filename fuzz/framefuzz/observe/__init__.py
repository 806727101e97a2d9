"""Observing: values by their structure, read without running the program's own code."""
