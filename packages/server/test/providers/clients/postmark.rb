# Sends with the gem of Postmark, by itself and as the delivery method of Mail, as Rails does;
# prints what became of the calls as calls.py does.

require 'json'
require 'mail'
require 'postmark'

SETTINGS = JSON.parse(ENV.fetch('MAYFLY_CLIENTS'))
URL = URI(SETTINGS.fetch('url'))
OPTIONS = { host: URL.host, port: URL.port, secure: false, path_prefix: '/providers/postmark/' }.freeze
TEXT = 'Your verification code is 481516.'.freeze

CLIENTS = {
  'postmark' => lambda do |key, to|
    client = Postmark::ApiClient.new(key, **OPTIONS)
    client.deliver(from: 'app@acme.example', to: to, subject: 'postmark', text_body: TEXT,
                   attachments: [{ name: 'one.txt', content: ['one'].pack('m0'),
                                   content_type: 'text/plain' }])
  end,
  'mail' => lambda do |key, to|
    mail = Mail.new(from: 'app@acme.example', to: to, subject: 'mail', body: TEXT)
    mail.add_file(filename: 'one.txt', content: 'one')
    mail.delivery_method(Mail::Postmark, api_token: key, **OPTIONS)
    mail.deliver!
  end
}.freeze

def outcome(client, key, to = 'ada@example.com')
  client.call(key, to)
  'sent'
rescue Postmark::Error => e
  e.respond_to?(:error_code) ? "#{e.class} #{e.error_code}" : e.class.name
end

results = CLIENTS.to_h do |name, client|
  [name, [outcome(client, SETTINGS['key']), outcome(client, SETTINGS['key'], 'nobody'),
          outcome(client, SETTINGS['noInbox']), outcome(client, 'mf_live_wrong'),
          outcome(client, SETTINGS['faults'][name])]]
end
puts JSON.generate(results)
