// Sends with the SDKs of providers for Go; prints what became of the calls as calls.py does.
package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
	"github.com/aws/smithy-go"
	"github.com/mailgun/mailgun-go/v4"
	"github.com/mrz1836/postmark"
	"github.com/resend/resend-go/v3"
	"github.com/sendgrid/sendgrid-go"
	"github.com/sendgrid/sendgrid-go/helpers/mail"
)

const (
	from = "app@acme.example"
	text = "Your verification code is 481516."
)

var (
	ctx      = context.Background()
	file     = []byte("one")
	settings struct {
		URL, Key, NoInbox string
		Faults            map[string]string
	}
)

func bySES(key, to string) error {
	client := sesv2.New(sesv2.Options{
		BaseEndpoint: aws.String(settings.URL + "/providers/ses"),
		Credentials:  credentials.NewStaticCredentialsProvider(key, key, ""),
		Region:       "us-east-1",
	})
	_, err := client.SendEmail(ctx, &sesv2.SendEmailInput{
		FromEmailAddress: aws.String(from),
		Destination:      &types.Destination{ToAddresses: []string{to}},
		Content: &types.EmailContent{Simple: &types.Message{
			Subject:     &types.Content{Data: aws.String("aws-sdk-go-v2")},
			Body:        &types.Body{Text: &types.Content{Data: aws.String(text)}},
			Attachments: []types.Attachment{{FileName: aws.String("one.txt"), RawContent: file}},
		}},
	})
	return err
}

func bySendGrid(key, to string) error {
	client := sendgrid.NewSendClient(key)
	client.BaseURL = settings.URL + "/providers/sendgrid/v3/mail/send"
	sender, recipient := mail.NewEmail("", from), mail.NewEmail("", to)
	message := mail.NewSingleEmailPlainText(sender, "sendgrid-go", recipient, text)
	message.AddAttachment(mail.NewAttachment().
		SetContent(base64.StdEncoding.EncodeToString(file)).
		SetType("text/plain").SetFilename("one.txt").SetDisposition("attachment"))
	response, err := client.Send(message)
	if err == nil && response.StatusCode != 202 {
		return fmt.Errorf("status %d", response.StatusCode)
	}
	return err
}

func byResend(key, to string) error {
	// It reads its base URL from RESEND_BASE_URL.
	_, err := resend.NewClient(key).Emails.Send(&resend.SendEmailRequest{
		From: from, To: []string{to}, Subject: "resend-go", Text: text,
		Attachments: []*resend.Attachment{{Filename: "one.txt", Content: file}},
	})
	return err
}

func byMailgun(key, to string) error {
	client := mailgun.NewMailgun("mg.acme.example", key)
	client.SetAPIBase(settings.URL + "/providers/mailgun/v3")
	message := mailgun.NewMessage(from, "mailgun-go", text, to)
	message.AddBufferAttachment("one.txt", file)
	_, _, err := client.Send(ctx, message)
	return err
}

func byPostmark(key, to string) error {
	client := postmark.NewClient(key, "")
	client.BaseURL = settings.URL + "/providers/postmark"
	_, err := client.SendEmail(ctx, postmark.Email{
		From: from, To: to, Subject: "mrz1836/postmark", TextBody: text,
		Attachments: []postmark.Attachment{{
			Name: "one.txt", ContentType: "text/plain",
			Content: base64.StdEncoding.EncodeToString(file),
		}},
	})
	return err
}

// outcome tells an error by its type and what it shows of the code.
func outcome(err error) string {
	var api smithy.APIError
	var unexpected *mailgun.UnexpectedResponseError
	var ofPostmark postmark.APIError
	switch {
	case err == nil:
		return "sent"
	case errors.As(err, &api):
		return api.ErrorCode()
	case errors.As(err, &unexpected):
		return fmt.Sprintf("UnexpectedResponseError %d", unexpected.Actual)
	case errors.As(err, &ofPostmark):
		return fmt.Sprintf("APIError %d", ofPostmark.ErrorCode)
	case errors.Is(err, resend.ErrRateLimit):
		return "ErrRateLimit"
	}
	// Resend's has the message alone.
	for _, known := range []string{"Invalid `to` field", "is no inbox", "unknown"} {
		if strings.Contains(err.Error(), known) {
			return known
		}
	}
	return err.Error()
}

func main() {
	if err := json.Unmarshal([]byte(os.Getenv("MAYFLY_CLIENTS")), &settings); err != nil {
		panic(err)
	}
	results := map[string][]string{}
	for name, send := range map[string]func(key, to string) error{
		"aws-sdk-go-v2":    bySES,
		"sendgrid-go":      bySendGrid,
		"resend-go":        byResend,
		"mailgun-go":       byMailgun,
		"mrz1836/postmark": byPostmark,
	} {
		results[name] = []string{
			outcome(send(settings.Key, "ada@example.com")),
			outcome(send(settings.Key, "nobody")),
			outcome(send(settings.NoInbox, "ada@example.com")),
			outcome(send("mf_live_wrong", "ada@example.com")),
			outcome(send(settings.Faults[name], "ada@example.com")),
		}
	}
	encoded, err := json.Marshal(results)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(encoded))
}
