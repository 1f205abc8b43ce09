"""differential: tiny generated programs, judged by the static analysis and by an interpreter that tries all schedules."""
