package service;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The subject java/workload: pieces of work that claims are about, each a route. */
public final class Server {
  private final Settings settings;

  private Server(Settings settings) {
    this.settings = settings;
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      String answer = answer(exchange.getRequestURI().getPath());
      byte[] text = (answer == null ? "not found" : answer).getBytes(StandardCharsets.US_ASCII);
      exchange.getResponseHeaders().set("Content-Type", "text/plain");
      exchange.sendResponseHeaders(answer == null ? 404 : 200, text.length);
      exchange.getResponseBody().write(text);
    }
  }

  /** The answer shows that the work was done; null for a path that there is not. */
  private String answer(String path) {
    return switch (path) {
      case "/plaintext" -> "Hello, World!";
      case "/none" -> "0";
      case "/alloc" -> String.valueOf(Work.allocate(settings.repeat()));
      case "/wait" -> String.valueOf(Work.await(settings.waitMillis()));
      default -> null;
    };
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
    // The JDK's server closes idle connections beyond 200, and delays small answers.
    System.setProperty("sun.net.httpserver.maxIdleConnections", "100000");
    System.setProperty("sun.net.httpserver.nodelay", "true");
    Settings settings = Settings.of(System.getenv());
    HttpServer server = HttpServer.create(new InetSocketAddress(host, port), 4096);
    server.setExecutor(threads(settings.threads()));
    server.createContext("/", new Server(settings)::handle);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> server.stop(1)));
    Rhythm.start(settings);
    server.start();
  }

  /** A thread for each request: one of the JVM's, or one of the kernel's. */
  private static ExecutorService threads(String kind) {
    return switch (kind) {
      case "user" -> Executors.newVirtualThreadPerTaskExecutor();
      case "kernel" -> Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory());
      default -> throw new IllegalArgumentException("WORK_THREADS is " + kind + ": set it to user or kernel");
    };
  }
}
