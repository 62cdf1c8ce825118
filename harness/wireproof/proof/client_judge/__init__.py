"""Judgement of real clients' requests, frame by frame, by an oracle."""
