"""Judgement of a broker by its answers: any broker that listens, without an adapter."""
