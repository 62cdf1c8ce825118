"""Text for people: wording, suggestions, text of foreign origin made safe, the two ways to print."""
