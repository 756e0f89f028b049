<?php
// The subject php/fpm: a front controller with FastRoute, the router of Slim.
declare(strict_types=1);

require 'FastRoute/autoload.php';
require __DIR__ . '/users.php';

function json(int $status, array $value): void
{
    send($status, 'application/json', json_encode($value, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES));
}

function send(int $status, string $type, string $body): void
{
    http_response_code($status);
    header("Content-Type: $type");
    header('Content-Length: ' . strlen($body));
    echo $body;
}

function create_user(): void
{
    $user = json_decode(file_get_contents('php://input'), true);
    if (json_last_error() !== JSON_ERROR_NONE) {
        json(400, ['error' => 'body: ' . json_last_error_msg()]);
        return;
    }
    $reason = broken($user);
    if ($reason !== null) {
        json(400, ['error' => $reason]);
        return;
    }
    header('Location: /users/1/profile');
    json(201, ['id' => '1', 'name' => $user['name'], 'email' => $user['email']]);
}

$routes = FastRoute\simpleDispatcher(function (FastRoute\RouteCollector $r): void {
    $r->get('/plaintext', fn () => send(200, 'text/plain', 'Hello, World!'));
    $r->get('/json', fn () => json(200, ['message' => 'Hello, World!']));
    $r->get('/users/{id}/profile', fn (string $id) => json(200, profile($id)));
    $r->post('/api/users', create_user(...));
});

$path = rawurldecode(strtok($_SERVER['REQUEST_URI'], '?'));
$found = $routes->dispatch($_SERVER['REQUEST_METHOD'], $path);
if ($found[0] === FastRoute\Dispatcher::FOUND) {
    $found[1](...array_values($found[2]));
} else {
    send(404, 'text/plain', 'not found');
}
