<?php
require 'Symfony/Component/Mailer/autoload.php';

use Symfony\Component\Mailer\Mailer;
use Symfony\Component\Mailer\Transport;
use Symfony\Component\Mime\Email;

$dsn = 'smtp://' . getenv('SMTP_HOST') . ':' . getenv('SMTP_PORT');
$email = (new Email())->from('app@example.com')->to(getenv('TO'))
    ->subject('From Symfony Mailer')->text('Your code is 481516.');
(new Mailer(Transport::fromDsn($dsn)))->send($email);
echo "sent\n";
