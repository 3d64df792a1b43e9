"""The settings of the example application."""

SECRET_KEY = "only for tests"
ROOT_URLCONF = "signup"
ALLOWED_HOSTS = ["*"]
USE_TZ = True
DEFAULT_FROM_EMAIL = "Example App <no-reply@app.example>"
EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
INSTALLED_APPS = ["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions"]
MIDDLEWARE = ["django.contrib.sessions.middleware.SessionMiddleware"]
