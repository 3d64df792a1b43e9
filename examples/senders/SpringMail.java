import org.springframework.mail.SimpleMailMessage;
import org.springframework.mail.javamail.JavaMailSenderImpl;

public class SpringMail {
    public static void main(String[] args) {
        var sender = new JavaMailSenderImpl();
        sender.setHost(System.getenv("SMTP_HOST"));
        sender.setPort(Integer.parseInt(System.getenv("SMTP_PORT")));
        var message = new SimpleMailMessage();
        message.setFrom("app@example.com");
        message.setTo(System.getenv("TO"));
        message.setSubject("From Spring");
        message.setText("Your code is 481516.");
        sender.send(message);
        System.out.println("sent");
    }
}
