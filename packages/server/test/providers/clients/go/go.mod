module mayfly/clients

go 1.26.0

require (
	github.com/aws/aws-sdk-go-v2 v1.47.5
	github.com/aws/aws-sdk-go-v2/credentials v1.20.13
	github.com/aws/aws-sdk-go-v2/service/sesv2 v1.79.5
	github.com/aws/smithy-go v1.28.7
	github.com/mailgun/mailgun-go/v4 v4.23.0
	github.com/mrz1836/postmark v1.7.4
	github.com/resend/resend-go/v3 v3.1.1
	github.com/sendgrid/sendgrid-go v3.16.1+incompatible
)

require (
	github.com/aws/aws-sdk-go-v2/internal/configsources v1.5.8 // indirect
	github.com/aws/aws-sdk-go-v2/internal/endpoints/v2 v2.8.8 // indirect
	github.com/aws/aws-sdk-go-v2/internal/v4a v1.5.8 // indirect
	github.com/go-chi/chi/v5 v5.2.1 // indirect
	github.com/json-iterator/go v1.1.12 // indirect
	github.com/mailgun/errors v0.4.0 // indirect
	github.com/modern-go/concurrent v0.0.0-20180228061459-e0a39a4cb421 // indirect
	github.com/modern-go/reflect2 v1.0.2 // indirect
	github.com/sendgrid/rest v2.6.9+incompatible // indirect
	golang.org/x/net v0.62.0 // indirect
)
