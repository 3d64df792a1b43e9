require 'action_mailer'

ActionMailer::Base.delivery_method = :smtp
ActionMailer::Base.smtp_settings = { address: ENV['SMTP_HOST'], port: ENV['SMTP_PORT'].to_i }

class Signup < ActionMailer::Base
  def code
    mail(from: 'app@example.com', to: ENV['TO'], subject: 'From Action Mailer',
         body: 'Your code is 481516.')
  end
end

Signup.code.deliver_now
puts "sent with Action Mailer #{ActionMailer.version}"
