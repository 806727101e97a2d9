"""The campaign: generates programs, has them judged, records and confirms what diverges."""
