import { digits, isAll } from "./characterClasses.ts"
import { words } from "./words.ts"

/**
 * What a name says about the value beside it.
 *
 * `password`: any literal counts, people choose them. `secret`: made by a machine, so the value must look it. `weak`: the word means other
 * things as well (`key`, `auth`), so the value must look random and be no UUID or digest. `authorization` and `cookie`: HTTP header values with a
 * grammar of their own. `phrase`: the words of a wallet's seed. `code`: a few digits, or a value as of a weak name.
 */
export type NameClass = "password" | "secret" | "weak" | "code" | "authorization" | "cookie" | "phrase"

const passwordWords = words(
  "password passwords passwd pwd pass passphrase passcode pw psw passwrd pword passwort kennwort contrasena contraseña senha parola wachtwoord motdepasse " +
    "haslo lösenord heslo salasana userpw unlockcode masterauth clave passord mdp rootpw adminpw bindpw psk assword jelszo jelszó lozinka geslo adgangskode " +
    "kodeord contrasenya pasahitza sifre authtok dbpw loginpw",
  "hasło пароль 密码 口令 パスワード 비밀번호 密碼 şifre κωδικός סיסמה 暗証番号 парольбд"
)

const secretWords = words(
  "secret secrets token tokens apikeys keystring bearer jwt credential credentials creds pat authkeys privkey pepper passwordsalt connectionkey verifier cred sas " +
    "jeton geheimnis segredo chave",
  "アクセスキー 访问密钥 私钥 비밀키 секрет токен ключ 令牌 密钥 密鑰 秘密鍵 トークン シークレット 토큰"
)

const weakWords = words("key keys auth salt seed hmac session sid encrypt sk sessionid phpsessid jsessionid")

/** Words before `phrase` that make it a seed. */
const seedWords = words("recovery seed mnemonic backup wallet secret from")

/** Words before `seed` that make it the seed of a key. */
const seedMakers = words("master wallet private hd bip39 signing ed25519 otp totp mfa twofa 2fa")

/** Words before `key` that make it a secret. */
const keyMakers = words(
  "api access secret private encryption encrypt decryption signing sign auth account shared master client admin service deploy license session app " +
    "application consumer server storage ssh ssl tls webhook jwt cipher crypto subscription sdk write read functions function root user security secure " +
    "personal live production prod hmac aes des bearer token management integration ingest registration rest wallet gateway activation instrumentation " +
    "preshared validation stream routing recovery cookie data unseal licence wifi wpa wg fernet enc crypt signer signature deployer validator anon sso saml " +
    "rtmp tacacs apim ocp workspace algolia notion airtable linear hubspot braintree adyen infura alchemy etherscan supabase cloudflare heroku cosmos " +
    "cognitive speech translator datadog honeycomb amplitude pinecone mongo artifactory nuget device"
)

