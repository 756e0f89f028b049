// The subject scala/pekko-http: Pekko HTTP's routing DSL.

package service

import com.typesafe.config.ConfigFactory
import org.apache.pekko.actor.ActorSystem
import org.apache.pekko.http.scaladsl.Http
import org.apache.pekko.http.scaladsl.marshallers.sprayjson.SprayJsonSupport.*
import org.apache.pekko.http.scaladsl.model.StatusCodes
import org.apache.pekko.http.scaladsl.model.headers.Location
import org.apache.pekko.http.scaladsl.server.Directives.*
import org.apache.pekko.http.scaladsl.server.{MalformedRequestContentRejection, RejectionHandler, Route, ValidationRejection}
import spray.json.DefaultJsonProtocol.*
import spray.json.RootJsonFormat

import scala.concurrent.ExecutionContext
import scala.concurrent.duration.*

final case class Greeting(message: String)
final case class Failure(error: String)

object Server:
  given RootJsonFormat[Greeting] = jsonFormat1(Greeting.apply)
  given RootJsonFormat[Failure] = jsonFormat1(Failure.apply)

  // What can't be read or breaks a rule is the client's mistake, and said in JSON.
  private val rejections = RejectionHandler
    .newBuilder()
    .handle {
      case ValidationRejection(reason, _) => complete(StatusCodes.BadRequest -> Failure(reason))
      case MalformedRequestContentRejection(reason, _) =>
        complete(StatusCodes.BadRequest -> Failure(s"body: ${reason.linesIterator.next()}"))
    }
    .result()

  private val routes: Route = handleRejections(rejections) {
    concat(
      (get & path("plaintext"))(complete("Hello, World!")),
      (get & path("json"))(complete(Greeting("Hello, World!"))),
      (get & path("users" / Segment / "profile"))(id => complete(Profile(id, s"User $id", s"user$id@example.com"))),
      (post & path("api" / "users") & entity(as[NewUser])) { user =>
        user.broken match
          case Some(reason) => reject(ValidationRejection(reason))
          case None =>
            respondWithHeader(Location("/users/1/profile")) {
              complete(StatusCodes.Created -> Profile("1", user.name, user.email))
            }
      },
    )
  }

  def main(args: Array[String]): Unit =
    val flags = args.grouped(2).collect { case Array(flag, value) => flag -> value }.toMap
    val settings = ConfigFactory.parseString("pekko { loglevel = OFF, stdout-loglevel = OFF, http.server.parsing.max-content-length = 1m }")
    given system: ActorSystem = ActorSystem("service", settings.withFallback(ConfigFactory.load()))
    given ExecutionContext = system.dispatcher
    Http()
      .newServerAt(flags.getOrElse("-host", "127.0.0.1"), flags.getOrElse("-port", "8080").toInt)
      .bind(routes)
      .map(_.addToCoordinatedShutdown(hardTerminationDeadline = 1.second))
      .failed
      .foreach { e =>
        Console.err.println(e)
        sys.exit(1)
      }
