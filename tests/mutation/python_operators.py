"""The faults that are put into Python: conditions, comparisons, sets, early ends, statements left out, one too many.

Texts, annotations, messages and what only asks for the time that is left stay as they are: a change there is either
no fault or none that a test should notice.
"""

from __future__ import annotations

import ast

from mutation.mutants import Edit

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.Add: ast.Sub,
}
_NAMES = {"any": "all", "all": "any", "min": "max", "max": "min"}
_METHODS = {"issubset": "issuperset", "issuperset": "issubset", "intersection": "union", "union": "intersection"}
_LARGEST = 2  # greater numbers are limits and sizes, of which one more is as good
_SILENT = {"check", "debug", "info", "on_progress"}  # calls that decide nothing
_ANNOTATIONS = {"annotation", "returns", "decorator_list", "type_comment"}
_DEFAULTS = {"defaults", "kw_defaults"}  # made when a module is read: no test of a mutant would see another one


def python_edits(source: str) -> list[Edit]:
    finder = _Finder(source)
    finder.visit(ast.parse(source))
    return finder.edits


class _Finder(ast.NodeVisitor):
    """Goes through the tree with the functions and the statement that it is in."""

    def __init__(self, source: str) -> None:
        self.edits: list[Edit] = []
        self._starts = [0]
        for line in source.encode().splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self._source = source.encode()
        self._functions: list[str] = []
        self._returns: list[str] = []
        self._lines = (1, 1)
        self._scope = (0, 0)
        self._parents: list[ast.AST] = []

    # -- the walk

    def generic_visit(self, node: ast.AST) -> None:
        self._parents.append(node)
        for field, value in ast.iter_fields(node):
            if field in _ANNOTATIONS | _DEFAULTS:
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    self._enter(child)
        self._parents.pop()

    def _enter(self, child: ast.AST) -> None:
        if isinstance(child, ast.JoinedStr):
            return  # a message
        if not isinstance(child, ast.stmt):
            self.visit(child)
            return
        before = self._lines
        body = getattr(child, "body", None) or getattr(child, "cases", None)
        last = child.end_lineno or child.lineno
        if body:
            first = body[0].pattern if isinstance(body[0], ast.match_case) else body[0]
            last = max(child.lineno, first.lineno - 1)
        self._lines = child.lineno, last
        self.visit(child)
        self._lines = before

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if not self._returns:
            self._scope = (
                self._offset(node.lineno, node.col_offset),
                self._offset(node.end_lineno or node.lineno, node.end_col_offset or 0),
            )
        self._functions.append(node.name)
        self._returns.append(ast.unparse(node.returns) if node.returns is not None else "")
        self._early_return(node)
        self.generic_visit(node)
        self._functions.pop()
        self._returns.pop()

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._functions.append(node.name)
        self.generic_visit(node)
        self._functions.pop()

    # -- conditions

    def visit_If(self, node: ast.If) -> None:
        self._negated(node.test)
        if len(node.body) == 1 and isinstance(node.body[0], ast.Return | ast.Continue | ast.Break | ast.Raise):
            head = f"if {ast.unparse(node.test)}: {ast.unparse(node.body[0])}"
            self._note(node.test, "False", f"{head} -> (left out)")
        self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        if not isinstance(node.test, ast.Constant):
            self._note(node.test, "False", f"while {ast.unparse(node.test)} -> while False")
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._negated(node.test)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for condition in node.ifs:
            self._note(condition, "True", f"for ... if {ast.unparse(condition)} -> (no condition)")
        self.generic_visit(node)

    def visit_match_case(self, node: ast.match_case) -> None:
        if node.guard is not None:
            self._note(node.guard, "True", f"case ... if {ast.unparse(node.guard)} -> (no condition)")
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        other = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
        self._replace(node, ast.BoolOp(other, node.values))
        word = "and" if isinstance(node.op, ast.And) else "or"
        for position, dropped in enumerate(node.values):
            rest = [value for number, value in enumerate(node.values) if number != position]
            new = rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
            self._note(node, ast.unparse(new), f"... {word} {ast.unparse(dropped)} -> (left out)")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not | ast.USub) and not isinstance(node.operand, ast.Constant):
            self._replace(node, node.operand)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        for position, operator in enumerate(node.ops):
            other = _COMPARISONS[type(operator)]()
            self._replace(
                node, ast.Compare(node.left, [*node.ops[:position], other, *node.ops[position + 1 :]], node.comparators)
            )
        self.generic_visit(node)

    # -- values

    def visit_BinOp(self, node: ast.BinOp) -> None:
        other = _ARITHMETIC.get(type(node.op))
        if isinstance(node.op, ast.Sub):  # of numbers or of sets
            self._note(node, ast.unparse(node.left), f"... - {ast.unparse(node.right)} -> (left out)")
        elif other is not None and not _is_text(node):
            self._replace(node, ast.BinOp(node.left, other(), node.right))
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        match node.func:
            case ast.Name(id=name) if name in _NAMES:
                self._replace(node, ast.Call(ast.Name(_NAMES[name]), node.args, node.keywords))
            case ast.Attribute(value=value, attr=name) if name in _METHODS:
                self._replace(node, ast.Call(ast.Attribute(value, _METHODS[name]), node.args, node.keywords))
            case ast.Name(id=("rejected" | "not_checked")):
                return  # what follows is a message
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if type(node.value) is int and abs(node.value) <= _LARGEST:
            self._exchanged(node, node.value + 1)
        elif type(node.value) is bool and not isinstance(self._parents[-1], ast.Return):
            self._exchanged(node, not node.value)

    # -- statements

    def visit_Return(self, node: ast.Return) -> None:
        value = node.value
        if value is not None and self._returns:
            text = ast.unparse(value)
            if self._returns[-1] == "bool":
                self._note(value, _opposite(value), f"return {text} -> return {_opposite(value)}")
            elif self._returns[-1].endswith("| None") and text != "None":
                self._note(value, "None", f"return {text} -> return None")
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            name = getattr(node.value.func, "attr", getattr(node.value.func, "id", ""))
            if name in _SILENT:
                return
            self._left_out(node)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._left_out(node)
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        if all(isinstance(target, ast.Subscript | ast.Attribute) for target in node.targets):
            self._left_out(node)
        self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        return  # its message; the condition before it is changed

    # -- edits

    def _early_return(self, node: ast.FunctionDef) -> None:
        """The function ends at once, with each answer that says nothing of its own."""
        body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
        if not body or node.name.startswith("__"):
            return
        returns = self._returns[-1]
        gives = any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in ast.walk(node))
        answers = ["True", "False"] if returns == "bool" else ["None"] if returns.endswith("| None") else []
        if gives or returns == "None":
            answers = [""]
        if isinstance(body[0], ast.Return) and isinstance(body[0].value, ast.Constant):
            return
        at, indent = self._offset(body[0].lineno, body[0].col_offset), " " * body[0].col_offset
        first = body[0].lineno
        for answer in answers:
            text = f"return {answer}".rstrip()
            self._add(at, at, f"{text}\n{indent}", f"-> {text} at once", (first, body[0].end_lineno or first), first)

    def _left_out(self, node: ast.stmt) -> None:
        self._note(node, "pass", f"{ast.unparse(node)} -> (left out)", bare=True)

    def _negated(self, test: ast.expr) -> None:
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            return  # the comparison is turned round by itself
        text = _opposite(test)
        self._note(test, text, f"if {ast.unparse(test)} -> if {text}")

    def _replace(self, node: ast.expr, new: ast.expr) -> None:
        self._note(node, ast.unparse(new), f"{ast.unparse(node)} -> {ast.unparse(new)}")

    def _exchanged(self, node: ast.Constant, other: int) -> None:
        """The constant for another one, shown with the expression around it."""
        around = self._parents[-1] if isinstance(self._parents[-1], ast.expr | ast.Assign) else node
        old, value = ast.unparse(around), node.value
        node.value = other
        new = ast.unparse(around)
        node.value = value
        self._note(node, str(other), f"{old} -> {new}")

    def _note(self, node: ast.expr | ast.stmt, text: str, change: str, bare: bool = False) -> None:
        start = self._offset(node.lineno, node.col_offset)
        end = self._offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
        self._add(start, end, text if bare else f"({text})", change, self._lines, node.lineno)

    def _add(self, start: int, end: int, text: str, change: str, lines: tuple[int, int], line: int) -> None:
        if not self._returns:
            return  # not in a function: the code of functions is what is exchanged
        function = ".".join(self._functions)
        self.edits.append(Edit(function, " ".join(change.split()), start, end, text, lines, line, self._scope))

    def _offset(self, line: int, column: int) -> int:
        return self._starts[line - 1] + column


def _opposite(value: ast.expr) -> str:
    match value:
        case ast.Constant(value=bool() as truth):
            return str(not truth)
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return ast.unparse(inner)
    return ast.unparse(ast.UnaryOp(ast.Not(), value))


def _is_text(node: ast.BinOp) -> bool:
    return any(
        isinstance(side, ast.JoinedStr) or (isinstance(side, ast.Constant) and isinstance(side.value, str))
        for side in ast.walk(node)
    )
