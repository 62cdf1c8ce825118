"""Evolution of schemas: the changes between two definitions, and the frames that show what these break."""
