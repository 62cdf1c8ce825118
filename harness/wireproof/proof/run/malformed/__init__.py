"""Malformed bytes: made of valid ones, read by codecs in limited processes, judged, retried."""