/** Vendors whose keys look like digests or UUIDs. Apart, because few names have to be held against them. */
const keyVendors = words(
  "mailgun mailchimp mandrill mapquest mattermost maxmind mediastack messagebird mistral mixpanel moralis netlify newrelic newsapi ngrok novu nylas okta " +
    "ollama onelogin onesignal openai openrouter openweather openweathermap opencage opsgenie ovh pagerduty pandadoc pastebin paypal paystack pdfshift pendo " +
    "pingdom pipedrive pixabay plaid plivo podio postmark prodpad proxycrawl pulumi railway rapidapi rawg razorpay rebrandly resend rollbar runpod " +
    "salesforce saucelabs scaleway scraperapi scrapingbee sendbird sendgrid sendinblue sentry serpapi shodan shopify smartsheet smartsheets snyk sonarqube " +
    "sourcegraph sparkpost splunk spoonacular spotify squarespace statuspage storyblok strava sumologic tavily telegram telnyx ticketmaster tinybird " +
    "todoist tomtom trello trendmicro truenas twilio twitch twitter typeform ubidots unkey unleash unsplash upstash uptimerobot userstack vastai vercel " +
    "virustotal voiceflow volcengine vonage vultr wakatime weatherapi weatherstack webflow whoxy wistia worldweather yelp yousign youtube zapier zendesk " +
    "zerobounce zipcodeapi apilayer mailboxlayer mailmodo marketstack moonclerk numverify nutritionix nytimes oanda opensea owlbot parsehub pdflayer " +
    "peopledatalabs pepipost pivotaltracker planyo positionstack qase ritekit satismeter scrapeowl serphouse sheety shotstack sirv skrapp smartystreets " +
    "spotinst statuscake stockdata stormglass survicate tallyfy teamgate thousandeyes tradier travelpayouts upcdatabase upstage urlscan vapi vatlayer " +
    "visualcrossing vouchery webscraper wpengine zenscrape zenserp zerotier easypost ebay elasticemail emailable envato everhour exa exchangerate facebook " +
    "faceplusplus fastspring filestack fireblocks fixer flickr flightaware foursquare freshdesk freshservice fullstory geocodio geonames gitea giphy " +
    "gladia glassnode graphhopper holidayapi honeybadger hotjar imagga imgbb imgix imgur infobip intrinio ipapi ipdata ipgeolocation ipqualityscore " +
    "ipregistry ipstack jumpcloud kaleyra kickbox klaviyo kucoin kustomer lastfm leadfeeder lemlist livekit locationiq logdna loggly loqate lusha elevenlabs fastly " +
    "finicity finnhub flagsmith freshbooks fullcontact geoapify getresponse ghost github gitlab gocardless godaddy greptile groq guardian gumroad harness " +
    "helpscout hereapi hetzner hexpm huawei hunter iconfinder imagekit infomaniak instantly intercom iterable jamf jotform keen keenio kraken lacework " +
    "launchdarkly lighton liveblocks lob lokalise looker loops"
)

/** Two words that make a password. */
const passwordPairs = words(
  "de_passe pass_code pass_phrase pass_word auth_ident parola_chiave redis_auth recovery_code backup_code key_material"
)

/** Words before `salt` that make it one of an application, not of one password. */
const saltMakers = words("cookie hashids hashid hash password")

/** Words before `code` and `codes` that make them stand for a password. */
const codeWords = words(
  "recovery backup scratch pin mfa otp totp 2fa verification security access auth activation pairing"
)

/** Words anywhere in a name that make it public, or about something else. */
const harmlessWords = words(
  "public pub publishable csrf xsrf placeholder pagination page cancellation cancel design mask sample example dummy"
)

/** Words before `token` that make it text processing or paging. */
const tokenHarmless = words(
  "next previous prev continuation sync cursor progress done result resume watermark change delta max min input output total prompt completion cache cached special eos bos pad unk sep cls lexer syntax parser num count " +
    "start end first last other reasoning thinking text string comment operator punctuation identifier keyword"
)

/** Words before `key` that make it an index or a keyboard key. */
const keyHarmless = words(
  "primary foreign sort partition idempotency i18n translation lookup object row dedupe group map cache query hash range index unique composite arrow enter escape tab " +
    "shift ctrl hot short socket site registry dict json config gpg pgp sorting parent child item public react list data file"
)

/** What a key is called elsewhere. With a word beside it that says what kind, it is kept secret. */
const keyNouns = words("clé cle chiave klucz anahtar schluessel schlüssel ключ nyckel sleutel avain kulcs")

/** Words before `secret` or `token` that say that its digest is meant. */
const digestWords = words("hashed checksum fingerprint digest")

/** Words before `secret_id` that make it a number of a list. */
const secretsWithId = words("client token hook webhook")

