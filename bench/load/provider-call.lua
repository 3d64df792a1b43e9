-- Calls of a provider's API for wrk; each mail goes to the next inbox. Arguments: the number of
-- inboxes, the body with RECIPIENT for the address, and headers as `name=value`.

local inboxes, body, headers, sent = 0, '', {}, 0

function init(args)
  inboxes, body = tonumber(args[1]), args[2]
  for index = 3, #args do
    local name, value = args[index]:match('^([^=]+)=(.*)$')
    headers[name] = value
  end
end

function request()
  sent = sent % inboxes + 1
  return wrk.format('POST', nil, headers, (body:gsub('RECIPIENT', sent .. 'b@mayfly.test')))
end
