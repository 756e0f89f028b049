# A server with one thread and one loop, as many are: what holds up one request holds up all.
import os, select, socket, sys, threading, time

STALL = float(sys.argv[1])
folder = sys.argv[2]
listener = socket.create_server(("127.0.0.1", 0), backlog=64)
print("%s:%d" % listener.getsockname(), flush=True)
poller = select.epoll()
poller.register(listener.fileno(), select.EPOLLIN)
conns = {}
lock = threading.Lock()


def holder():
    with lock:
        time.sleep(STALL)


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
        path = data.split(b" ", 2)[1].decode()
        end = time.monotonic() + STALL
        if path == "/burn":
            while time.monotonic() < end:
                pass
        elif path == "/sleep":
            time.sleep(STALL)
        elif path == "/lock":
            thread = threading.Thread(target=holder)
            thread.start()
            while not lock.locked():
                pass
            with lock:
                pass
        elif path == "/fsync":
            with open(os.path.join(folder, "file"), "wb") as f:
                written = 0
                while time.monotonic() < end or written < 20:  # others may have had the CPU until then
                    f.write(b"x" * 4096)
                    f.flush()
                    os.fsync(f.fileno())
                    written += 1
        body = b"x" * (8 << 20) if path == "/large" else b"ok"
        head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body)
        conn.sendall(head + body)
