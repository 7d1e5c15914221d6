"""Article 1 of the Universal Declaration of Human Rights (United Nations, 1948) in many languages.

By code: its word for "and" (or another that no list can lack), one that texts are about, the text.
"""

# ruff: noqa: RUF001

ARTICLE_1 = {
    "ar": (
        "في", "الكرامة",
        "يولد جميع الناس أحراراً متساوين في الكرامة والحقوق. وقد وهبوا عقلاً وضميراً وعليهم أن "
        "يعامل بعضهم بعضاً بروح الإخاء.",
    ),
    "bg": (
        "и", "достойнство",
        "Всички хора се раждат свободни и равни по достойнство и права. Те са надарени с разум "
        "и съвест и следва да се отнасят помежду си в дух на братство.",
    ),
    "ca": (
        "i", "dignitat",
        "Tots els éssers humans neixen lliures i iguals en dignitat i en drets. Són dotats de "
        "raó i de consciència, i han de comportar-se fraternalment els uns amb els altres.",
    ),
    "cs": (
        "a", "důstojnosti",
        "Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni "
        "rozumem a svědomím a mají spolu jednat v duchu bratrství.",
    ),
    "da": (
        "og", "værdighed",
        "Alle mennesker er født frie og lige i værdighed og rettigheder. De er udstyret med "
        "fornuft og samvittighed, og de bør handle mod hverandre i en broderskabets ånd.",
    ),
    "de": (
        "und", "vernunft",
        "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft "
        "und Gewissen begabt und sollen einander im Geist der Brüderlichkeit begegnen.",
    ),
    "el": (
        "και", "αξιοπρέπεια",
        "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. "
        "Είναι προικισμένοι με λογική και συνείδηση, και οφείλουν να συμπεριφέρονται μεταξύ "
        "τους με πνεύμα αδελφοσύνης.",
    ),
    "en": (
        "and", "dignity",
        "All human beings are born free and equal in dignity and rights. They are endowed with "
        "reason and conscience and should act towards one another in a spirit of brotherhood.",
    ),
    "es": (
        "y", "dignidad",
        "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como "
        "están de razón y conciencia, deben comportarse fraternalmente los unos con los otros.",
    ),
    "et": (
        "ja", "väärikuselt",
        "Kõik inimesed sünnivad vabadena ja võrdsetena oma väärikuselt ja õigustelt. Neile on "
        "antud mõistus ja südametunnistus ja nende suhtumist üksteisesse peab kandma vendluse "
        "vaim.",
    ),
    "fa": (
        "و", "حقوق",
        "تمام افراد بشر آزاد به دنیا می‌آیند و از لحاظ حیثیت و حقوق با هم برابرند. همه دارای "
        "عقل و وجدان هستند و باید نسبت به یکدیگر با روح برادری رفتار کنند.",
    ),
    "fi": (
        "ja", "omatunto",
        "Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan. Heille "
        "on annettu järki ja omatunto, ja heidän on toimittava toisiaan kohtaan veljeyden "
        "hengessä.",
    ),
    "fr": (
        "et", "dignité",
        "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont "
        "doués de raison et de conscience et doivent agir les uns envers les autres dans un "
        "esprit de fraternité.",
    ),
    "he": (
        "של", "אחווה",
        "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון, לפיכך "
        "חובה עליהם לנהוג איש ברעהו ברוח של אחווה.",
    ),
    "hi": (
        "और", "बुद्धि",
        "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त "
        "है। उन्हें बुद्धि और अन्तरात्मा की देन प्राप्त है और परस्पर उन्हें भाईचारे के भाव से "
        "बर्ताव करना चाहिए।",
    ),
    "hr": (
        "i", "dostojanstvu",
        "Sva ljudska bića rađaju se slobodna i jednaka u dostojanstvu i pravima. Ona su "
        "obdarena razumom i sviješću i trebaju jedna prema drugima postupati u duhu bratstva.",
    ),
    "hu": (
        "és", "méltósága",
        "Minden emberi lény szabadon születik és egyenlő méltósága és joga van. Az emberek, "
        "ésszel és lelkiismerettel bírván, egymással szemben testvéri szellemben kell hogy "
        "viseltessenek.",
    ),
    "id": (
        "dan", "martabat",
        "Semua orang dilahirkan merdeka dan mempunyai martabat dan hak-hak yang sama. Mereka "
        "dikaruniai akal dan hati nurani dan hendaknya bergaul satu sama lain dalam semangat "
        "persaudaraan.",
    ),
    "it": (
        "e", "dignità",
        "Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Essi sono dotati "
        "di ragione e di coscienza e devono agire gli uni verso gli altri in spirito di "
        "fratellanza.",
    ),
    "lt": (
        "kaip", "orumu",
        "Visi žmonės gimsta laisvi ir lygūs savo orumu ir teisėmis. Jiems suteiktas protas ir "
        "sąžinė ir jie turi elgtis vienas kito atžvilgiu kaip broliai.",
    ),
    "lv": (
        "un", "saprātu",
        "Visi cilvēki piedzimst brīvi un vienlīdzīgi savā pašcieņā un tiesībās. Viņi ir "
        "apveltīti ar saprātu un sirdsapziņu, un viņiem jāizturas citam pret citu brālības "
        "garā.",
    ),
    "nl": (
        "en", "waardigheid",
        "Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Zij zijn "
        "begiftigd met verstand en geweten, en behoren zich jegens elkander in een geest van "
        "broederschap te gedragen.",
    ),
    "no": (
        "og", "fornuft",
        "Alle mennesker er født frie og med samme menneskeverd og menneskerettigheter. De er "
        "utstyrt med fornuft og samvittighet og bør handle mot hverandre i brorskapets ånd.",
    ),
    "pl": (
        "i", "godności",
        "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni "
        "obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa.",
    ),
    "pt": (
        "e", "dignidade",
        "Todos os seres humanos nascem livres e iguais em dignidade e em direitos. Dotados de "
        "razão e de consciência, devem agir uns para com os outros em espírito de fraternidade.",
    ),
    "ro": (
        "și", "demnitate",
        "Toate ființele umane se nasc libere și egale în demnitate și în drepturi. Ele sunt "
        "înzestrate cu rațiune și conștiință și trebuie să se comporte unele față de altele în "
        "spiritul fraternității.",
    ),
    "ru": (
        "и", "достоинстве",
        "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены "
        "разумом и совестью и должны поступать в отношении друг друга в духе братства.",
    ),
    "sk": (
        "a", "dôstojnosti",
        "Všetci ľudia sa rodia slobodní a sebe rovní, čo sa týka ich dôstojnosti a práv. Sú "
        "obdarení rozumom a majú navzájom jednať v bratskom duchu.",
    ),
    "sl": (
        "in", "dostojanstvo",
        "Vsi ljudje se rodijo svobodni in imajo enako dostojanstvo in enake pravice. Obdarjeni "
        "so z razumom in vestjo in bi morali ravnati drug z drugim kakor bratje.",
    ),
    "sv": (
        "och", "förnuft",
        "Alla människor är födda fria och lika i värde och rättigheter. De är utrustade med "
        "förnuft och samvete och bör handla gentemot varandra i en anda av broderskap.",
    ),
    "tr": (
        "ve", "haysiyet",
        "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana "
        "sahiptirler ve birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler.",
    ),
    "uk": (
        "та", "гідності",
        "Всі люди народжуються вільними і рівними у своїй гідності та правах. Вони наділені "
        "розумом і совістю і повинні діяти у відношенні один до одного в дусі братерства.",
    ),
    "vi": (
        "và", "phẩm",
        "Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền. Mọi con "
        "người đều được tạo hoá ban cho lý trí và lương tâm và cần phải đối xử với nhau trong "
        "tình bằng hữu.",
    ),
}  # fmt: skip
