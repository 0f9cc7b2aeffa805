-- Owns the requests wrk sends: one template, a fresh JSON-RPC id of eight digits in each, every answer looked at.
-- Arguments: body with the placeholder id, first id, bytes of a right answer, then pairs of header name and value.
local placeholder = "99999999"
local head, tail, id, answerBytes
local threads = {}
wrong = 0

function setup(thread)
  table.insert(threads, thread)
end

function init(args)
  for index = 4, #args, 2 do
    wrk.headers[args[index]] = args[index + 1]
  end
  local template = wrk.format("POST", nil, wrk.headers, args[1])
  local from, to = template:find('"id":' .. placeholder, 1, true)
  head, tail = template:sub(1, from + 4), template:sub(to + 1)
  id, answerBytes = tonumber(args[2]), tonumber(args[3])
end

function request()
  id = id + 1
  return head .. string.format("%08d", id) .. tail
end

function response(status, _, body)
  if status ~= 200 or #body ~= answerBytes then
    wrong = wrong + 1
  end
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.timeout
  for _, thread in ipairs(threads) do
    failed = failed + thread:get("wrong")
  end
  print(string.format(
    '{"requests":%d,"seconds":%.6f,"errors":%d,"p50Us":%.0f}',
    summary.requests, summary.duration / 1e6, failed, latency:percentile(50)
  ))
end
