"""stdlib.h (without the allocator), search.h, getopt.h, setjmp.h, math.h, fenv.h, assert.h.

Errs on the side of more accesses. A function that POSIX calls thread-unsafe writes a static object of its own;
rand and random are taken to lock their state, as glibc's do.
"""

from __future__ import annotations

from typing import Final

from raceproof.facts.library.effect_terms import (
    ALL,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    LONG_DOUBLE,
    NORETURN,
    POINTER,
    SIGSET,
    advances,
    arg,
    both,
    calls,
    copy,
    copy_elements,
    effects,
    fresh,
    hidden,
    into,
    keeps,
    loaded,
    n,
    or_arg,
    own,
    rd,
    rw,
    static,
    store,
    wr,
)
from raceproof.facts.library.effects import STATIC_ARG, Bytes, Effect
from raceproof.facts.library.process_state import RANDOM_STATE

_XSUBI: Final = Bytes(6)
_DRAND48: Final = Bytes(24)
JMP_BUF: Final = Bytes(512, sure=64, sure_ilp32=24)  # aarch64 and its signal mask; of x86, the registers
# The library's table of them is found through this variable, which the program may declare.
_ENVIRONMENT: Final = hidden("environ", linked=True)
_LOOKED_UP: Final = both(  # the library's own strings, and those that the program has put there
    Effect(static_object="environ", linked=True),
    rd(STATIC_ARG, ALL),
    rd(STATIC_ARG, deref=True),
    loaded(STATIC_ARG),
)
# The state that was used before comes back; random and its like use it under a lock.
_RANDOM_STATE: Final = both(Effect(static_object=RANDOM_STATE), loaded(STATIC_ARG))
# It is left to point into one of the arguments.
_OPTARG: Final = both(
    *(Effect(static_object="optarg"), rd(2), rw(1, ALL), rd(1, deref=True)),
    *(copy(STATIC_ARG, 1), advances(STATIC_ARG)),
)

