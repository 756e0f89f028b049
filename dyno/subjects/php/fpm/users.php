<?php
declare(strict_types=1);

function profile(string $id): array
{
    return ['id' => $id, 'name' => "User $id", 'email' => "user$id@example.com"];
}

/** The first rule that a user breaks, or null. */
function broken(mixed $user): ?string
{
    if (!is_array($user) || array_is_list($user)) {
        return 'body: must be an object';
    }
    $name = $user['name'] ?? null;
    if (!is_string($name) || $name === '' || mb_strlen($name) > 100) {
        return 'name: must have 1 to 100 characters';
    }
    $email = $user['email'] ?? null;
    if (!is_string($email) || !str_contains($email, '@')) {
        return 'email: must contain an @';
    }
    $age = $user['age'] ?? null;
    if (!is_int($age) || $age < 0 || $age > 150) {
        return 'age: must be from 0 to 150';
    }
    $tags = $user['tags'] ?? [];
    if (!is_array($tags) || !array_is_list($tags) || count($tags) > 10) {
        return 'tags: must be at most 10';
    }
    return null;
}
