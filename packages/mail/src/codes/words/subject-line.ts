import type { Lexicon } from './concepts.ts'

/** Phrases that point to the subject of the mail, as _below_ points to a line; all languages. */
export const SUBJECT_LINE: Lexicon = {
  'subject line': {
    enter: `subject line, in the subject, see the subject, from the subject, im Betreff, aus dem Betreff, Betreffzeile, dans l'objet, ligne d'objet,
      l'objet de ce message, l'objet du message, l'objet de cet e mail, en el asunto, línea de asunto,
      asunto de este correo, no assunto, linha de assunto, nell'oggetto, oggetto di questa,
      oggetto della mail, in het onderwerp, onderwerpregel, ämnesraden, i ämnet, emnelinjen,
      emnelinja, emnefeltet, i emnet, aiherivillä, otsikkorivillä, viestin otsikossa, teemareal,
      kirja pealkirjas, temata rindā, vēstules tematā, temos eilutėje, laiško temoje, w temacie,
      w tytule wiadomości, w tytule maila, v předmětu, v predmete, tárgyában, tárgysorban,
      a tárgyban, în subiectul, în subiect, в темата, в заглавието на, u predmetu poruke,
      u naslovu poruke, v zadevi, v naslovu sporočila, у наслову поруке, во насловот на пораката,
      в теме письма, в теме этого, у темі листа, в темі листа, у тэме ліста, στο θέμα, konu satırında,
      konu başlığında, mövzu sətrində, mavzu qatorida, хат тақырыбында, წერილის სათაურში,
      նամակի վերնագրում, في عنوان الرسالة, سطر الموضوع, في موضوع الرسالة, בשורת הנושא, בכותרת ההודעה,
      בכותרת המייל, در موضوع ایمیل, در عنوان ایمیل, موضوع کی سطر, विषय पंक्ति, विषय में, বিষয়ের লাইনে,
      শিরোনামে, தலைப்பில், పంక్తిలో, ในหัวข้ออีเมล, หัวเรื่องอีเมล, ở tiêu đề, trong tiêu đề, dòng chủ đề,
      di subjek, baris subjek, pada subjek, di tajuk e mel, sa subject, kwenye mada, kichwa cha barua,
      件名に, 件名の, 件名をご, 제목에, 제목의, 邮件主题, 邮件标题, 主题行, 標題中, 标题中, 郵件主旨, 主旨中`,
  },
}
