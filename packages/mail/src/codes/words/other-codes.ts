import type { Lexicon } from './concepts.ts'

/** Codes that name something else, as phrases, because their nouns have other meanings as well. */
export const OTHER_CODES: Lexicon = {
  enCodes: {
    naming: `visit code, voting code, cost centre code, lab code, meter code, customs code, cancellation
      code, donation code, group code, job code, player code, supplier code, vehicle code, room
      code, store code, batch code, candidate code, claim code`,
  },
  deCodes: {
    naming: `Besuchscode, Wahlcode, Prüfungscode der Klausur, Gepäckcode, Zollcode, Spendencode,
      Händlercode, Lieferantencode, Fahrzeugcode, Filialcode, Chargencode, Kandidatencode,
      Schulcode, Spielcode, Terminalcode`,
  },
  frCodes: {
    naming: `code visite, code de vote, code examen, code bagage, code douanier, code de don, code
      marchand, code fournisseur, code véhicule, code magasin, code lot, code candidat, code
      établissement, code de la partie, code terminal`,
  },
  esCodes: {
    naming: `código de visita, código de votación, código de examen, código de equipaje, código aduanero,
      código de donación, código de comercio, código de proveedor, código de vehículo, código de
      tienda, código de lote, código de candidato, código de centro, código de partida`,
  },
  ptCodes: {
    naming: `código da cor, código da visita, código de votação, código da prova, código da bagagem,
      código aduaneiro, código de doação, código do lojista, código do fornecedor,
      código do veículo, código da loja, código do lote, código do candidato, código da escola`,
  },
  itCodes: {
    naming: `codice visita, codice di voto, codice esame, codice bagaglio, codice doganale, codice
      donazione, codice esercente, codice fornitore, codice veicolo, codice negozio, codice lotto,
      codice candidato, codice scuola`,
  },
  nlCodes: {
    naming: `bezoekcode, stemcode, examencode, bagagecode, douanecode, groepscode, leverancierscode,
      voertuigcode, winkelcode, partijcode, schoolcode, klascode`,
  },
  svCodes: {
    naming: `besökskod, röstkod, tentamenskod, bagagekod, tullkod, gruppkod, leverantörskod, lagkod,
      färgkod, skolkod, klasskod`,
  },
  daCodes: {
    naming: `besøgskode, stemmekode, eksamenskode, målerkode, afbestillingskode, leverandørkode,
      butikskode, skadekode, varekode`,
  },
  fiCodes: {
    naming: `käyntikoodi, äänestyskoodi, koekoodi, mittarikoodi, peruutuskoodi, kyselykoodi,
      ajoneuvokoodi, myymäläkoodi, koulukoodi`,
  },
  plCodes: {
    naming: `kod wizyty, kod do głosowania, kod egzaminu, kod bagażu, kod celny, kod grupy, kod dostawcy,
      kod pojazdu, kod sklepu, kod partii, kod kandydata, kod szkoły, kod klasy`,
  },
  csCodes: {
    naming: `kód návštěvy, kód pro hlasování, kód zkoušky, kód měřidla, storno kód, kód dodavatele, kód
      týmu, kód barvy, kód školy, kód třídy`,
  },
  ruCodes: {
    naming: `код визита, код для голосования, код экзамена, код багажа, таможенный код, код группы, код
      поставщика, код автомобиля, код магазина, код партии, код кандидата, код товара`,
  },
  ukCodes: {
    naming: `код візиту, код для голосування, код іспиту, код багажу, митний код, код групи, код
      постачальника, код команди, код кольору, код товару`,
  },
  huCodes: {
    naming: `látogatási kód, szavazókód, vizsgakód, mérőkód, lemondási kód, beszállítói kód, csapatkód,
      színkód, cikkszám`,
  },
  roCodes: {
    naming: `cod vizită, cod de vot, cod examen, cod contor, cod de anulare, cod furnizor, codul echipei,
      cod culoare, codul școlii`,
  },
  trCodes: {
    naming: `ziyaret kodu, oy kodu, sınav kodu, sayaç kodu, i̇ptal kodu, anket kodu, araç kodu, mağaza
      kodu, parti kodu, aday kodu, stok kodu`,
  },
  elCodes: {
    naming: `κωδικός επίσκεψης, κωδικός ψηφοφορίας, κωδικός εξέτασης, κωδικός μετρητή, κωδικός ομάδας,
      κωδικός οχήματος, κωδικός χρώματος, κωδικός είδους`,
  },
  arCodes: {
    naming: `رمز المورد, رمز الزيارة, رمز التصويت, رمز الامتحان, رمز العداد, رمز المجموعة,
      رمز المركبة, رمز المتجر, رمز المدرسة, رمز الصف`,
  },
  heCodes: {
    naming: `קוד ביקור, קוד הצבעה, קוד מבחן, קוד מונה, קוד קבוצה, קוד רכב, קוד סניף, קוד מוסד, קוד כיתה`,
  },
  faCodes: {
    naming: `کد ویزیت, کد رأی, کد آزمون, کد کنتور, کد گروه, کد خودرو, کد فروشگاه, کد مدرسه, کد کلاس`,
  },
  hiCodes: {
    naming: `विज़िट कोड, मतदान कोड, परीक्षा कोड, मीटर कोड, समूह कोड, वाहन कोड, स्टोर कोड, स्कूल कोड,
      कक्षा कोड`,
  },
  thCodes: {
    naming: `รหัสสี, รหัสนัดหมาย, รหัสลงคะแนน, รหัสสอบ, รหัสมิเตอร์, รหัสกลุ่ม, รหัสรถ, รหัสสาขา,
      รหัสโรงเรียน, รหัสห้องเรียน`,
  },
  viCodes: {
    naming: `mã lịch khám, mã dự án, mã hành lý, mã màu, mã bình chọn, mã đề thi, mã công tơ,
      mã nhóm, mã xe, mã cửa hàng, mã trường, mã lớp`,
  },
  idCodes: {
    naming: `kode tim, kode kunjungan, kode suara, kode ujian, kode meteran, kode grup,
      kode kendaraan, kode toko, kode sekolah, kode kelas`,
  },
  jaCodes: {
    naming: `診察コード, 投票コード, 試験コード, 検針コード, グループコード, 車両コード, 店舗コード, 学校コード, クラスコード`,
  },
  zhCodes: {
    naming: `就诊码, 投票码, 考试代码, 电表编码, 群组代码, 车辆代码, 门店代码, 学校代码, 班级码`,
  },
  koCodes: {
    naming: `방문 코드, 투표 코드, 시험 코드, 계량기 코드, 그룹 코드, 차량 코드, 매장 코드, 학교 코드, 학급 코드`,
  },
  ltCodes: {
    naming: `vizito kodas, balsavimo kodas, egzamino kodas, skaitiklio kodas, grupės kodas, prekės kodas,
      spalvos kodas`,
  },
  bgCodes: {
    naming: `код на посещение, код за гласуване, код на изпита, код на електромера, код на групата, код
      на магазина, код на училището`,
  },
  srCodes: {
    naming: `kod posete, kod za glasanje, kod ispita, kod brojila, kod grupe, kod vozila, kod boje, kod
      artikla`,
  },
  settledCodes: {
    naming: `operation code*, confirmation number*, confirmation no, receipt code*,
      donation number*, Vorgangsnummer*, Vorgangscode*, Transaktionscode*, code d'opération,
      code de l'opération, code de transaction, numéro de confirmation, numéro de reçu,
      código de operación, código de la operación, código de transacción, código da operação,
      código de operação, código da transação, número de confirmação, codice operazione,
      codice dell'operazione, codice transazione, numero di conferma, bevestigingsnummer*,
      transactiecode*, bekräftelsenummer*, bekreftelsesnummer*, bekræftelsesnummer*,
      vahvistusnumero*, kinnitusnumber, apstiprinājuma numurs, patvirtinimo numeris, kod operacji,
      kod transakcji, numer potwierdzenia, kód operace, kód transakce, číslo potvrzení,
      kód operácie, kód transakcie, číslo potvrdenia, broj potvrde, broj potvrdnice,
      šifra transakcije, kod transakcije, broj uplatnice, številka potrdila, koda transakcije,
      број потврде, број уплатнице, шифра трансакције, номер на потвърждение, код на операцията,
      код операции, код транзакции, номер подтверждения, номер квитанции, код операції,
      код транзакції, номер підтвердження, номер квитанції, műveleti kód, tranzakciós kód,
      visszaigazolási szám, codul operațiunii, codul tranzacției, număr de confirmare,
      numărul de confirmare, κωδικός συναλλαγής, κωδικός πράξης, αριθμός επιβεβαίωσης, işlem kodu,
      teyit numarası, əməliyyat kodu, رمز العملية, מספר אישור, קוד עסקה, کد پیگیری, کد رهگیری,
      شماره پیگیری, लेनदेन कोड, লেনদেন কোড, รหัสธุรกรรม, รหัสรายการ, mã giao dịch, kode transaksi,
      kod transaksi, 取引コード, 受付番号, 거래 코드, 접수번호, 交易码, 交易代码, 受理编号, msimbo wa muamala, transaction pin,
      transaktionskod*, transaksjonskode*, tapahtumakoodi*, tehingukood*, darījuma kod*,
      operacijos kod*, sandorio kod*, kodi i transaksionit, шифра на трансакција,
      код на трансакција, код на транзакция, код на транзакцията, код аперацыі, транзакция коды,
      операция коды, tranzaksiya kodi, amaliyot kodi, гүйлгээний код, ტრანზაქციის კოდი,
      ოპერაციის კოდი, գործարքի կոդ, کد تراکنش, شناسه تراکنش, لین دین کوڈ, ٹرانزیکشن کوڈ,
      लेन देन कोड, ट्रांजैक्शन कोड, ट्रांज़ैक्शन कोड, कारोबार कोड, व्यवहार कोड, ট্রানজেকশন কোড,
      ট্রানজ্যাকশন কোড, વ્યવહાર કોડ, ਲੈਣ ਦੇਣ ਕੋਡ, பரிவர்த்தனை குறியீடு, లావాదేవీ కోడ్, ವಹಿವಾಟು ಕೋಡ್,
      ഇടപാട് കോഡ്, ගනුදෙනු කේතය, លេខកូដប្រតិបត្តិការ, ລະຫັດທຸລະກໍາ, ငွေလွှဲကုဒ်, የግብይት ኮድ,
      transaksiekode*, ikhodi yokuthengiselana, kode pembayaran, mã thanh toán, 支払コード, 決済番号, 결제 코드,
      支付码, nambari ya uthibitisho wa malipo`,
    promo: `share your code, share this code with friends, share code, Code teilen,
      Code weitergeben, partage ton code, partagez votre code, partager le code, comparte tu código,
      comparte el código, compartir código, partilha o teu código, partilhar código,
      compartilhe seu código, compartilhar código, condividi il codice, condividi il tuo codice,
      deel je code, deel code, dela koden, dela din kod, del koden, del din kode, jaa koodi,
      udostępnij kod, podziel się kodem, sdílet kód, sdílej kód, zdieľať kód, podijeli kod,
      podeli kod, подели код, поделись кодом, поделитесь кодом, поділись кодом, поділіться кодом,
      сподели кода, oszd meg a kód*, distribuie codul, μοιράσου τον κωδικό, kodunu paylaş,
      kodu paylaş, شارك الكود, شارك رمزك, שתפו את הקוד, שתף את הקוד, کد را به اشتراک, कोड शेयर करें,
      แชร์โค้ด, chia sẻ mã, bagikan kode, kongsi kod, コードをシェア, コードを共有, 코드 공유, 分享邀请码, 分享代码,
      shiriki msimbo, friend code*, buddy code*, Freundecode*, Freundschaftscode*, code ami,
      code d'ami, code parrain, código de amigo, código amigo, codice amico, vriendencode*, vänkod*,
      vennekode*, kaverikoodi*, kod znajomego, kód pro přátele, kód kamaráda, kód pre priateľov,
      kod prijatelja, код друга, код на приятел, barátkód*, cod de prieten, κωδικός φίλου,
      arkadaş kodu, dost kodu, كود صديق, رمز صديق, קוד חבר, کد دوست, फ्रेंड कोड, รหัสเพื่อน,
      mã bạn bè, kode teman, フレンドコード, 친구 코드, 好友码, 好友碼`,
  },
}
