package service;

import io.vertx.core.AbstractVerticle;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServerOptions;
import java.util.concurrent.TimeUnit;

/** The subject java/vertx: a verticle with an event loop for each CPU. */
public final class Server extends AbstractVerticle {
  private static String host = "127.0.0.1";
  private static int port = 8080;

  @Override
  public void start(Promise<Void> started) {
    vertx.createHttpServer(new HttpServerOptions().setIdleTimeout(120).setIdleTimeoutUnit(TimeUnit.SECONDS))
        .requestHandler(Routes.of(vertx))
        .listen(port, host)
        .<Void>mapEmpty()
        .onComplete(started);
  }

  public static void main(String[] args) {
    for (int i = 0; i + 1 < args.length; i += 2) {
      switch (args[i]) {
        case "-host" -> host = args[i + 1];
        case "-port" -> port = Integer.parseInt(args[i + 1]);
        default -> throw new IllegalArgumentException(args[i]);
      }
    }
    var vertx = Vertx.vertx(new VertxOptions().setPreferNativeTransport(true));
    if (!vertx.isNativeTransportEnabled()) {
      System.err.println("no native transport, as on a system that is not Linux: " + vertx.unavailableNativeTransportCause());
    }
    Runtime.getRuntime().addShutdownHook(new Thread(() -> vertx.close().toCompletionStage().toCompletableFuture().join()));
    var loops = new DeploymentOptions().setInstances(Runtime.getRuntime().availableProcessors());
    vertx.deployVerticle(Server.class, loops).onFailure(e -> {
      e.printStackTrace();
      System.exit(1);
    });
  }
}
