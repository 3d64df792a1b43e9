<?php
// Laravel's mail component from Debian's packages, with the mailer `smtp` as config/mail.php of Laravel 8 defines it.
foreach (['Container', 'Config', 'Events', 'Filesystem', 'View', 'Mail'] as $component) {
    require "Illuminate/$component/autoload.php";
}
require 'Egulias/EmailValidator/autoload.php';

use Illuminate\Config\Repository;
use Illuminate\Container\Container;
use Illuminate\Events\Dispatcher;
use Illuminate\Filesystem\Filesystem;
use Illuminate\Mail\MailManager;
use Illuminate\View\Engines\EngineResolver;
use Illuminate\View\Factory;
use Illuminate\View\FileViewFinder;

// As in .env.
putenv('MAIL_HOST=' . getenv('SMTP_HOST'));
putenv('MAIL_PORT=' . getenv('SMTP_PORT'));
putenv('MAIL_ENCRYPTION=null');

$app = new Container();
$app->instance('config', new Repository(['mail' => [
    'default' => env('MAIL_MAILER', 'smtp'),
    'mailers' => ['smtp' => [
        'transport' => 'smtp',
        'host' => env('MAIL_HOST', 'smtp.mailgun.org'),
        'port' => env('MAIL_PORT', 587),
        'encryption' => env('MAIL_ENCRYPTION', 'tls'),
        'username' => env('MAIL_USERNAME'),
        'password' => env('MAIL_PASSWORD'),
        'timeout' => null,
        'auth_mode' => null,
    ]],
    'from' => ['address' => 'app@example.com', 'name' => 'Example App'],
]]));
$events = new Dispatcher($app);
$app->instance('events', $events);
$views = new FileViewFinder(new Filesystem(), []);
$app->instance('view', new Factory(new EngineResolver(), $views, $events));

(new MailManager($app))->raw('Your code is 481516.', function ($message) {
    $message->to(getenv('TO'))->subject('From Laravel');
});
echo "sent\n";
