import jakarta.mail.Message;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;
import java.util.Properties;

public class JakartaMail {
    public static void main(String[] args) throws Exception {
        var properties = new Properties();
        properties.put("mail.smtp.host", System.getenv("SMTP_HOST"));
        properties.put("mail.smtp.port", System.getenv("SMTP_PORT"));
        var message = new MimeMessage(Session.getInstance(properties));
        message.setFrom(new InternetAddress("app@example.com"));
        message.setRecipients(Message.RecipientType.TO, System.getenv("TO"));
        message.setSubject("From Jakarta Mail");
        message.setText("Your code is 481516.");
        Transport.send(message);
        System.out.println("sent");
    }
}
