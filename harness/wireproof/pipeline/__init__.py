"""Captures and campaigns that outgrow one machine, on Spark. The only package that imports pyspark.

Its functions raise `PipelineError` if a job cannot begin or continue.
"""
