# A server with one thread and one loop, as many are: what holds up one request holds up all.
import os, select, socket, sys, threading, time

folder = sys.argv[1]
listener = socket.create_server(("127.0.0.1", 0), backlog=64)
print("%s:%d" % listener.getsockname(), flush=True)
poller = select.epoll()
poller.register(listener.fileno(), select.EPOLLIN)
conns = {}
lock = threading.Lock()


def holder(stall):
    with lock:
        time.sleep(stall)


def blocked():
    """How long the thread neither ran nor could have: others may have had the CPU."""
    try:
        with open("/proc/thread-self/schedstat") as f:
            waited = int(f.read().split()[1]) / 1e9
    except OSError:
        waited = 0
    return time.monotonic() - time.thread_time() - waited


while True:
    for fd, _ in poller.poll():
        if fd == listener.fileno():
            conn, _ = listener.accept()
            conn.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            conns[conn.fileno()] = conn
            poller.register(conn.fileno(), select.EPOLLIN)
            continue
        conn = conns[fd]
        data = conn.recv(65536)
        if not data:
            poller.unregister(fd)
            conns.pop(fd).close()
            continue
        path, _, stall = data.split(b" ", 2)[1].decode().partition("?stall=")
        stall = float(stall or 0)
        if path == "/burn":
            burnt = time.thread_time() + stall  # however long that takes
            while time.thread_time() < burnt:
                pass
        elif path == "/sleep":
            time.sleep(stall)
        elif path == "/lock":
            thread = threading.Thread(target=holder, args=(stall,))
            thread.start()
            while not lock.locked():
                pass
            with lock:
                pass
        elif path == "/fsync":
            with open(os.path.join(folder, "file"), "wb") as f:
                written, slept, ran = 0, blocked(), time.thread_time()
                while blocked() - slept < stall or written < 20:
                    if time.thread_time() - ran > 20 * stall:
                        break  # this disk makes nobody wait
                    f.write(b"x" * 4096)
                    f.flush()
                    os.fsync(f.fileno())
                    written += 1
        body = b"x" * (8 << 20) if path == "/large" else b"ok"
        head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body)
        conn.sendall(head + body)
