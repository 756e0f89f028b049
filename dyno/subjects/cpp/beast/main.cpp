// The subject cpp/beast: Boost.Beast on Asio, with an io_context on each CPU.
#include "service.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/beast/core.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sched.h>
#include <thread>
#include <vector>

namespace beast = boost::beast;
namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using reuse_port = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

// session serves the requests of one connection, one after the other.
class session : public std::enable_shared_from_this<session> {
public:
    explicit session(tcp::socket socket) : stream_(std::move(socket)) {}

    void read()
    {
        parser_.emplace();
        parser_->body_limit(1 << 20);
        stream_.expires_after(std::chrono::seconds(120));
        http::async_read(stream_, buffer_, *parser_, [self = shared_from_this()](beast::error_code ec, std::size_t) {
            if (!ec)
                self->write();
        });
    }

private:
    void write()
    {
        response_ = service::answer(parser_->get());
        http::async_write(stream_, response_, [self = shared_from_this()](beast::error_code ec, std::size_t) {
            if (ec)
                return;
            if (self->response_.keep_alive())
                return self->read();
            self->stream_.socket().shutdown(tcp::socket::shutdown_send, ec);
        });
    }

    beast::tcp_stream stream_;
    beast::flat_buffer buffer_;
    boost::optional<http::request_parser<http::string_body>> parser_;
    service::response response_;
};

class listener {
public:
    listener(asio::io_context& context, const tcp::endpoint& at) : acceptor_(context, at.protocol())
    {
        acceptor_.set_option(asio::socket_base::reuse_address(true));
        acceptor_.set_option(reuse_port(true));
        acceptor_.bind(at);
        acceptor_.listen();
        accept();
    }

private:
    void accept()
    {
        acceptor_.async_accept([this](beast::error_code ec, tcp::socket socket) {
            if (ec == asio::error::operation_aborted)
                return;
            if (!ec) {
                socket.set_option(tcp::no_delay(true), ec);
                std::make_shared<session>(std::move(socket))->read();
            }
            accept();
        });
    }

    tcp::acceptor acceptor_;
};

// cpus is how many CPUs this process may use.
static int cpus()
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

// serve runs one event loop with an acceptor of its own until the program is to end.
static void serve(const tcp::endpoint& at)
{
    asio::io_context context(1);
    listener accepting(context, at);
    asio::signal_set ends(context, SIGTERM, SIGINT);
    // Handlers don't wait, so what has come in has its response before this runs.
    ends.async_wait([&](beast::error_code, int) { context.stop(); });
    context.run();
}

int main(int argc, char** argv)
try {
    std::string host = "127.0.0.1";
    unsigned short port = 8080;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!std::strcmp(argv[i], "-port"))
            port = static_cast<unsigned short>(std::stoi(argv[i + 1]));
        else if (!std::strcmp(argv[i], "-host"))
            host = argv[i + 1];
    }
    tcp::endpoint at(asio::ip::make_address(host), port);
    std::vector<std::thread> loops;
    for (int i = 1; i < cpus(); i++)
        loops.emplace_back([&] { serve(at); });
    serve(at);
    for (auto& loop : loops)
        loop.join();
    return 0;
} catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
