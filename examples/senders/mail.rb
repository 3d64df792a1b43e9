require 'mail'

Mail.defaults { delivery_method :smtp, address: ENV['SMTP_HOST'], port: ENV['SMTP_PORT'].to_i }
Mail.deliver do
  from 'app@example.com'
  to ENV['TO']
  subject 'From mail.rb'
  body 'Your code is 481516.'
end
puts "sent with mail #{Mail::VERSION.version}"
