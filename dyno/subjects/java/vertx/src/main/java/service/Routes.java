package service;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;

/** The routes of the service. */
final class Routes {
  record Greeting(String message) {}

  record Profile(String id, String name, String email) {}

  record Failure(String error) {}

  private Routes() {}

  static Router of(Vertx vertx) {
    var router = Router.router(vertx);
    router.get("/plaintext").handler(Routes::plaintext);
    router.get("/json").handler(c -> json(c, 200, new Greeting("Hello, World!")));
    router.get("/users/:id/profile").handler(Routes::profile);
    router.post("/api/users").handler(BodyHandler.create(false).setBodyLimit(1 << 20)).handler(Routes::createUser);
    return router;
  }

  private static void plaintext(RoutingContext c) {
    c.response().putHeader(HttpHeaders.CONTENT_TYPE, "text/plain").end("Hello, World!");
  }

  private static void profile(RoutingContext c) {
    var id = c.pathParam("id");
    json(c, 200, new Profile(id, "User " + id, "user" + id + "@example.com"));
  }

  private static void createUser(RoutingContext c) {
    NewUser user;
    try {
      user = Json.decodeValue(c.body().buffer(), NewUser.class);
    } catch (DecodeException | NullPointerException e) {
      json(c, 400, new Failure("body: " + e.getMessage()));
      return;
    }
    var reason = user.broken();
    if (reason != null) {
      json(c, 400, new Failure(reason));
      return;
    }
    c.response().putHeader(HttpHeaders.LOCATION, "/users/1/profile");
    json(c, 201, new Profile("1", user.name(), user.email()));
  }

  private static void json(RoutingContext c, int status, Object value) {
    c.response().setStatusCode(status).putHeader(HttpHeaders.CONTENT_TYPE, "application/json").end(Json.encodeToBuffer(value));
  }
}
