# ruff: noqa: D103  # the names of the modes say what they do
"""A MaxSAT solver by brute force that misbehaves on demand; started as a program by the tests.

Usage: fake_solver.py MODE FILE. A mode is a function from ``good`` on.
"""

import itertools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def read(path):
    n_vars, hard, soft, top = 0, [], [], None
    for line in Path(path).read_text().splitlines():
        words = line.split()
        if words[0] == "p":
            top = int(words[4])
        elif words[0] != "c":
            literals = [int(word) for word in words[1:-1]]
            n_vars = max([n_vars, *map(abs, literals)])
            if words[0] == "h" or int(words[0]) == top:
                hard.append(literals)
            else:
                soft.append((int(words[0]), literals))
    return n_vars, hard, soft


def say(*words):
    print(*words, flush=True)


def holds(values, clause):
    return any(values[abs(lit) - 1] == (lit > 0) for lit in clause)


def models():
    """Yield models with their costs, each better than the one before, from all true to all false."""
    best = None
    for values in itertools.product([True, False], repeat=n_vars):
        cost = sum(weight for weight, clause in soft if not holds(values, clause))
        if all(holds(values, clause) for clause in hard) and (best is None or cost < best):
            best = cost
            yield cost, values


def literals_of(values):
    return [i if value else -i for i, value in enumerate(values, 1)]


def bits_of(values):
    return "".join(str(int(value)) for value in values)


def incumbent():
    """Print a first model and return it."""
    cost, values = next(models())
    say("o", cost)
    say("v", *literals_of(values), 0)
    return cost, values


def sleep():
    while True:
        time.sleep(1)


def good():
    found = list(models())
    for cost, values in found:
        say("c looking")
        say("o", cost)
        say("v", *literals_of(values), 0)
    say("s OPTIMUM FOUND" if found else "s UNSATISFIABLE")


def final_only():
    *_, (_, values) = models()
    for each, _ in models():
        say("o", each)
    say("s OPTIMUM FOUND")
    say("v", *literals_of(values))
    sys.exit(30)


def bits():
    for cost, values in models():
        say("o", cost)
        say("v", bits_of(values))
    say("s OPTIMUM FOUND")
    say("o", cost)  # repeated


def many_lines():
    for cost, values in models():
        say("o", cost)
        for literal in literals_of(values):
            say("v", literal)
        say("v", n_vars + 1, -n_vars - 2)  # its own variables
        say("v 0")
    say("s OPTIMUM FOUND")


def no_line_end():
    *_, (cost, values) = models()
    sys.stdout.write(f"\rs OPTIMUM FOUND\r\no {cost}\r\nv {' '.join(map(str, literals_of(values)))}")


def satisfiable():
    incumbent()
    say("s SATISFIABLE")


def killed():
    incumbent()
    time.sleep(0.3)
    sys.stdout.write("o 0\nv 1")  # in the middle of a line
    sys.stdout.flush()
    print("out of \x1b[31mmemory\x07", file=sys.stderr, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)


def exit_code():
    incumbent()
    sys.exit("cannot go on")


def crash_after_answer():
    *_, (_, values) = models()
    say("s OPTIMUM FOUND")
    say("v", *literals_of(values), 0)
    os.kill(os.getpid(), signal.SIGSEGV)


def lie_cost():
    cost, values = incumbent()
    say("o", cost - 1)
    say("v", *literals_of(values), 0)
    sleep()


def lie_optimum():
    cost, _ = incumbent()
    say("o", cost + 5)
    say("s OPTIMUM FOUND")


def lie_model():
    incumbent()
    time.sleep(0.3)  # so that the first model is checked, not replaced
    say("o 0")
    say("v", *range(-1, -n_vars - 1, -1), 0)
    sleep()


def lie_unsatisfiable():
    incumbent()
    time.sleep(0.3)
    say("s UNSATISFIABLE")


def worse_optimum():
    *_, (_, values) = models()
    say("v", *literals_of(values), 0)
    time.sleep(0.3)
    incumbent()
    say("s OPTIMUM FOUND")


def optimum_without_model():
    say("o 3")
    say("s OPTIMUM FOUND")


def hang():
    incumbent()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sleep()


def silent_hang():
    sleep()


def stop_itself():
    incumbent()
    os.kill(os.getpid(), signal.SIGSTOP)
    sleep()


def with_child():
    incumbent()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", path])
    sleep()


def leaves_child():
    *_, (cost, values) = models()
    say("o", cost)
    say("v", *literals_of(values), 0)
    say("s OPTIMUM FOUND")
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", path])


def garbage():
    incumbent()
    while True:
        os.write(1, b"\xff\x00 garbage \x1b[2J\n" * 1000)
        os.write(2, b"\xff\x00 garbage \x1b[2J\n" * 10)


def endless_line():
    incumbent()
    while True:
        os.write(1, b"x" * 65536)


def endless_model():
    incumbent()
    os.write(1, b"v ")
    while True:
        os.write(1, b"1 " * 32768)


def many_models():
    while True:
        incumbent()


def on_request():
    def print_best(*_):
        *_, (cost, values) = models()
        say("o", cost)
        say("s SATISFIABLE")
        say("v", *literals_of(values))
        sys.exit(10)

    signal.signal(signal.SIGTERM, print_best)
    sleep()


def dies_printing():
    def print_half(*_):
        say("o 0")
        sys.stdout.write("v -1 -2")
        sys.stdout.flush()
        os.kill(os.getpid(), signal.SIGKILL)

    signal.signal(signal.SIGTERM, print_half)
    incumbent()
    sleep()


def closes_output():
    incumbent()
    os.close(1)
    os.close(2)
    sleep()


def closes_output_after_answer():
    *_, (_, values) = models()
    say("v", *literals_of(values), 0)
    say("s OPTIMUM FOUND")
    os.close(1)
    sleep()


def silent():
    pass


def chatter():
    say("c nothing to say")


def unknown():
    say("s UNKNOWN")


def no_status():
    incumbent()


def bad_values():
    say("v 1 two 3 0")


def bad_cost():
    say("o many")


def bad_status():
    say("s MAYBE")


if __name__ == "__main__":
    mode, path = sys.argv[1:]
    n_vars, hard, soft = read(path)
    globals()[mode.replace("-", "_")]()
