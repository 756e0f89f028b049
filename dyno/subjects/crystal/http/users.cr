# A user to be made, as the client sends it.
struct NewUser
  include JSON::Serializable

  getter name : String
  getter email : String
  getter age : Int64
  getter tags : Array(String) = [] of String
  getter address : Address?
  getter bio : String = ""

  struct Address
    include JSON::Serializable

    getter street : String
    getter city : String
    getter zip : String
  end

  # The first rule that it breaks, or nil.
  def broken
    case
    when name.empty? || name.size > 100 then "name: must have 1 to 100 characters"
    when !email.includes?('@')          then "email: must contain an @"
    when !(0..150).includes?(age)       then "age: must be from 0 to 150"
    when tags.size > 10                 then "tags: must be at most 10"
    end
  end
end
