package service;

import java.util.List;

/** A user to be made, as the client sends it. */
record NewUser(String name, String email, Integer age, List<String> tags, Address address, String bio) {
  record Address(String street, String city, String zip) {}

  /** The first rule that it breaks, or null. */
  String broken() {
    if (name == null || name.isEmpty() || name.codePointCount(0, name.length()) > 100) {
      return "name: must have 1 to 100 characters";
    }
    if (email == null || email.indexOf('@') < 0) {
      return "email: must contain an @";
    }
    if (age == null || age < 0 || age > 150) {
      return "age: must be from 0 to 150";
    }
    if (tags != null && tags.size() > 10) {
      return "tags: must be at most 10";
    }
    return null;
  }
}
