"""Captures and campaigns that outgrow one machine, on Spark. The only package that imports pyspark.

Its functions raise `PipelineError` where a job cannot begin or go on.
"""
