"""Attacks that may run, and must do no harm."""

from __future__ import annotations

ENDURED = {
    "fork_bomb": """
children = []
try:
    while len(children) < 500:
        pid = os.fork()
        if pid == 0:
            time.sleep(30); os._exit(0)
        children.append(pid)
    print("ESCAPED: 500 forks")
except OSError as err:
    print("contained:", len(children), err)
""",
    "exponential_fork_bomb": """
while True:
    try:
        os.fork()
    except OSError:
        pass
""",
    "thread_bomb": """
import threading
count = 0
try:
    while count < 500:
        threading.Thread(target=time.sleep, args=(30,), daemon=True).start(); count += 1
    print("ESCAPED: 500 threads")
except (RuntimeError, MemoryError) as err:
    print("contained:", count, err)
""",
    "numpy_memory": """
import numpy
kept = numpy.ones(1 << 33)
print("ESCAPED")
""",
    "list_memory": """
kept = []
while True:
    kept.append(bytearray(1 << 24))
""",
    "map_memory": """
import mmap
kept = []
while True:
    kept.append(mmap.mmap(-1, 1 << 28))
""",
    "disk_fill": """
written = 0
try:
    for index in range(1000):
        with open(f"file{index}", "wb") as file:
            for _ in range(64):
                written += file.write(bytes(1 << 20))
    print("ESCAPED", written)
except OSError as err:
    print("contained:", written >> 20, "MiB", err)
""",
    "one_large_file": """
try:
    with open("large", "wb") as file:
        for _ in range(1000):
            file.write(bytes(1 << 20))
    print("ESCAPED")
except OSError as err:
    print("contained:", err)
""",
    "sparse_file": """
try:
    with open("sparse", "wb") as file:
        file.truncate(1 << 40)
    print("ESCAPED")
except OSError as err:
    print("contained:", err)
""",
    "many_files": """
try:
    for index in range(100_000):
        open(f"empty{index}", "w").close()
    print("ESCAPED")
except OSError as err:
    print("contained:", index, err)
""",
    "deep_folders": """
try:
    for index in range(20_000):
        os.mkdir("d"); os.chdir("d")
    print("ESCAPED")
except OSError as err:
    print("contained:", index, err)
""",
    "many_descriptors": """
kept = []
try:
    while True:
        kept.append(os.pipe())
except OSError as err:
    print("contained:", len(kept), err)
""",
    "print_flood": """
while True:
    print("flood" * 1000)
""",
    "raw_print_flood": """
while True:
    os.write(1, b"flood" * 10000)
    os.write(2, b"flood" * 10000)
""",
    "quit_quietly": "os._exit(0)",
    "quit": "sys.exit(0)",
    "crash": "ctypes.string_at(0)",
    "abort": "os.abort()",
    "recursion": """
def deeper():
    deeper()
sys.setrecursionlimit(10 ** 9)
deeper()
""",
    "compiler_recursion": "eval('(' * 100000 + ')' * 100000)",
    "alarm": """
signal.alarm(1)
time.sleep(30)
""",
    "deaf_loop": """
for number in range(1, 32):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    try:
        while True: pass
    except BaseException:
        pass
""",
    "planted_siblings": """
for exit_signal in (signal.SIGCHLD, signal.SIGKILL, signal.SIGSTOP, 0):
    for flags in (0x8000, 0):  # CLONE_PARENT: a child of the checkpoint's own parent
        if syscall((56, 220), flags | exit_signal, 0, 0, 0, 0) == 0:
            time.sleep(0.01 if exit_signal else 600)
            os._exit(0)
print("contained: siblings are found and ended")
""",
    "late_alarm": """
signal.setitimer(signal.ITIMER_REAL, 0.5)
""",
    "memory_of_daemons": """
for _ in range(6):
    if os.fork() == 0:
        if os.fork():
            os._exit(0)
        kept = bytearray(b"x") * (150 << 20)
        time.sleep(600)
time.sleep(600)
""",
    "daemon": """
if os.fork() == 0:
    if os.fork() == 0:
        for fd in range(3):
            os.close(fd)
        time.sleep(600)
    os._exit(0)
os.wait()
print("contained: nothing forbids this, it must only not live on")
""",
    "busy_daemons": """
for _ in range(5):
    if os.fork() == 0:
        if os.fork():
            os._exit(0)
        while True:
            pass
""",
    "running_threads": """
import threading
threading.Thread(target=time.sleep, args=(600,)).start()
threading.Thread(target=lambda: [None for _ in iter(int, 1)], daemon=True).start()
""",
    "garbage_on_every_descriptor": """
for fd in range(3, 64):
    try:
        os.set_blocking(fd, False)
        os.write(fd, b"\\xff" * 100_000)
    except OSError:
        pass
time.sleep(0.2)
""",
    "huge_frame": """
import struct
for fd in range(3, 64):
    try:
        os.write(fd, struct.pack("<I", 2) + b"{}" + struct.pack("<IQ", 1, 1 << 62))
    except OSError:
        pass
time.sleep(0.2)
""",
    "forged_replies": """
import json, struct
for header in ({"outcome": "infra_error"}, {"outcome": 7, "names": 3}, {}, {"op": "hello"},
               {"outcome": "ok", "error": {"type": []}, "notices": [1, {}], "part": "x"}):
    text = json.dumps(header).encode()
    for fd in range(3, 64):
        try:
            os.write(fd, struct.pack("<I", len(text)) + text + struct.pack("<I", 0))
        except OSError:
            pass
os._exit(0)
""",
    "descriptor_gift": """
import array, socket
gift = array.array("i", [os.open("/dev/null", os.O_RDONLY)] * 200)
for fd in range(3, 64):
    try:
        with socket.socket(fileno=os.dup(fd)) as sock:
            sock.sendmsg([b"x" * 8], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, gift)])
    except OSError:
        pass
""",
    "close_every_descriptor": """
os.closerange(0, 64)
time.sleep(0.2)
""",
    "shut_every_socket": """
import socket
for fd in range(3, 64):
    try:
        socket.socket(fileno=os.dup(fd)).shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
time.sleep(0.2)
""",
    "spoiled_interpreter": """
import builtins, json, socket
json.dumps = builtins.compile = builtins.exec = socket.socket.sendall = lambda *a, **k: 1 / 0
os.fork = os.waitpid = os._exit = sys.exit = lambda *a, **k: 1 / 0
sys.modules.clear()
""",
    "memory_of_many": """
for _ in range(6):
    if os.fork() == 0:
        kept = bytearray(b"x") * (150 << 20)
        time.sleep(600)
time.sleep(600)
""",
    "exit_hooks": """
import atexit
atexit.register(lambda: time.sleep(600))
signal.signal(signal.SIGTERM, lambda *_: time.sleep(600))
""",
}
