-- Tells dyno of LuaJIT's heap, where DYNO_PROBE_SOCKET names a socket: of its collections the
-- language tells nothing. Each nginx worker calls start() once. dyno/docs/add-a-language.md
-- describes what is said.
local dynoprobe = {}

-- A worker that is to end waits for what its Lua code reads, so that it reads no longer.
local PATIENCE = 200 -- ms

-- tell responds until dyno has gone, or says something else than "sample".
local function tell(premature, path)
    if premature then
        return
    end
    local conn = ngx.socket.tcp()
    if not conn:connect("unix:" .. path) then
        return
    end
    conn:settimeout(PATIENCE)
    conn:send('{"dynoprobe":1,"pid":' .. ngx.worker.pid() .. ',"tells":["heap"]}\n')
    while not ngx.worker.exiting() do
        local line, err = conn:receive()
        if line == "sample" then
            conn:send('{"heap":' .. math.floor(collectgarbage("count") * 1024) .. "}\n")
        elseif line or err ~= "timeout" then
            break
        end
    end
    conn:close()
end

function dynoprobe.start()
    local path = os.getenv("DYNO_PROBE_SOCKET")
    if path and path ~= "" then
        ngx.timer.at(0, tell, path)
    end
end

return dynoprobe
