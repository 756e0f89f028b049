// The routes of the service.
#pragma once

#include <boost/beast/http.hpp>

namespace http = boost::beast::http;

namespace service {

using request = http::request<http::string_body>;
using response = http::response<http::string_body>;

response answer(const request& req);

} // namespace service
