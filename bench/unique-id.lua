-- Owns the requests wrk sends: one template, a fresh JSON-RPC id of eight digits in each.
-- Arguments: body with the placeholder id, first id, then pairs of header name and value.
local placeholder = "99999999"
local head, tail, id

function init(args)
  for index = 3, #args, 2 do
    wrk.headers[args[index]] = args[index + 1]
  end
  local template = wrk.format("POST", nil, wrk.headers, args[1])
  local from, to = template:find('"id":' .. placeholder, 1, true)
  head, tail = template:sub(1, from + 4), template:sub(to + 1)
  id = tonumber(args[2])
end

function request()
  id = id + 1
  return head .. string.format("%08d", id) .. tail
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    '{"requests":%d,"seconds":%.6f,"bytes":%.0f,"errors":%d,"p50Us":%.0f}',
    summary.requests, summary.duration / 1e6, summary.bytes,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout,
    latency:percentile(50)
  ))
end
