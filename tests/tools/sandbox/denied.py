"""Attacks of which every attempt must fail."""

from __future__ import annotations

DENIED = {
    "read_outside": """
for path in ("/etc/shadow", "/etc/passwd", "/etc/hostname", "/", "/home", "/root", "/tmp",
             "/dev", "/dev/shm", "/sys", "/proc", "/var/log", TARGETS["secret"],
             TARGETS["folder"]):
    attempt(path, lambda: open(path).read() if not os.path.isdir(path) else os.listdir(path))
""",
    "see_outside": """
for path in (TARGETS["secret"], TARGETS["folder"], TARGETS["unix"], "/tmp/..data", "/home/root",
             "/root/.bashrc", "/var/log", "/run/systemd"):
    attempt("stat " + path, lambda: os.stat(path))
    attempt("chdir " + path, lambda: os.chdir(path))
    attempt("statvfs " + path, lambda: os.statvfs(path))
""",
    "read_cadwright_answers": """
import cadwright.tools
root = os.path.dirname(os.path.dirname(cadwright.tools.__file__))
for name in ("assets", "agent", "envs", "tests", "rewards", ".git", "pyproject.toml"):
    path = os.path.join(root, name)
    attempt(name, lambda: os.listdir(path) if "." not in name else open(path).read())
attempt("write tools", lambda: open(os.path.join(root, "tools", "planted.py"), "w"))
attempt("write packages", lambda: open(ctypes.__file__ + "x", "w"))
""",
    "read_parents": """
for pid in ("self", "1", "thread-self", str(os.getppid()), str(os.getpid()), str(TARGETS["pid"])):
    for name in ("mem", "environ", "maps", "fd", "cmdline", "root", "status", "task"):
        path = f"/proc/{pid}/{name}"
        attempt(path, lambda: open(path, "rb").read(1) if name not in ("fd", "root", "task")
                else os.listdir(path))
""",
    "write_outside": """
for path in ("/tmp/planted", "/dev/shm/planted", "/var/tmp/planted", "/planted", "/etc/planted",
             TARGETS["folder"] + "/planted", TARGETS["secret"], sys.prefix + "/planted",
             "/dev/mem", "/dev/kmsg", "/dev/tty", "/dev/console", "../../planted"):
    attempt(path, lambda: open(path, "w"))
    attempt("mkdir " + path, lambda: os.mkdir(path + "-folder"))
attempt("remove", lambda: os.unlink(TARGETS["secret"]))
attempt("rename", lambda: os.rename(TARGETS["secret"], "mine"))
attempt("truncate", lambda: os.truncate(TARGETS["secret"], 0))
""",
    "change_metadata": """
path = TARGETS["secret"]
def change(file, action):  # some answer success and do nothing
    before = os.stat(file)
    action()
    after = os.stat(file)
    if (before.st_mode, before.st_mtime_ns) == (after.st_mode, after.st_mtime_ns):
        raise OSError("nothing changed")
attempt("chmod", lambda: change(path, lambda: os.chmod(path, 0o777)))
attempt("chown", lambda: os.chown(path, os.getuid(), os.getgid()))
attempt("utime", lambda: os.utime(path))
attempt("utime to a value", lambda: change(path, lambda: os.utime(path, (7, 7))))
attempt("setxattr", lambda: os.setxattr(path, "user.planted", b"x"))
open("mine", "w").close()
attempt("setuid bit", lambda: change("mine", lambda: os.chmod("mine", 0o6755)))
attempt("own times", lambda: change("mine", lambda: os.utime("mine", (7, 7))))
attempt("getxattr", lambda: os.getxattr("mine", "user.planted"))
attempt("listxattr", lambda: os.listxattr("mine"))
attempt("link", lambda: os.link(path, "hard"))
attempt("symlink", lambda: os.symlink(path, "soft"))
attempt("fifo", lambda: os.mkfifo("fifo"))
attempt("device", lambda: os.mknod("device", 0o60666, os.makedev(8, 0)))
library = os.open(ctypes.__file__, os.O_RDONLY)
attempt("fchmod", lambda: change(library, lambda: os.fchmod(library, 0o777)))
attempt("futimes", lambda: os.utime(library))
attempt("futimes to a value", lambda: change(library, lambda: os.utime(library, (7, 7))))
attempt("lease", lambda: __import__("fcntl").fcntl(library, 1024, 0))
""",
    "network": """
import socket
for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, socket.AF_NETLINK,
               socket.AF_PACKET, socket.AF_VSOCK, socket.AF_ALG):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
        attempt(f"socket {family} {kind}", lambda: socket.socket(family, kind))
attempt("tcp", lambda: socket.create_connection(tuple(TARGETS["tcp"]), 2))
attempt("dns", lambda: socket.gethostbyname("example.org"))
attempt("http", lambda: __import__("urllib.request").request.urlopen("http://example.org"))
attempt("datagram pair", lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))
""",
    "network_through_a_pair": """
import socket
mine, other = socket.socketpair()
address = lambda name: TARGETS[name]
attempt("connect", lambda: mine.connect(address("unix")))
attempt("bind", lambda: mine.bind("\\0planted"))
attempt("listen", lambda: mine.listen())
attempt("sendto", lambda: mine.sendto(b"x", address("datagram")))
packets, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
attempt("reconnect", lambda: packets.connect(address("abstract")))
attempt("filter", lambda: mine.setsockopt(socket.SOL_SOCKET, 26, bytes(16)))
""",
    "signals": """
parent = os.getppid()
for pid in {parent, 1, TARGETS["pid"], -1, 0, -os.getpgrp(), os.getpid()}:
    for number in (0, signal.SIGSTOP, signal.SIGTERM, signal.SIGKILL, signal.SIGUSR1):
        attempt(f"kill {pid} {number}", lambda: os.kill(pid, number))
attempt("killpg", lambda: os.killpg(0, signal.SIGCONT))
for number in (9, 10, 11, 19):
    attempt(f"tgkill {number}", lambda: syscall((234, 131), parent, parent, number))
    attempt(f"tkill {number}", lambda: syscall((200, 130), parent, number))
info = ctypes.create_string_buffer(128)
attempt("sigqueue", lambda: syscall((129, 138), parent, 9, info))
attempt("tgsigqueue", lambda: syscall((297, 240), parent, parent, 9, info))
attempt("pidfd", lambda: os.pidfd_open(parent))
attempt("pidfd_send_signal", lambda: syscall(424, 0, 9, None, 0))
attempt("pidfd_getfd", lambda: syscall(438, 3, 0, 0))
attempt("mrelease", lambda: syscall(448, 3, 0))
""",
    "signals_by_descriptor": """
import fcntl, struct
read, write = os.pipe()
for command in (8, 10, 15, 1026):  # F_SETOWN, F_SETSIG, F_SETOWN_EX, F_NOTIFY
    attempt(f"fcntl {command}", lambda: fcntl.fcntl(read, command, struct.pack("ii", 1, 1)))
for request in (0x8901, 0x8902, 0x5452, 0x5412, 0x540E, 0x5410, 0x541C):
    attempt(f"ioctl {request:#x}", lambda: fcntl.ioctl(read, request, struct.pack("i", 1)))
for fd in range(3, 64):
    attempt(f"own {fd}", lambda: fcntl.fcntl(fd, fcntl.F_SETOWN, os.getppid()))
""",
    "other_processes": """
import resource
parent = os.getppid()
attempt("ptrace attach", lambda: checked(libc.ptrace(16, parent, 0, 0)))
attempt("ptrace seize", lambda: checked(libc.ptrace(0x4206, parent, 0, 0)))
attempt("ptrace me", lambda: checked(libc.ptrace(0, 0, 0, 0)))
place = ctypes.create_string_buffer(16)
attempt("vm_readv", lambda: checked(libc.process_vm_readv(parent, place, 1, place, 1, 0)))
attempt("vm_writev", lambda: checked(libc.process_vm_writev(parent, place, 1, place, 1, 0)))
attempt("prlimit", lambda: resource.prlimit(parent, resource.RLIMIT_CPU, (1, 1)))
attempt("prlimit get", lambda: resource.prlimit(parent, resource.RLIMIT_CPU))
attempt("nice", lambda: os.setpriority(os.PRIO_PROCESS, parent, 19))
attempt("affinity", lambda: os.sched_setaffinity(parent, {0}))
attempt("scheduler", lambda: os.sched_setscheduler(parent, os.SCHED_IDLE, os.sched_param(0)))
attempt("ioprio", lambda: syscall((251, 30), 1, parent, 3 << 13))
attempt("move pages", lambda: syscall((279, 239), parent, 0, None, None, None, 0))
attempt("kcmp", lambda: syscall((312, 272), parent, os.getpid(), 0, 0, 0))
attempt("oom", lambda: open(f"/proc/{parent}/oom_score_adj", "w"))
""",
    "leave_the_session": """
attempt("setsid", os.setsid)
attempt("setpgid", lambda: os.setpgid(0, 0))
attempt("disarm parent death", lambda: checked(libc.prctl(1, 0, 0, 0, 0)))
attempt("dumpable", lambda: checked(libc.prctl(4, 1, 0, 0, 0)))
attempt("ptracer", lambda: checked(libc.prctl(0x59616D61, -1, 0, 0, 0)))
attempt("seccomp", lambda: checked(libc.prctl(22, 1, 0, 0, 0)))
attempt("setns", lambda: checked(libc.setns(0, 0)))
for flag in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000, 0x80):
    attempt(f"unshare {flag:#x}", lambda: checked(libc.unshare(flag)))
for flag in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
    attempt(f"clone {flag:#x}", lambda: syscall((56, 220), flag | 17, 0, 0, 0, 0))
attempt("clone3", lambda: syscall(435, ctypes.create_string_buffer(88), 88))
""",
    "become_root": """
for name in ("setuid", "seteuid", "setgid", "setegid"):
    attempt(name, lambda: getattr(os, name)(0))
attempt("setresuid", lambda: os.setresuid(0, 0, 0))
attempt("setgroups", lambda: os.setgroups([0]))
attempt("sudo", lambda: os.execv("/usr/bin/sudo", ["sudo", "true"]))
attempt("chroot", lambda: os.chroot("."))
attempt("mount", lambda: checked(libc.mount(b"none", b".", b"tmpfs", 0, None)))
attempt("umount", lambda: checked(libc.umount2(os.getcwd().encode(), 2)))
attempt("remount", lambda: checked(libc.mount(None, b"/", None, 32, None)))
header, empty = ctypes.create_string_buffer(8), ctypes.create_string_buffer(b"\\xff" * 24)
attempt("capset", lambda: checked(libc.capset(header, empty)))
""",
    "execute": """
import subprocess
attempt("execv", lambda: os.execv("/bin/sh", ["sh", "-c", "exit"]))
attempt("system", lambda: os.system("true") and 1 / 0)
attempt("subprocess", lambda: subprocess.run(["/bin/true"]))
attempt("posix_spawn", lambda: os.posix_spawn("/bin/true", ["true"], {}))
attempt("execveat", lambda: syscall((322, 281), -100, b"/bin/true", None, None, 0))
attempt("python", lambda: os.execv(sys.executable, [sys.executable, "-c", ""]))
open("tool", "wb").write(b"#!/bin/true\\n")
attempt("own tool", lambda: os.execv("./tool", ["tool"]))
import multiprocessing
attempt("spawn", lambda: multiprocessing.get_context("spawn").Pool(1))
attempt("popen", lambda: os.popen("true").close())
""",
    "kernel_doors": """
doors = dict(bpf=(321, 280), perf=(298, 241), keyctl=(250, 219), add_key=(248, 217),
             request_key=(249, 218), userfaultfd=(323, 282), io_uring=425, memfd_secret=447,
             open_tree=428, fsopen=430, mount_setattr=442, landlock=444, personality=(135, 92),
             memfd=(319, 279), shmget=(29, 194), semget=(64, 190), msgget=(68, 186),
             mq_open=(240, 180), inotify=(294, 26), fanotify=(300, 262), kexec=(246, 104),
             init_module=(175, 105), finit_module=(313, 273), reboot=(169, 142),
             swapon=(167, 224), acct=(163, 89), sethostname=(170, 161), settimeofday=(170, 170),
             clock_settime=(227, 112), adjtimex=(159, 171), handle_at=(303, 264),
             by_handle=(304, 265), quotactl=(179, 60), syslog=(103, 116), vhangup=(153, 58),
             io_setup=(206, 0), pidfd_open=434, process_madvise=440, modify_ldt=(154, 435),
             pivot_root=(155, 41), iopl=(172, 435), uselib=(134, 435), sysfs=(139, 435))
for name, number in doors.items():
    attempt(name, lambda: syscall(number, 0, 0, 0, 0, 0, 0))
attempt("younger than the list", lambda: syscall(999, 0))
from multiprocessing import Lock, shared_memory
attempt("shared memory", lambda: shared_memory.SharedMemory(create=True, size=8))
attempt("semaphore", Lock)
""",
    "python_bypasses": """
import builtins, importlib
attempt("sys.modules", lambda: sys.modules["os"].execv("/bin/true", ["true"]))
attempt("posix", lambda: sys.modules["posix"].open(TARGETS["secret"], 0))
loaders = [c for c in object.__subclasses__() if c.__name__ == "FileLoader"]
attempt("subclasses", lambda: loaders[0]("x", TARGETS["secret"]).get_data(TARGETS["secret"]))
attempt("io", lambda: importlib.import_module("io").open_code(TARGETS["secret"]))
attempt("builtins", lambda: builtins.__dict__["open"](TARGETS["secret"]))
attempt("libc", lambda: checked(libc.open(TARGETS["secret"].encode(), 0)))
attempt("openat2", lambda: syscall(437, -100, TARGETS["secret"].encode(), bytes(24), 24))
attempt("other cwd", lambda: os.chdir(TARGETS["folder"]) or open("reference.step"))
""",
}