/** Endings that say where a secret is kept or in which form, and leave the name what it was. */
const trailing = words(
  "b64 base64 hex raw plain plaintext value values old new prod production dev development test staging stage live primary secondary main current " +
    "previous next backup confirmation confirm again api acceso acesso default string str text encoded enc data env var base db bd de d acces accès accesso " +
    "secreta secreto v for database banco smtp imap ftp ssh ldap redis mysql postgres admin root"
)

// The letters of Latin-1 and Latin Extended-A belong to words, the other scripts are words by themselves.
const splitter = /[A-Z]+(?![a-z\u00df-\u017f])|[A-Z]?[a-z\u00df-\u017f]+|\d+|[^\x00-\x7f\u00df-\u017f]+/g

const isUpper = (code: number): boolean => code >= 65 && code <= 90
const isLower = (code: number): boolean => code >= 97 && code <= 122

/** The words of a name in ASCII; undefined when it has other letters. */
const asciiWords = (name: string): Array<string> | undefined => {
  const found: Array<string> = []
  let start = 0
  for (let i = 0; i <= name.length; i++) {
    const code = name.charCodeAt(i)
    if (code > 127) return undefined
    const before = i > start ? name.charCodeAt(i - 1) : 0
    const isDigit = code >= 48 && code <= 57
    if (isLower(code)) {
      // The last of several capitals begins the word: `URLToken` is `url` and `token`.
      const capital = isUpper(before) && i - start > 1
      if (before !== 0 && (capital || before < 65)) {
        const end = capital ? i - 1 : i
        found.push(name.slice(start, end).toLowerCase())
        start = end
      }
      continue
    }
    const goesOn = isDigit ? before >= 48 && before <= 57 : isUpper(code) && isUpper(before)
    if (goesOn) continue
    if (i > start) found.push(name.slice(start, i).toLowerCase())
    start = isDigit || isUpper(code) ? i : i + 1
  }
  return found
}

/** The words of a name, in lower case: camelCase, snake_case, kebab-case and dots are all boundaries. */
export const wordsOf = (name: string): Array<string> =>
  asciiWords(name) ?? (name.match(splitter) ?? []).map((word) => word.toLowerCase())

const passwordEndings = "password passwd passphrase passwort kennwort pwd".split(" ")
/** Words that end in `pass` and are none of a password. */
const otherPasses = words(
  "bypass compass surpass trespass underpass overpass encompass keepass lastpass multipass buypass minipass renderpass subpass prepass highpass lowpass bandpass allpass"
)
/** Words before `pass` that make it a step of a renderer, a compiler or a filter. */
const passMakers = words(
  "render shader shadow depth bloom opaque compute effect pre sub multi first second single high low band all notch optimization compiler analysis lint debug gpu blur"
)

/** `sastoken`, `webhookkey`, `mqttpass`: the class of two words written as one. */
const judgeJoined = (word: string): NameClass | undefined => {
  if (word.endsWith("secret") || word.endsWith("sschlüssel") || word.endsWith("sschluessel")) return "secret"
  if (word.endsWith("token")) {
    const before = word.slice(0, -5)
    return before.length < 2 || tokenHarmless.has(before) || harmlessWords.has(before) ? undefined : "secret"
  }
  // Git and GnuPG call the id of a key `signingkey`.
  if (word.endsWith("key") && word !== "signingkey")
    return keyMakers.has(word.slice(0, -3)) ||
      keyVendors.has(word.slice(0, -3)) ||
      /(?:api|secret|private|access)key$/.test(word)
      ? "secret"
      : undefined
  return word.length > 5 && word.endsWith("pass") && !otherPasses.has(word) ? "password" : undefined
}

const endsWithAny = (word: string, endings: ReadonlyArray<string>): boolean =>
  endings.some((ending) => word.endsWith(ending))

/** Whether the last word of a name leaves it what it was: one of those above, or a number as in `password07`. */
const saysNothing = (word: string): boolean =>
  trailing.has(word) || (word.length < 3 && isAll(word, 0, word.length, digits))

