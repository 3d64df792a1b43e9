import type { Lexicon } from './concepts.ts'

/** Codes by which others check a document, or by which it is paid at a counter; all languages. */
export const DOCUMENTS: Lexicon = {
  documents: {
    place: `authenticity, certificate no, certificate number, course certificate, licence key, license key,
      product key, reinstall*, guest network, guest wi-fi, document verification code,
      certificate verification code, verify the certificate,
      verification code of the document, autenticidad, verificación del documento,
      verificación del certificado, validación del documento, código seguro de verificación, autenticitat,
      autenticidade*, verificação do documento, validação do documento, autenticità, verifica del documento,
      authenticité, vérification du document, vérification de l'attestation, autenticitat*, Echtheit*,
      Echtheitsprüfung, echtheid*, äkthet*, ægthed*, ekthet*, aitouden, aitous, autentyczno*,
      weryfikacji dokumentu, pravost dokumentu, pravosti dokumentu, pravosť dokumentu, pristnost*,
      vjerodostojnost*, verodostojnost*, autentičnost*, аутентичност*, веродостојност*,
      подлинность документа, подлинности документа, подлинность справки, подлинности справки,
      справжність документа, справжності документа, автентичност*, īstum*, autentiskum*, dokumenta pārbaud*,
      autentišk*, ehtsus*, hitelesség*, valódiság*, γνησιότητ*, αυθεντικότητ*, belge doğrulama,
      belgenin doğruluğu, صحة الوثيقة, صحة الشهادة, التحقق من الوثيقة, אמיתות המסמך, اصالت سند, प्रामाणिकता,
      ความถูกต้องของเอกสาร, tính xác thực của, keaslian, ketulenan, 真正性, コンビニ, 払込票, 真伪, 真偽, 防伪,
      防偽, 진위, 정품`,
  },
}