STDLIB: Final = effects(
    # numbers
    ("atoi atol atoll atof", rd(0)),
    ("strtol strtoll strtoul strtoull strtoimax strtoumax strtoq strtouq", rd(0), store(0, 1)),
    ("strtof strtod strtold strtof128", rd(0), store(0, 1)),
    ("__strtol_internal __strtoul_internal __strtod_internal strtol_l strtod_l", rd(0), store(0, 1)),
    ("strtoul_l strtoll_l strtoull_l strtof_l strtold_l strtof32 strtof64 strtof32x strtof64x", rd(0), store(0, 1)),
    ("wcstol wcstoll wcstoul wcstoull wcstoimax wcstoumax wcstof wcstod wcstold wcstoq wcstouq", rd(0), store(0, 1)),
    ("strfromf strfromd strfroml", wr(0, n(1)), rd(2)),
    ("abs labs llabs imaxabs div ldiv lldiv imaxdiv uabs ulabs ullabs umaxabs",),
    ("gcvt qgcvt", wr(2), arg(2)),
    ("ecvt fcvt qecvt qfcvt", wr(2, INT), wr(3, INT), static("ecvt buffer")),
    ("ecvt_r fcvt_r qecvt_r qfcvt_r", wr(2, INT), wr(3, INT), wr(4, n(5))),
    # random numbers
    ("rand srand random srandom arc4random arc4random_uniform",),
    ("rand_r", rw(0, INT)),
    ("initstate", keeps(1), wr(1, n(2)), _RANDOM_STATE, Effect(stores=((1, STATIC_ARG),))),
    ("setstate", keeps(0), rw(0, ALL), _RANDOM_STATE, Effect(stores=((0, STATIC_ARG),))),
    # The structure leads to the buffer that it was given.
    ("random_r", rw(0, ALL), rw(0, ALL, deref=1), wr(1, INT)),
    ("srandom_r", rw(1, ALL), rw(1, ALL, deref=1)),
    ("initstate_r", wr(1, n(2)), store(1, 3), rw(3, ALL), rw(3, ALL, deref=1)),
    ("setstate_r", rw(0, ALL), store(0, 1), rw(1, ALL), rw(1, ALL, deref=1)),
    ("drand48 lrand48 mrand48 srand48", hidden("drand48")),
    ("lcong48", rd(0, Bytes(14)), hidden("drand48")),
    ("seed48", rd(0, _XSUBI), static("drand48")),
    ("erand48 nrand48 jrand48", rw(0, _XSUBI)),
    ("drand48_r", rw(0, _DRAND48), wr(1, DOUBLE)),
    ("lrand48_r mrand48_r", rw(0, _DRAND48), wr(1, LONG)),
    ("srand48_r", wr(1, _DRAND48)),
    ("erand48_r", rw(0, _XSUBI), rw(1, _DRAND48), wr(2, DOUBLE)),
    ("nrand48_r jrand48_r", rw(0, _XSUBI), rw(1, _DRAND48), wr(2, LONG)),
    ("arc4random_buf", wr(0, n(1))),
    ("getrandom getentropy", wr(0, n(1))),
    # the environment: getenv takes no lock
    ("getenv secure_getenv __secure_getenv", rd(0), _LOOKED_UP),
    ("setenv", rd(0), rd(1), _ENVIRONMENT, rd(STATIC_ARG, deref=True)),
    ("unsetenv", rd(0), _ENVIRONMENT, rd(STATIC_ARG, deref=True)),
    ("putenv", rd(0), keeps(0), store(0, STATIC_ARG), _ENVIRONMENT, rd(STATIC_ARG, deref=True)),
    ("clearenv", _ENVIRONMENT),
    # the end of the program
    ("exit _exit _Exit quick_exit abort", NORETURN),
    ("atexit at_quick_exit", calls(0, later=True)),
    ("on_exit", calls(0, None, 1, later=True)),
    ("__cxa_atexit", calls(0, 1, later=True)),
    # sorting and searching
    ("qsort", rw(0, n(1, times=2)), copy_elements(0, 0, n(2)), calls(3, 0, 0)),
    ("qsort_r", rw(0, n(1, times=2)), copy_elements(0, 0, n(2)), calls(3, 0, 0, 4)),
    ("bsearch", calls(4, 0, 1), into(1)),
    ("lfind", rd(2, LONG), calls(4, 0, 1), into(1)),
    # one table for all; an ENTRY is passed as its two pointers
    ("hcreate hdestroy", hidden("hash table")),
    (
        "hsearch",
        *(rd(0), keeps(0, 1), static("hash table"), rd(STATIC_ARG, ALL), rd(STATIC_ARG, deref=True)),
        Effect(stores=((0, STATIC_ARG), (1, STATIC_ARG))),
    ),
    ("lsearch", rw(2, LONG), wr(1, ALL), rd(0, n(3)), copy_elements(1, 0, n(3)), calls(4, 0, 1), into(1)),
    # the command line: optind, opterr and optopt are ints that only the parsing thread uses
    ("getopt __posix_getopt", _OPTARG),
    ("getopt_long getopt_long_only", _OPTARG, rd(3, ALL), wr(3, INT, deref=True), wr(4, INT)),
    # processes, names, terminals
    ("system", rd(0)),
    ("mktemp", rw(0), arg(0)),
    ("mkstemp mkostemp mkstemps mkostemps", rw(0)),
    ("mkdtemp", rw(0), arg(0)),
    ("realpath __realpath_chk", rd(0), wr(1), or_arg(1), fresh()),
    ("canonicalize_file_name", rd(0), fresh()),
    ("getloadavg", wr(0, n(1, unit=8))),
    ("posix_openpt grantpt unlockpt getpt",),
    ("ptsname", static("ptsname")),
    ("ptsname_r", wr(1, n(2))),
    ("rpmatch", rd(0)),
    ("getsubopt", advances(0), rw(0, deref=True), rd(1, ALL), rd(1, deref=True), copy(2, 0), wr(2, POINTER)),
    ("basename __xpg_basename dirname", rw(0), into(0)),
)

SETJMP: Final = effects(
    ("setjmp _setjmp sigsetjmp __sigsetjmp", wr(0, JMP_BUF)),
    ("longjmp _longjmp siglongjmp __longjmp_chk", rd(0, JMP_BUF), NORETURN),
    ("getcontext", wr(0, ALL)),
    ("llvm.eh.sjlj.setjmp", wr(0, JMP_BUF)),
    ("llvm.eh.sjlj.longjmp", rd(0, JMP_BUF), NORETURN),
)

