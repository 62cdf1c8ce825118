"""Captures and campaigns that outgrow one machine, on Spark. The only package that imports pyspark."""
