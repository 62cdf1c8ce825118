"""The clients of Python, one after the other; the last line says that all is over."""

import asyncio
import time

import aiokafka_client
import kafka_python
import steps

kafka_python.run()
asyncio.run(aiokafka_client.run())
steps.tell("end", time.monotonic(), None, ())
