"""Run the Python clients one after the other. The last line reports the end."""

import asyncio
import time

import aiokafka_client
import kafka_python
import steps

kafka_python.run()
asyncio.run(aiokafka_client.run())
steps.report("end", time.monotonic(), None, ())
