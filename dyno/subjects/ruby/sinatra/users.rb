# frozen_string_literal: true

# Rules for new users.
module Users
  # broken is the first rule that a user breaks, or nil.
  def self.broken(user)
    return "body: must be an object" unless user.is_a?(Hash)

    name, email, age = user.values_at("name", "email", "age")
    tags = user.fetch("tags", [])
    return "name: must have 1 to 100 characters" unless name.is_a?(String) && name.length.between?(1, 100)
    return "email: must contain an @" unless email.is_a?(String) && email.include?("@")
    return "age: must be from 0 to 150" unless age.is_a?(Integer) && age.between?(0, 150)
    return "tags: must be at most 10" unless tags.is_a?(Array) && tags.length <= 10

    nil
  end
end
