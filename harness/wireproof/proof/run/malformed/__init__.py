"""Malformed bytes: made from valid bytes, read by codecs in limited processes, judged, retried."""
