package service

import spray.json.DefaultJsonProtocol.*
import spray.json.RootJsonFormat

final case class Profile(id: String, name: String, email: String)

object Profile:
  given RootJsonFormat[Profile] = jsonFormat3(Profile.apply)

final case class Address(street: String, city: String, zip: String)

object Address:
  given RootJsonFormat[Address] = jsonFormat3(Address.apply)

/** A user to be made, as the client sends it. */
final case class NewUser(
    name: String,
    email: String,
    age: Int,
    tags: Option[List[String]],
    address: Option[Address],
    bio: Option[String],
):
  /** The first rule that it breaks. */
  def broken: Option[String] =
    if name.isEmpty || name.codePointCount(0, name.length) > 100 then Some("name: must have 1 to 100 characters")
    else if !email.contains('@') then Some("email: must contain an @")
    else if age < 0 || age > 150 then Some("age: must be from 0 to 150")
    else if tags.exists(_.sizeIs > 10) then Some("tags: must be at most 10")
    else None

object NewUser:
  given RootJsonFormat[NewUser] = jsonFormat6(NewUser.apply)
