// The subject kotlin/ktor: Ktor on Netty.

package service

import io.ktor.http.ContentType
import io.ktor.http.HttpHeaders
import io.ktor.http.HttpStatusCode
import io.ktor.serialization.kotlinx.json.json
import io.ktor.server.application.Application
import io.ktor.server.application.install
import io.ktor.server.engine.EmbeddedServer
import io.ktor.server.engine.embeddedServer
import io.ktor.server.netty.Netty
import io.ktor.server.plugins.BadRequestException
import io.ktor.server.plugins.contentnegotiation.ContentNegotiation
import io.ktor.server.plugins.statuspages.StatusPages
import io.ktor.server.request.receive
import io.ktor.server.response.header
import io.ktor.server.response.respond
import io.ktor.server.response.respondText
import io.ktor.server.routing.get
import io.ktor.server.routing.post
import io.ktor.server.routing.routing
import kotlinx.serialization.Serializable
import kotlinx.serialization.json.Json

@Serializable
data class Greeting(val message: String)

@Serializable
data class Failure(val error: String)

fun Application.service() {
    install(ContentNegotiation) { json(Json { ignoreUnknownKeys = true }) }
    install(StatusPages) {
        exception<BadRequestException> { call, e ->
            val cause = generateSequence<Throwable>(e) { it.cause }.last()
            call.respond(HttpStatusCode.BadRequest, Failure("body: ${cause.message?.lineSequence()?.first()}"))
        }
    }
    routing {
        get("/plaintext") { call.respondText("Hello, World!", ContentType.Text.Plain) }
        get("/json") { call.respond(Greeting("Hello, World!")) }
        get("/users/{id}/profile") {
            val id = call.parameters["id"]!!
            call.respond(Profile(id, "User $id", "user$id@example.com"))
        }
        post("/api/users") {
            val user = call.receive<NewUser>()
            user.broken()?.let { return@post call.respond(HttpStatusCode.BadRequest, Failure(it)) }
            call.response.header(HttpHeaders.Location, "/users/1/profile")
            call.respond(HttpStatusCode.Created, Profile("1", user.name, user.email))
        }
    }
}

fun main(args: Array<String>) {
    val flags = args.toList().chunked(2).associate { (flag, value) -> flag to value }
    val server: EmbeddedServer<*, *> =
        embeddedServer(
            Netty,
            port = (flags["-port"] ?: "8080").toInt(),
            host = flags["-host"] ?: "127.0.0.1",
            module = Application::service,
        )
    Runtime.getRuntime().addShutdownHook(Thread { server.stop(200, 1000) })
    server.start(wait = true)
}