ASSERT: Final = effects(
    ("__assert_fail", rd(0), rd(1), rd(3), NORETURN),
    ("__assert", rd(0), rd(1), NORETURN),
    ("__assert_rtn", rd(0), rd(1), rd(3), NORETURN),
    ("__assert_perror_fail", rd(1), rd(3), NORETURN),
    ("__assert_func", rd(0), rd(2), rd(3), NORETURN),
    ("__stack_chk_fail __chk_fail __fortify_fail", NORETURN),
    ("__errno_location __errno ___errno __error _errno", own("errno")),
    ("__h_errno_location", own("h_errno")),
)

_UNARY: Final = """
    acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp10 exp2 expm1 fabs floor ilogb j0 j1
    llrint llround log log10 log1p log2 logb lrint lround nearbyint rint round roundeven significand sin sinh sqrt
    tan tanh tgamma trunc y0 y1 atan2 copysign drem fdim fmax fmin fmod hypot jn ldexp nextafter nexttoward pow pow10
    remainder scalb scalbln scalbn yn fma cabs cacos cacosh carg casin casinh catan catanh ccos ccosh cexp cimag clog
    conj cpow cproj creal csin csinh csqrt ctan ctanh clog10 acospi asinpi atanpi atan2pi cospi sinpi tanpi exp2m1
    exp10m1 log2p1 log10p1 logp1 llogb nextup nextdown fmaximum fminimum fmaximum_num fminimum_num fmaximum_mag
    fminimum_mag fmaxmag fminmag rsqrt rootn powr pown compoundn fromfp fromfpx ufromfp ufromfpx
"""

MATH: Final = effects(
    *((f"{name} {name}f {name}l",) for name in _UNARY.split()),
    ("finite finitef finitel isinf isinff isinfl isnan isnanf isnanl __finite __finitef __isinf __isinff",),
    ("__isnan __isnanf __isnanl __isinfl __finitel __signbit __signbitf __signbitl",),
    ("__fpclassify __fpclassifyf __fpclassifyl __issignaling __iseqsig",),
    ("nan nanf nanl", rd(0)),
    ("lgamma lgammaf lgammal gamma gammaf gammal", hidden("signgam")),
    ("lgamma_r lgammaf_r lgammal_r", wr(1, INT)),
    ("frexp frexpf frexpl", wr(1, INT)),
    ("modf", wr(1, DOUBLE)),
    ("modff", wr(1, FLOAT)),
    ("modfl", wr(1, LONG_DOUBLE)),
    ("remquo remquof remquol", wr(2, INT)),
    ("sincos", wr(1, DOUBLE), wr(2, DOUBLE)),
    ("sincosf", wr(1, FLOAT), wr(2, FLOAT)),
    ("sincosl", wr(1, LONG_DOUBLE), wr(2, LONG_DOUBLE)),
    ("feclearexcept feraiseexcept fesetround fegetround fetestexcept feenableexcept fedisableexcept fegetexcept",),
    ("fegetenv feholdexcept", wr(0, SIGSET)),
    ("fesetenv feupdateenv", rd(0, SIGSET)),
    ("fegetexceptflag", wr(0, INT)),
    ("fesetexceptflag", rd(0, INT)),
    # the compiler's own arithmetic
    ("__divti3 __modti3 __udivti3 __umodti3 __multi3 __mulodi4 __muloti4 __divdi3 __moddi3 __udivdi3 __umoddi3",),
    ("__muldi3 __ashldi3 __ashrdi3 __lshrdi3 __popcountdi2 __popcountsi2 __powidf2 __powisf2 __powixf2",),
    ("__udivmoddi4 __udivmodti4", wr(2, Bytes(16))),
    ("__divdc3 __muldc3 __divsc3 __mulsc3 __divxc3 __mulxc3",),
    ("__fixdfti __fixunsdfti __floattidf __floatuntidf __extendhfsf2 __truncsfhf2 __truncdfhf2",),
)

PROGRAM: Final = STDLIB | SETJMP | ASSERT | MATH
