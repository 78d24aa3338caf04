# ruff: noqa: D103  # the modes are described by their names
"""A brute-force MaxSAT solver with selectable faults; started as a program by the tests.

Usage: fake_solver.py MODE FILE. A mode is the name of a function from ``good`` on.
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


def write(*words):
    print(*words, flush=True)


def satisfies(values, clause):
    return any(values[abs(lit) - 1] == (lit > 0) for lit in clause)


def models():
    """Yield improving models with their costs, in the order from all true to all false."""
    best = None
    for values in itertools.product([True, False], repeat=n_vars):
        cost = sum(weight for weight, clause in soft if not satisfies(values, clause))
        if all(satisfies(values, clause) for clause in hard) and (best is None or cost < best):
            best = cost
            yield cost, values


def literals_of(values):
    return [i if value else -i for i, value in enumerate(values, 1)]


def bits_of(values):
    return "".join(str(int(value)) for value in values)


def print_first_model():
    """Print a first model and return it."""
    cost, values = next(models())
    write("o", cost)
    write("v", *literals_of(values), 0)
    return cost, values


def sleep_forever():
    while True:
        time.sleep(1)


def good():
    improving = list(models())
    for cost, values in improving:
        write("c searching")
        write("o", cost)
        write("v", *literals_of(values), 0)
    write("s OPTIMUM FOUND" if improving else "s UNSATISFIABLE")


def final_only():
    *_, (_, values) = models()
    for cost, _ in models():
        write("o", cost)
    write("s OPTIMUM FOUND")
    write("v", *literals_of(values))
    sys.exit(30)


def bits():
    for cost, values in models():
        write("o", cost)
        write("v", bits_of(values))
    write("s OPTIMUM FOUND")
    write("o", cost)  # repeated


def many_lines():
    for cost, values in models():
        write("o", cost)
        for literal in literals_of(values):
            write("v", literal)
        write("v", n_vars + 1, -n_vars - 2)  # auxiliary variables
        write("v 0")
    write("s OPTIMUM FOUND")


def no_line_end():
    *_, (cost, values) = models()
    sys.stdout.write(f"\rs OPTIMUM FOUND\r\no {cost}\r\nv {' '.join(map(str, literals_of(values)))}")


def satisfiable():
    print_first_model()
    write("s SATISFIABLE")


def killed():
    print_first_model()
    time.sleep(0.3)
    sys.stdout.write("o 0\nv 1")  # in the middle of a line
    sys.stdout.flush()
    print("out of \x1b[31mmemory\x07", file=sys.stderr, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)


def exit_code():
    print_first_model()
    sys.exit("cannot go on")


def crash_after_answer():
    *_, (_, values) = models()
    write("s OPTIMUM FOUND")
    write("v", *literals_of(values), 0)
    os.kill(os.getpid(), signal.SIGSEGV)


def false_cost():
    cost, values = print_first_model()
    write("o", cost - 1)
    write("v", *literals_of(values), 0)
    sleep_forever()


def false_optimum():
    cost, _ = print_first_model()
    write("o", cost + 5)
    write("s OPTIMUM FOUND")


def invalid_model():
    print_first_model()
    time.sleep(0.3)  # so that the first model is checked before it is replaced
    write("o 0")
    write("v", *range(-1, -n_vars - 1, -1), 0)
    sleep_forever()


def false_unsatisfiable():
    print_first_model()
    time.sleep(0.3)
    write("s UNSATISFIABLE")


def worse_optimum():
    *_, (_, values) = models()
    write("v", *literals_of(values), 0)
    time.sleep(0.3)
    print_first_model()
    write("s OPTIMUM FOUND")


def optimum_without_model():
    write("o 3")
    write("s OPTIMUM FOUND")


def hang():
    print_first_model()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sleep_forever()


def silent_hang():
    sleep_forever()


def suspended():
    print_first_model()
    os.kill(os.getpid(), signal.SIGSTOP)
    sleep_forever()


def with_child():
    print_first_model()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", path])
    sleep_forever()


def leaves_child():
    *_, (cost, values) = models()
    write("o", cost)
    write("v", *literals_of(values), 0)
    write("s OPTIMUM FOUND")
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", path])


def start_daemon():
    """Start a process in its own session, whose parent has ended."""
    daemon = "import subprocess, sys; subprocess.Popen(sys.argv[1:], start_new_session=True)"
    sleeper = [sys.executable, "-c", "import time; time.sleep(60)", path]
    subprocess.run([sys.executable, "-c", daemon, *sleeper], check=True, stdout=subprocess.DEVNULL)


def leaves_daemon():
    start_daemon()
    good()


def starts_daemon_and_hangs():
    start_daemon()
    print_first_model()
    sleep_forever()


def garbage():
    print_first_model()
    while True:
        os.write(1, b"\xff\x00 garbage \x1b[2J\n" * 1000)
        os.write(2, b"\xff\x00 garbage \x1b[2J\n" * 10)


def endless_line():
    print_first_model()
    while True:
        os.write(1, b"x" * 65536)


def endless_model():
    print_first_model()
    os.write(1, b"v ")
    while True:
        os.write(1, b"1 " * 32768)


def many_models():
    while True:
        print_first_model()


def on_sigterm():
    def print_best(*_):
        *_, (cost, values) = models()
        write("o", cost)
        write("s SATISFIABLE")
        write("v", *literals_of(values))
        sys.exit(10)

    signal.signal(signal.SIGTERM, print_best)
    sleep_forever()


def dies_printing():
    def print_partially(*_):
        write("o 0")
        sys.stdout.write("v -1 -2")
        sys.stdout.flush()
        os.kill(os.getpid(), signal.SIGKILL)

    signal.signal(signal.SIGTERM, print_partially)
    print_first_model()
    sleep_forever()


def closes_output():
    print_first_model()
    os.close(1)
    os.close(2)
    sleep_forever()


def closes_output_after_answer():
    *_, (_, values) = models()
    write("v", *literals_of(values), 0)
    write("s OPTIMUM FOUND")
    os.close(1)
    sleep_forever()


def silent():
    pass


def only_comments():
    write("c no result")


def unknown():
    write("s UNKNOWN")


def no_status():
    print_first_model()


def bad_values():
    write("v 1 two 3 0")


def bad_cost():
    write("o many")


def bad_status():
    write("s MAYBE")


if __name__ == "__main__":
    mode, path = sys.argv[1:]
    n_vars, hard, soft = read(path)
    globals()[mode.replace("-", "_")]()
