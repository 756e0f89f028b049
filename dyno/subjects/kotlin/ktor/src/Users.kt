package service

import kotlinx.serialization.Serializable

@Serializable
data class Profile(val id: String, val name: String, val email: String)

@Serializable
data class Address(val street: String, val city: String, val zip: String)

/** A user to be made, as the client sends it. */
@Serializable
data class NewUser(
    val name: String,
    val email: String,
    val age: Int,
    val tags: List<String> = emptyList(),
    val address: Address? = null,
    val bio: String = "",
) {
    /** The first rule that it breaks, or null. */
    fun broken(): String? =
        when {
            name.isEmpty() || name.codePointCount(0, name.length) > 100 -> "name: must have 1 to 100 characters"
            '@' !in email -> "email: must contain an @"
            age !in 0..150 -> "age: must be from 0 to 150"
            tags.size > 10 -> "tags: must be at most 10"
            else -> null
        }
}
