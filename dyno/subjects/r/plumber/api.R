# The service in plumber.

library(plumber)

# The body is left as it comes, for a broken one is to be said by the handler.
register_parser("asis", function(...) function(value, ...) value, fixed = "application/json")

#* @serializer text
#* @get /plaintext
function() "Hello, World!"

#* @serializer unboxedJSON
#* @get /json
function() list(message = "Hello, World!")

#* @serializer unboxedJSON
#* @get /users/<id>/profile
function(id) list(id = id, name = paste("User", id), email = paste0("user", id, "@example.com"))

#* @serializer unboxedJSON
#* @parser asis
#* @post /api/users
function(req, res) {
  user <- tryCatch(jsonlite::fromJSON(req$postBody, simplifyVector = FALSE), error = identity)
  reason <- if (inherits(user, "error")) paste("body:", sub("\n.*", "", conditionMessage(user))) else broken(user)
  if (!is.null(reason)) {
    res$status <- 400
    return(list(error = reason))
  }
  res$status <- 201
  res$setHeader("Location", "/users/1/profile")
  list(id = "1", name = user$name, email = user$email)
}

# The first rule that a user breaks, or NULL.
broken <- function(user) {
  text <- function(x) is.character(x) && length(x) == 1
  if (!is.list(user) || is.null(names(user))) return("body: must be an object")
  if (!text(user$name) || nchar(user$name) < 1 || nchar(user$name) > 100) return("name: must have 1 to 100 characters")
  if (!text(user$email) || !grepl("@", user$email, fixed = TRUE)) return("email: must contain an @")
  age <- user$age
  if (!is.numeric(age) || age != round(age) || age < 0 || age > 150) return("age: must be from 0 to 150")
  if (!is.null(user$tags) && (!is.list(user$tags) || length(user$tags) > 10)) return("tags: must be at most 10")
  NULL
}
