#!/usr/bin/env perl
# The subject perl/mojolicious: Mojolicious::Lite on Mojo's prefork server, which is
# hypnotoad without its hot deployment.
use Mojolicious::Lite -signatures;

use Getopt::Long qw(GetOptions);
use Mojo::JSON   qw(decode_json);
use Mojo::Server::Prefork;

my ($host, $port) = ('127.0.0.1', 8080);
GetOptions('host=s' => \$host, 'port=i' => \$port) or exit 2;

app->mode('production');
app->log->level('fatal');
app->max_request_size(1 << 20);
app->secrets(['no sessions are kept']);

get '/plaintext' => sub ($c) {
    $c->res->headers->content_type('text/plain');
    $c->render(data => 'Hello, World!');
};

get '/json' => sub ($c) { $c->render(json => {message => 'Hello, World!'}) };

get '/users/:id/profile' => sub ($c) {
    my $id = $c->param('id');
    $c->render(json => {id => $id, name => "User $id", email => "user$id\@example.com"});
};

post '/api/users' => sub ($c) {
    my $user = eval { decode_json($c->req->body) };
    return $c->render(status => 400, json => {error => 'body: ' . ($@ =~ s/\s+\z//r)}) if $@;
    if (my $reason = broken($user)) { return $c->render(status => 400, json => {error => $reason}) }
    $c->res->headers->location('/users/1/profile');
    $c->render(status => 201, json => {id => '1', name => $user->{name}, email => $user->{email}});
};

# The first rule that a user breaks, if any.
sub broken ($user) {
    return 'body: must be an object' unless ref $user eq 'HASH';
    my ($name, $email, $age, $tags) = @$user{qw(name email age tags)};
    return 'name: must have 1 to 100 characters' if !defined $name || ref $name || $name eq '' || length $name > 100;
    return 'email: must contain an @'   if !defined $email || ref $email || index($email, '@') < 0;
    return 'age: must be from 0 to 150' if !defined $age   || ref $age   || $age !~ /\A\d{1,3}\z/ || $age > 150;
    return 'tags: must be at most 10'   if defined $tags && (ref $tags ne 'ARRAY' || @$tags > 10);
    return undef;
}

chomp(my $cpus = `nproc`);
my $server = Mojo::Server::Prefork->new(
    app              => app,
    listen           => ["http://$host:$port"],
    workers          => $cpus,
    spare            => 0,
    max_requests     => 1_000_000, # of a connection
    accepts          => 0,         # a worker is not replaced after so many connections
    graceful_timeout => 2,
    pid_file         => undef,
    silent           => 1,
);
$server->pid_file("/tmp/dyno-mojolicious-$$.pid");
$SIG{TERM} = $SIG{QUIT} = sub { };
$server->run;
