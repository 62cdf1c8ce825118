"""Message definitions in Kafka's JSON dialect: drawn valid, and broken by one rule.

The drawing itself (`message_drawing`) does not import Hypothesis: `wireproof schema fuzz` draws by seeds.
"""
