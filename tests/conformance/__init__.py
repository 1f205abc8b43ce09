"""The specification of the thread API against what implements it: the runtime, the engines, the interpreter."""
