"""What becomes of a divergence: signature, standalone script, confirmation, place on disk."""
