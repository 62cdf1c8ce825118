"""Commands about a capture, what clients send, packets and brokers."""
