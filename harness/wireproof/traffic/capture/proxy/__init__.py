"""The recording proxy: a port for each node and listener; all bytes are written before they are sent on."""
