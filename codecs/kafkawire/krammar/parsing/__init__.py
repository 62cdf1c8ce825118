"""From the text of definition files to definitions, and the problems of both."""
