"""drivers: programs that look like device drivers, for the table of the engine `transactions`; see write.py."""
