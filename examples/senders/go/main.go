package main

import (
	"fmt"
	"net/smtp"
	"os"
)

func main() {
	address := os.Getenv("SMTP_HOST") + ":" + os.Getenv("SMTP_PORT")
	to := os.Getenv("TO")
	mail := "From: app@example.com\r\nTo: " + to + "\r\nSubject: From Go\r\n\r\nYour code is 481516.\r\n"
	if err := smtp.SendMail(address, nil, "app@example.com", []string{to}, []byte(mail)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("sent")
}
