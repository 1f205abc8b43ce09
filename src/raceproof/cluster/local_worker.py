"""Preloaded by the workers of `local:N`: Ctrl-C is for the process that started them, which ends them in good order."""

import signal
import threading

if threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