const judge = (name: string): NameClass | undefined => {
  const parts = wordsOf(name)
  while (parts.length > 1 && saysNothing(parts.at(-1) ?? "")) parts.pop()
  const last = parts.at(-1)
  if (last === undefined) return undefined
  const before = parts.at(-2) ?? ""
  const isOwnSecret = last === "secret" || last === "key"
  // com.example.password, CSRF_SECRET
  for (const [index, part] of parts.entries())
    if (
      harmlessWords.has(part) &&
      (part !== "example" || parts[index - 1] !== "com") &&
      !(isOwnSecret && part.endsWith("srf"))
    )
      return undefined
  if (last === "authorization") return "authorization"
  if (last === "cookie" || last === "cookies")
    return parts.length === 1 || before === "set" || before === "http" ? "cookie" : "weak"
  // Test runners print PASS; as a variable it is written in lower case or with a prefix.
  if (name === "PASS" || name === "Pass") return undefined
  if (passwordWords.has(last) || endsWithAny(last, passwordEndings))
    return last === "pass" && passMakers.has(before) ? undefined : "password"
  // What was made from a secret is a digest more often than one.
  if (parts.some((part) => digestWords.has(part)) && (secretWords.has(last) || last === "key")) return "weak"
  if (passwordPairs.has(`${before}_${last}`)) return "password"
  if (last === "token" || last === "tokens") {
    // What a client makes up so that a request is done once: a UUID.
    if (before === "client" || before === "request") return "weak"
    return tokenHarmless.has(before) ? undefined : "secret"
  }
  if (last === "key" || last === "keys") {
    // An attribute of HTML, where any number stands.
    if (before === "data" && name.endsWith("data-key")) return "weak"
    if (keyMakers.has(before)) return "secret"
    if (keyHarmless.has(before)) return undefined
    return keyVendors.has(before) ? "secret" : "weak"
  }
  // The security identifier of Windows
  if (last === "sid" && (before === "object" || before === "group" || before === "owner")) return undefined
  if (last === "salt" && (keyMakers.has(before) || saltMakers.has(before))) return "secret"
  if ((last === "hmac" && keyMakers.has(before)) || (last === "auth" && before === "x")) return "secret"
  if (last === "seed" && (seedMakers.has(before) || /hex$/i.test(name))) return "secret"
  if ((last === "hash" || last === "digest") && passwordWords.has(before)) return "secret"
  if (secretWords.has(last)) return "secret"
  if (last === "mnemonic" || ((last === "phrase" || last === "words") && seedWords.has(before))) return "phrase"
  if ((last === "code" || last === "codes") && codeWords.has(before)) return "code"
  // Of an application of Telegram.
  if (last === "hash" && before === "api") return "secret"
  if (last === "pin" || last === "otp" || last === "totp") return "code"
  // TF_TOKEN_app_terraform_io
  if (parts[0] === "tf" && parts[1] === "token") return "secret"
  // Of Vault's AppRole. That of a client's secret tells it from others.
  if (last === "id" && before === "secret") return secretsWithId.has(parts.at(-3) ?? "") ? undefined : "secret"
  if (weakWords.has(last)) return "weak"
  if (parts.some((part) => keyNouns.has(part))) return last.length < name.length ? "secret" : "weak"
  return judgeJoined(last)
}

const judged = new Map<string, NameClass | "none">()

/** The class of a name, or undefined when it promises no secret. The last word decides. Names longer than 96 characters promise none. */
export const classifyName = (name: string): NameClass | undefined => {
  // The words of a marker are not the words of a name.
  if (name.length > 96 || name.includes("[REDACTED:")) return undefined
  const known = judged.get(name)
  if (known !== undefined) return known === "none" ? undefined : known
  const result = judge(name)
  // The same few names come again and again; a session with thousands of them must not keep them all.
  if (judged.size > 500) judged.clear()
  judged.set(name, result ?? "none")
  return result
}
