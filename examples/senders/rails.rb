require 'rails'
require 'action_mailer/railtie'

class Application < Rails::Application
  config.eager_load = false
  config.logger = Logger.new(nil)
  # Otherwise Rails writes one into a file here.
  config.secret_key_base = 'unused'
  config.action_mailer.delivery_method = :smtp
  config.action_mailer.smtp_settings = { address: ENV['SMTP_HOST'], port: ENV['SMTP_PORT'].to_i }
end
Application.initialize!

class Signup < ActionMailer::Base
  def code
    mail(from: 'app@example.com', to: ENV['TO'], subject: 'From Rails', body: 'Your code is 481516.')
  end
end

Signup.code.deliver_now
puts "sent with Rails #{Rails.version}"
