"""coarse: facts about threads and locks that need no flow analysis, in one pass over the program."""
