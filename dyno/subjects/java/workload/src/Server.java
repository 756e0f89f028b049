package service;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * The subject java/workload: pieces of work that claims are about, each a route, with a thread
 * of its own for each connection, of the JVM or of the kernel. The server that comes with the JDK
 * is not used, for its dispatcher takes one new connection in each round of its work: of 2,000
 * most wait for seconds while the first are served.
 */
public final class Server {
  private static final int BACKLOG = 4096;
  private static final int CROWD_MILLIS = 5; // between connections that come at once
  private static final long CROWD_NANOS = 2_000_000_000L; // that a crowd is let in, at most

  private final Settings settings;
  private final ReentrantReadWriteLock entry = new ReentrantReadWriteLock();
  private volatile boolean crowded; // entry is locked, for a crowd is let in
  private long crowdedSince; // of who accepts
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();

  private Server(Settings settings) {
    this.settings = settings;
  }

  /** The response shows that the work was done; null for a path that there is not. */
  String answer(String path) {
    return switch (path) {
      case "/plaintext" -> "Hello, World!";
      case "/none" -> "0";
      case "/alloc" -> String.valueOf(Work.allocate(settings.repeat()));
      case "/wait" -> String.valueOf(Work.await(settings.waitMillis()));
      default -> null;
    };
  }

  /**
   * Gives each connection a thread, until the listener is closed. A crowd that comes at once is
   * let in before any of it is served: among hundreds of threads that serve, this one would have
   * so small a part of the CPU that the last of 2,000 waited for most of a minute.
   */
  private void accept(ServerSocket listener, Thread.Builder threads) throws IOException {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        if (!crowded) {
          entry.writeLock().lock();
          crowded = true;
          crowdedSince = System.nanoTime();
          listener.setSoTimeout(CROWD_MILLIS);
        } else if (System.nanoTime() - crowdedSince > CROWD_NANOS) {
          serveCrowd(listener);
        }
        threads.start(() -> serve(socket));
      } catch (SocketTimeoutException e) { // that was all of it
        serveCrowd(listener);
      } catch (IOException e) {
        if (!listener.isClosed()) {
          throw e;
        }
      }
    }
  }

  private void serveCrowd(ServerSocket listener) throws IOException {
    listener.setSoTimeout(0);
    crowded = false;
    entry.writeLock().unlock();
  }

  /** Waits while a crowd is let in, then responds. */
  private String admit(String path) {
    if (crowded) {
      entry.readLock().lock();
      entry.readLock().unlock();
    }
    return answer(path);
  }

  private void serve(Socket socket) {
    open.add(socket);
    try (socket) {
      socket.setTcpNoDelay(true);
      new Connection(socket, this::admit).serve();
    } catch (IOException e) {
      // The client has gone.
    } finally {
      open.remove(socket);
    }
  }

  /** Lets what is under way finish, for at most a second. */
  private void end(ServerSocket listener) {
    try {
      listener.close();
      for (Socket socket : open) {
        socket.shutdownInput(); // whoever waits for a request waits no longer
      }
      for (int waited = 0; !open.isEmpty() && waited < 1000; waited += 10) {
        Thread.sleep(10);
      }
    } catch (IOException | InterruptedException e) {
      // Then it ends at once.
    }
  }

  public static void main(String[] args) throws IOException {
    String host = "127.0.0.1";
    int port = 8080;
    for (int i = 0; i + 1 < args.length; i += 2) {
      switch (args[i]) {
        case "-host" -> host = args[i + 1];
        case "-port" -> port = Integer.parseInt(args[i + 1]);
        default -> throw new IllegalArgumentException(args[i]);
      }
    }
    Settings settings = Settings.of(System.getenv());
    Thread.Builder threads = switch (settings.threads()) {
      case "user" -> Thread.ofVirtual();
      case "kernel" -> Thread.ofPlatform();
      default -> throw new IllegalArgumentException("WORK_THREADS is " + settings.threads() + ": set it to user or kernel");
    };
    Server server = new Server(settings);
    ServerSocket listener = new ServerSocket(port, BACKLOG, InetAddress.getByName(host));
    Runtime.getRuntime().addShutdownHook(new Thread(() -> server.end(listener)));
    Rhythm.start(settings);
    server.accept(listener, threads);
  }
}
