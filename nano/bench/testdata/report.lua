-- Prints what wrk found as one line of JSON. It has no function that wrk calls
-- for each request, so the load costs what it costs without a script.
-- The variable PIPELINE asks for so many requests at once on each connection:
-- they are made once, and sent as they are.

-- BODY is sent as JSON by POST.

local body = os.getenv("BODY")
if body then
   wrk.method, wrk.body = "POST", body
   wrk.headers["Content-Type"] = "application/json"
end

local depth = tonumber(os.getenv("PIPELINE") or "1")

if depth > 1 then
   local batch
   init = function(args)
      local one = wrk.format()
      batch = string.rep(one, depth)
   end
   request = function() return batch end
end

done = function(summary, latency, requests)
   local e = summary.errors
   io.write(string.format(
      '{"requests": %d, "duration_us": %d, "errors": %d, "p50_us": %d, "p99_us": %d, "p99.9_us": %d, "max_us": %d}\n',
      summary.requests, summary.duration, e.connect + e.read + e.write + e.status + e.timeout,
      latency:percentile(50), latency:percentile(99), latency:percentile(99.9), latency.max))
end
