<?php
// Sends with the bridges of Symfony Mailer; prints what became of the calls as calls.py does.

declare(strict_types=1);

use Symfony\Component\HttpClient\HttpClient;
use Symfony\Component\Mailer\Bridge\Amazon\Transport\SesTransportFactory;
use Symfony\Component\Mailer\Bridge\Mailchimp\Transport\MandrillTransportFactory;
use Symfony\Component\Mailer\Bridge\Mailgun\Transport\MailgunTransportFactory;
use Symfony\Component\Mailer\Bridge\Postmark\Transport\PostmarkTransportFactory;
use Symfony\Component\Mailer\Bridge\Sendgrid\Transport\SendgridTransportFactory;
use Symfony\Component\Mailer\Bridge\Sendinblue\Transport\SendinblueTransportFactory;
use Symfony\Component\Mailer\Transport\Dsn;
use Symfony\Component\Mime\Email;

foreach (['Amazon', 'Mailchimp', 'Mailgun', 'Postmark', 'Sendgrid', 'Sendinblue'] as $bridge) {
    require_once "Symfony/Component/Mailer/Bridge/$bridge/autoload.php";
}
require_once 'Symfony/Component/HttpClient/autoload.php';

$settings = json_decode(getenv('MAYFLY_CLIENTS'), true);
$root = parse_url($settings['root']);
$client = HttpClient::create();

/** Sends a mail; the DSN has the key as user, for SES and Mailgun as the others want it. */
$send = function (string $scheme, string $key, string $to) use ($client, $root): void {
    [$factory, $user, $password] = match ($scheme) {
        'ses+api', 'ses+https' => [SesTransportFactory::class, $key, $key],
        'mandrill+api', 'mandrill+https' => [MandrillTransportFactory::class, $key, null],
        'mailgun+api', 'mailgun+https' => [MailgunTransportFactory::class, $key, 'mg.acme.example'],
        'postmark+api' => [PostmarkTransportFactory::class, $key, null],
        'sendgrid+api' => [SendgridTransportFactory::class, $key, null],
        'sendinblue+api' => [SendinblueTransportFactory::class, $key, null],
    };
    $dsn = new Dsn($scheme, $root['host'], $user, $password, $root['port']);
    $email = (new Email())
        ->from('app@acme.example')
        ->to($to)
        ->subject($scheme)
        ->text('Your verification code is 481516.')
        ->html('<p>Your verification code is <b>481516</b>.</p>')
        ->attach('one', 'one.txt', 'text/plain');
    (new $factory(null, $client))->create($dsn)->send($email);
};

$outcome = function (string $scheme, string $key, string $to = 'ada@example.com') use ($send): string {
    try {
        $send($scheme, $key, $to);
        return 'sent';
    } catch (Throwable $error) {
        $status = preg_match('/\(code (\d+)\)/', $error->getMessage(), $found) ? " $found[1]" : '';
        return (new ReflectionClass($error))->getShortName() . $status;
    }
};

$results = [];
foreach (array_keys($settings['faults']) as $scheme) {
    $results[$scheme] = [
        $outcome($scheme, $settings['key']),
        // Its own class for addresses refuses others before they are sent.
        $outcome($scheme, $settings['key'], 'nobody'),
        $outcome($scheme, $settings['noInbox']),
        $outcome($scheme, 'mf_live_wrong'),
        $outcome($scheme, $settings['faults'][$scheme]),
    ];
}
echo json_encode($results), "\n";
