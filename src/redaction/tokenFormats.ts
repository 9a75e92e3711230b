import {
  alnum,
  alnumdash,
  anyb64,
  anyb64dot,
  anyb64eq,
  azuread,
  base64,
  base64url,
  bech32upper,
  type CharacterClass,
  digits,
  django,
  hex,
  hexdash,
  lower,
  loweralnum,
  lowerhex,
  upperalnum,
  uri,
  urldot,
  urldoteq,
  urleq,
  word
} from "./characterClasses.ts"

/** No upper limit: the longest run is taken, so that a vendor who lengthens its tokens needs no release from us. */
const open = Number.POSITIVE_INFINITY

/**
 * What a format asks beyond its characters, one letter each:
 * `d` `u` `l` the body holds a digit, an upper-case, a lower-case letter; `=` padding may follow; `s` no `. _ - $ /` to the left;
 * `a` anything may stand to the left; `x` no letter or digit may follow; `w` the body may look like words; `c` letters alone are no word in it.
 */
export type FormatFlags = string

/** id, prefixes, alphabet and length of the body, flags. A finite maximum is exact: a longer run is no match. */
export interface PrefixedFormat {
  readonly id: string
  readonly prefixes: ReadonlyArray<string>
  readonly characters: CharacterClass
  readonly min: number
  readonly max: number
  readonly flags: FormatFlags
}

/** A run of characters inside a composed format. */
export interface Run {
  readonly characters: CharacterClass
  readonly min: number
  readonly max: number
}

/** Literals to choose from ("" makes them optional), or a run. */
export type FormatPart = ReadonlyArray<string> | Run

/** id, index of the part to search for (earlier parts are read backwards), parts in order, flags. */
export interface ComposedFormat {
  readonly id: string
  readonly anchor: number
  readonly parts: ReadonlyArray<FormatPart>
  readonly flags: FormatFlags
}

/**
 * Tokens of the form prefix + body, one format a line: prefixes and a colon, id, alphabet and length of the body (`16` exactly, `16-34`, `40+` and no upper limit), flags.
 * Facts as the vendors publish them; case matters. The last is a word that means "secret" before a long mixed body, whoever issued it.
 *
 * One text, because an engine reads that twenty times as fast as a list of lists, and every run reads it; few lines are ever looked at.
 */
export const formatTable = `
AKIA ASIA ABIA ACCA LSIA LKIA : aws-access-key-id upperalnum 16 c
A3T : aws-legacy-access-key-id upperalnum 17 dx
ABSK : aws-bedrock-long-lived base64 100+ =
bedrock-api-key- : aws-bedrock-short-lived base64 24+ =
IQoJb3JpZ2luX2 FwoGZXIvYXdz FQoGZXIvYXdz : aws-session-token base64 60+ =
AIza : gcp-api-key base64url 35
AQ.Ab8R : google-gemini-key base64url 32+
ya29. : google-oauth-access urldot 20+
1//0 : google-oauth-refresh base64url 30+ s
GOCSPX- : google-client-secret base64url 20+
SharedAccessKey= : azure-shared-access-key base64 32+ dul=
AccountKey= : azure-account-key base64 80+ dul=
LTAI : alibaba-access-key-id alnum 16-26 ul
STS. : alibaba-sts-access-key-id alnum 16-64 duls
CAIS : alibaba-sts-token anyb64 60+ dul=
AQVN : yandex-api-key base64url 35-40 dul
YC : yandex-s3-key base64url 38 dul
dop_v1_ : digitalocean-pat hex 40+
doo_v1_ : digitalocean-oauth-token hex 40+
dor_v1_ : digitalocean-refresh-token hex 40+
tk-us- : scalingo-token base64url 48
ucat_ : upcloud-token alnum 24+
EXO : exoscale-key alnum 24-30 dl
sha256~ : openshift-token base64url 40+
fo1_ : flyio-token base64url 40+
fm1a_ fm1r_ : flyio-macaroon anyb64 60+ =
fm2_ : flyio-macaroon-v2 anyb64 60+ =
rnd_ : render-key alnum 26-40
HRKU- : heroku-key-v2 base64url 36+
nfp_ : netlify-pat alnum 36-48
nfc_ : netlify-cli-token alnum 36-48
nfo_ : netlify-oauth-token alnum 36-48
nfu_ : netlify-ui-token alnum 36-48
nfb_ : netlify-build-token alnum 36-48
vck_ : vercel-ai-gateway-key base64url 40+ d
vcp_ : vercel-pat base64url 40+ d
vca_ : vercel-app-access-token base64url 40+ d
vcr_ : vercel-app-refresh-token base64url 40+ d
vci_ : vercel-integration-token base64url 40+ d
sbp_ : supabase-management word 38+ d
sb_secret_ : supabase-secret-key base64url 20+
napi_ : neon-key alnum 40+
pscale_tkn_ : planetscale-service-token urldoteq 30+
pscale_pw_ : planetscale-password urldoteq 30+
pscale_oauth_ : planetscale-oauth-token urldoteq 30+
mdb_sa_sk_ : mongodb-atlas-secret base64url 30+
AVNS_ : aiven-password base64url 16+
AstraCS: : datastax-astra-token anyb64dot 20+
4b1d : clickhouse-cloud-secret alnum 38 dul
essu_ : elastic-cloud-key anyb64eq 40+
dapi : databricks-token lowerhex 32 d
dbtc_ dbtu_ : dbt-cloud-token base64url 40+ d
ZXlK : jwt-base64 anyb64 60+ dul=
ghp_ : github-pat word 20+
gho_ : github-oauth-token word 20+
ghu_ : github-app-user-token word 20+
ghr_ : github-refresh-token word 20+
ghs_ : github-app-token urldot 20+
github_pat_ : github-fine-grained-pat word 22+
glpat- : gitlab-pat urldot 20+
gldt- : gitlab-deploy-token urldot 20+
glrt- : gitlab-runner-token urldot 20+
glcbt- : gitlab-ci-job-token urldot 20+
glptt- : gitlab-trigger-token urldot 20+
glft- : gitlab-feed-token urldot 20+
glimt- : gitlab-incoming-mail-token urldot 20+
glagent- : gitlab-agent-token urldot 20+
gloas- : gitlab-oauth-app-secret urldot 20+
glsoat- : gitlab-scim-token urldot 20+
glffct- : gitlab-feature-flag-token urldot 20+
GR1348941 : gitlab-runner-registration base64url 20+
_gitlab_session= : gitlab-session-cookie loweralnum 32+
ATBB : bitbucket-app-password anyb64 24+ dul
ATATT3 : atlassian-api-token urleq 24+
ATCTT3 : atlassian-access-token urleq 24+
ATSTT3 : atlassian-session-token urleq 24+
gta_ : gitea-token lowerhex 40
CCIPAT_ : circleci-pat base64url 40+
CCIPRJ_ : circleci-project-token base64url 40+
bkua_ : buildkite-user-token base64url 40+
bkaa_ bkaj_ bkar_ bkct_ bkpt_ bkpat_ bkps_ : buildkite-service-token base64url 40+
squ_ : sonar-user-token loweralnum 40+ d
sqp_ : sonar-project-token loweralnum 40+ d
sqa_ : sonar-global-token loweralnum 40+ d
sgp_ : sourcegraph-token word 40+ d
API- : octopus-deploy-key upperalnum 25-34 du
mergify_application_key_ : mergify-key base64url 40+
AIK_CI_ : aikido-ci-token alnum 20+
AIK_SECRET_ : aikido-client-secret alnum 20+
vtwn_ : val-town-token base64url 20+ d
PMAK- : postman-key hexdash 40+
pul- : pulumi-token lowerhex 40+
ico- : infracost-key alnum 32-40 dul
pnu_ : prefect-user-key alnum 36-40 d
pnb_ : prefect-service-key alnum 36-40 d
rdme_ : readme-key loweralnum 60+
zpka_ : zuplo-key word 32+ d
unkey_ : unkey-key alnum 20+ d
s-s4t2ud- s-s4t2af- : intra42-secret hex 64+
sm_aat_ : settlemint-application-token alnum 16+
sm_pat_ : settlemint-pat alnum 16+
sm_sat_ : settlemint-service-token alnum 16+
npm_ : npm-token alnum 36 d
npm_ : npm-token-longer alnum 40+ dul
pypi-AgEIcHlwaS5vcmc pypi-Ag : pypi-token base64url 40+
rubygems_ : rubygems-key lowerhex 40+
cio : crates-io-token alnum 32 dul
oy2 : nuget-key loweralnum 43 d
CLOJARS_ : clojars-token alnum 40+
dckr_pat_ : dockerhub-pat base64url 20+
dckr_oat_ : dockerhub-org-token base64url 20+
SWMKEY-1- : docker-swarm-unlock base64 32+ =
AKCp : artifactory-key alnum 60-90 dul
cmVmd : artifactory-reference alnum 50-75 dul
csa_ : cloudsmith-key alnum 36-44 d
ddp_ : deno-personal-token alnum 36-44 d
ddw_ : deno-org-token alnum 36-44 d
tss_ : thunderstore-token base64url 20+ dul
dp.pt. : doppler-personal-token urldot 40+ s
dp.st. : doppler-service-token urldot 40+ s
dp.ct. : doppler-cli-token urldot 40+ s
dp.sa. : doppler-service-account-token urldot 40+ s
dp.scim. : doppler-scim-token urldot 40+ s
dp.audit. : doppler-audit-token urldot 40+ s
hvs. : vault-service-token base64url 24+ s
hvb. : vault-batch-token base64url 24+ s
hvr. : vault-recovery-token base64url 24+ s
s. : vault-legacy-service alnum 24 duls
ops_eyJ : onepassword-service-account base64 60+ =
MHcCAQEEI MIGkAgEBBD MC4CAQAwBQYDK2VwBCIEI b3BlbnNzaC1rZXktdjE : der-private-key base64 30+ =
base64: : application-key base64 43 =dul
ED25519-V3: : onion-service-key base64 80+ =
sktsec_ : socket-token base64url 30+
dls_ : dashlane-key word 40+ d
mfa. : discord-mfa-token base64url 60+ duls
rf_ : roboflow-key alnum 20-32 dul
rc_ : featherless-key lowerhex 64
AGE-SECRET-KEY-1 : age-secret-key bech32upper 40+
tskey-auth- : tailscale-auth-key base64url 18+ d
tskey-api- : tailscale-api-key base64url 18+ d
tskey-client- : tailscale-oauth-client base64url 18+ d
tskey- : tailscale-key base64url 18+ d
cfut_ : cloudflare-user-token base64url 30+ d
cfat_ : cloudflare-account-token base64url 30+ d
cfk_ : cloudflare-global-key base64url 30+ d
dnkey- : defined-networking-token urleq 60+
endr+ : endorlabs-key alnumdash 16+
dvc_server_ : devcycle-server-sdk-key alnum 8+
sk-ant- : anthropic-key base64url 20+
sk-proj- : openai-project-key base64url 20+
sk-svcacct- : openai-service-account-key base64url 20+
sk-admin- : openai-admin-key base64url 20+
sk-or-v1- sk-or- : openrouter-key base64url 32+ d
sk-lf- : langfuse-secret base64url 20+ d
sk-api- : minimax-key base64url 60+
sk- : llm-key-hex lowerhex 32-64 d
sk- : llm-key-mixed base64url 40+ dul
gsk_ : groq-key alnum 40+
xai- : xai-key base64url 60+
pplx- : perplexity-key alnum 32+
r8_ : replicate-token alnum 32+
hf_ : huggingface-token alnum 30+ ul
api_org_ : huggingface-org-token alnum 30+ ul
tgp_v1_ : togetherai-key base64url 30+
fw_ : fireworks-key alnum 22-40 dul
csk- : cerebras-key alnum 40+ d
nvapi- : nvidia-key base64url 40+
tvly-dev- tvly-prod- tvly- : tavily-key base64url 20+ d
fc- : firecrawl-key lowerhex 32 d
pcsk_ : pinecone-key word 40+
lsv2_pt_ : langsmith-personal-token word 40+
lsv2_sk_ : langsmith-service-key word 40+
sk_ : elevenlabs-key lowerhex 48 d
wandb_v1_ : wandb-key-v1 word 40+
BSA : brave-search-key base64url 24-40 dul
key_ : cursor-key lowerhex 64
apk_user_ : devin-personal-key base64 80+ =
apk_ : devin-service-key base64 80+ dul=
cog_ : devin-service-user loweralnum 52 d
rpa_ : runpod-key alnum 40+ d
apify_api_ : apify-token alnum 30+
xoxb- : slack-bot-token base64url 18+ d
xoxp- : slack-user-token base64url 18+ d
xoxa- : slack-workspace-token base64url 18+ d
xoxr- : slack-workspace-refresh-token base64url 18+ d
xoxs- xoxo- : slack-legacy-token base64url 18+ d
xoxc- : slack-session-token base64url 18+ d
xoxe- : slack-config-refresh-token base64url 18+ d
xoxe.xoxb- xoxe.xoxp- : slack-config-access-token base64url 18+ d
xapp- : slack-app-token base64url 18+ d
xoxd- : slack-session-cookie anyb64 20+ =
xoxd- : slack-session-cookie-encoded uri 40+
hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/ : slack-webhook base64 30+ dulaw
SK : twilio-api-key hex 32 d
SG. : sendgrid-key urldoteq 60+ s
key- : mailgun-key lowerhex 32 d
re_ : resend-key word 30-44 dul
xkeysib- : brevo-api-key alnumdash 60+
xsmtpsib- : brevo-smtp-key alnumdash 60+
mlsn. : mailersend-key alnum 30+
gcntfy- : canada-notify-key base64url 60+ d
os_v2_app_ : onesignal-app-key loweralnum 60+
os_v2_org_ : onesignal-org-key loweralnum 60+
KEY : telnyx-key base64url 55 dul
sk_live_ sk_prod_ : stripe-secret-key-live anyb64 10+ =
sk_test_ : stripe-secret-key-test anyb64 10+ =
rk_live_ rk_prod_ : stripe-restricted-key-live anyb64 10+ =
rk_test_ : stripe-restricted-key-test anyb64 10+ =
whsec_ : webhook-signing-secret base64 20+ =
EAAA : square-access-token base64url 22-80 dul
sq0atp- : square-pat base64url 20+
sq0csp- : square-oauth-secret base64url 20+
shpat_ : shopify-access-token hex 32+
shpca_ : shopify-custom-app-token hex 32+
shppa_ : shopify-private-app-token hex 32+
shpss_ : shopify-shared-secret hex 32+
shpua_ : shopify-user-token hex 32+
FLWSECK_TEST- FLWSECK- : flutterwave-secret alnumdash 12+
$aact_prod_ : asaas-token-production base64url 20+ a
$aact_hmlg_ : asaas-token-sandbox base64url 20+ a
$aact_ : asaas-token base64url 20+ a
pdl_live_apikey_ : paddle-key word 40+
polar_oat_ : polar-organization-token base64url 20+ d
polar_pat_ : polar-pat base64url 20+ d
polar_at_ : polar-oauth-token base64url 20+ d
shippo_live_ : shippo-token-live hex 32+
shippo_test_ : shippo-token-test hex 32+
EZAK : easypost-key alnum 54-60 d
EZTK : easypost-test-key alnum 54-60 d
duffel_live_ : duffel-token-live urleq 36+
duffel_test_ : duffel-token-test urleq 36+
mercury_production_ : mercury-token word 40+
ramp_sec_ : ramp-secret alnum 40+
Mid-server- Mid-client- : midtrans-key base64url 10+
apikey_ : rainforest-key lowerhex 64+
api_live. : onfido-token-eu base64url 20+ ds
api_live_us. : onfido-token-us base64url 20+ ds
api_live_ca. : onfido-token-ca base64url 20+ ds
persona_production_ : persona-key base64url 20+ d
prf_ prf_cli_ : proof-key base64url 20+ dul
live_ : gocardless-token urleq 40-42 d
live_ test_ : lob-key lowerhex 35 d
samsara_api_ : samsara-token alnum 24+
db- : databento-key alnum 29 dul
lin_api_ : linear-api-key alnum 30+
lin_oauth_ : linear-oauth-token alnum 30+
lin_wh_ : linear-webhook-secret alnum 30+
ntn_ : notion-token alnum 40+
secret_ : notion-token-old alnum 43 dul
figd_ figu_ : figma-pat base64url 30+
figo_ : figma-oauth-token base64url 30+
pk_ : klaviyo-key loweralnum 34 d
tfp_ : typeform-token urldoteq 40+
cnvca : canva-secret base64url 45-60 dul
fio-u- : frameio-token urleq 50+
lip_ : lichess-token word 16+ dul
waka_ : wakatime-key alnumdash 36+
pina_ : pinterest-token base64url 20+ dul
rpa_ : redirect-pizza-token alnum 30 dul
ion_ : ionic-token alnum 42-44 dul
p8e- : adobe-client-secret base64url 28-36 d
EAAC EAAM EAAG EAAB EAAD EAAE : facebook-access-token alnum 90+ dul
sl. : dropbox-short-token urleq 100+ s
sk.eyJ tk.eyJ : mapbox-secret-token urldot 60+ s
rootly_ : rootly-key lowerhex 60+
na1. eu1. : fullstory-key alnum 20+ duls
sntrys_ : sentry-org-token anyb64eq 40+
sntryu_ : sentry-user-token alnum 40+
sntrya_ : sentry-app-token alnum 40+
NRAK- : newrelic-user-key base64url 19+ d
NRII- : newrelic-insert-key base64url 19+ d
NRAA- : newrelic-admin-key base64url 19+ d
glsa_ : grafana-service-account word 32+
glc_ : grafana-cloud-token anyb64 32+ =
eyJrIjoi : grafana-legacy-key base64 40+ =
dt0c01. dt0s01. dt0s02. dt0s16. dt0e01. : dynatrace-token urldot 60+ s
sec-c- : pubnub-secret-key alnumdash 32+ d
phx_ : posthog-personal-key base64url 40+
django-insecure- : django-insecure django 30+ dw
sk_live_a2V5Xz : workos-highnote-key base64 40+ =
xwfp- : slack-workflow-token base64url 18+ d
sess- : openai-session-key alnum 40 dul
jina_ : jina-key base64url 40+
pa- al- : voyage-key base64url 43 dul
ls__ : langsmith-legacy-key lowerhex 32 d
bb_live_ bb_test_ : browserbase-key base64url 20+ d
e2b_ : e2b-key lowerhex 40
dtn_ : daytona-key loweralnum 64+
hcaik_ hcbik_ hcxik_ : honeycomb-ingest-key loweralnum 50+
xaat- xapt- : axiom-token hexdash 36 w
xau_ : xata-key alnum 30+ d
tsec_ : tigris-secret word 30+ d
standard_ : appwrite-key lowerhex 200+
jsrp_ jsrd_ : jsr-token alnum 30+ d
ovsxat_ ovsxp_ : open-vsx-token hexdash 36+ w
AQE : adyen-key anyb64dot 100+ dul=
A21AA : paypal-access-token base64url 80+ dul
amzn.mws. : amazon-mws-token hexdash 36 w
amzn1.oa2-cs.v1. : amazon-lwa-secret lowerhex 64+
Atza| Atzr| : amazon-lwa-token anyb64 60+ =
IGQV IGAA : instagram-token base64url 100+ dul
WPL_AP1. : linkedin-access-token anyb64dot 16+ =
pat-na1- pat-na2- pat-eu1- pat-ap1- : hubspot-private-app-token alnumdash 36 dw
dG9rO : intercom-token base64 40+ =
CFPAT- : contentful-pat base64url 40+
y0_ y1_ : yandex-oauth-token base64url 50+ dul
vk1.a. : vk-token base64url 80+
syt_ : matrix-token word 30+ dul
MDAx : macaroon base64url 80+ dul=
RGAPI- : riot-key hexdash 36 w
ATTA : trello-token lowerhex 64+
fnA : fauna-secret anyb64 37 dul
xprv yprv zprv tprv : bip32-private-key alnum 100-112 dul
nsec1 : nostr-secret-key loweralnum 58 d
secret-token: : secret-token-uri uri 8+
ser. : flagsmith-server-key alnum 22 duls
ory_pat_ ory_at_ ory_rt_ : ory-token urldot 30+ dul
secret-live- secret-test- : stytch-secret urleq 30+ d
glwt- glrtr- : gitlab-workspace-token urldot 20+
aio_ : adafruit-io-key alnum 28 d
akab- : akamai-edgegrid-token alnumdash 32+ d
alcht_ : alchemy-token alnum 30+ d
esecret_ : anyscale-key loweralnum 20+ d
K001 K002 K003 K004 K005 : backblaze-app-key base64 27 dul
bb_pr_ bb_ma_ : bannerbear-key hex 30+ d
cal_live_ cal_ : calcom-key lowerhex 32 d
sk_car_ : cartesia-key alnum 20+ d
cfsk_ma_test_ cfsk_ma_prod_ : cashfree-secret word 32+ d
cflt : confluent-secret base64 60 dul
crsr_ : cursor-user-key lowerhex 64
dose : databricks-oauth-secret lowerhex 32 d
dose : databricks-oauth-secret urldot 32 dul
ddapp_ : datadog-app-key alnum 34+ d
DO00 DO80 : digitalocean-spaces-id upperalnum 16 d
sl.u. : dropbox-user-token urleq 60+ s
dub_ : dub-key alnum 24 dul
fk- : factory-key base64url 40+ dul
GOOG1 : gcp-hmac-id upperalnum 56
GOOG : gcp-hmac-user-id upperalnum 20 d
4/0A : google-auth-code base64url 60+ s
sk-helicone- : helicone-key alnumdash 20+ d
hbp_ : honeybadger-token alnum 36 dul
private_ : imagekit-private-key base64 27 dul=
signkey- : inngest-signing-key alnumdash 36+ d
jca_ : jumpcloud-key alnum 36+ d
JDC_ : jdcloud-key upperalnum 28+ d
klarna_live_api_ klarna_test_api_ : klarna-key anyb64 40+ d
llx- : llamacloud-key alnum 40+ d
luma- : luma-key hexdash 36 w
md- : mandrill-key base64url 22 dul
m0- : mem0-key alnum 40 dul
as- ak- : modal-token alnum 22 dul
live_ test_ : mollie-key alnum 30 dul
NRIQ- : newrelic-query-key base64url 32 d
skey_test_ skey_ : omise-secret loweralnum 19+ d
pdl_sdbx_apikey_ : paddle-sandbox-key word 40+
pts_ : pangea-token loweralnum 32 d
permit_key_ : permit-key alnum 40+ d
PMAT- : postman-collection-key upperalnum 26
pl_ : promptlayer-key lowerhex 32 d
o. : pushbullet-token alnum 32 duls
key_ : runway-key lowerhex 128
5Aep861 : salesforce-refresh-token urldot 70+ s
SCW : scaleway-access-key upperalnum 17 d
prtapi_ : shopify-partner-token lowerhex 32+
shptka_ : shopify-theme-token lowerhex 32+
sk- : llm-key-lower loweralnum 48
snyk_uat. snyk_sat. : snyk-token urldot 40+
slk_ : sourcegraph-license lowerhex 64
sgamp_user_ : amp-token word 40+
sk_org_ sk_org_live_ sk_org_test_ : stripe-organization-key anyb64 20+ d
console- : statsig-console-key alnum 43+ dul
SA SB SC SD : stellar-secret upperalnum 54 d
SUA SUB SUC SUD SAA SAB SAC SAD SOA SOB SOC SOD : nats-seed upperalnum 55 d
AKID : tencent-secret-id alnum 32 dul
tr_dev_ tr_prod_ tr_stg_ tr_preview_ tr_pat_ : trigger-key alnum 20+ d
oauth: : twitch-irc-token loweralnum 30 d
AKLT : volcengine-access-key base64url 40+ dul
ALTAK : baidu-access-key alnum 21 dul
xnd_production_ xnd_development_ : xendit-key alnum 40+ d
mik_ : mappedin-key alnum 25 d
mis_ : mappedin-secret alnum 51 d
mint_ mint_dsc_ : mintlify-key alnum 24-44 d
nrt_ : notion-refresh-token word 40-55 d
1PRK- : onepassword-recovery-key alnumdash 64 du
pa_ : pirsch-key alnum 32-48 dul
rh-api- : robinhood-key hexdash 36 w
BBUS- BBFF- : ubidots-key alnum 28-40 dul
CfDJ8 : aspnet-protected-data base64url 60+ dul
BBDC- : bitbucket-data-center-token base64 44 dul
bpk- : builder-private-key lowerhex 32 d
ajkey_ : arcjet-key loweralnum 26 d
b_ : beamer-token base64url 44 dul
flb_live_ flb_test_ : fleetbase-key alnum 20+ d
flp_ : friendli-token alnum 46 dul
sk-hc-v1- : hackclub-key lowerhex 64
sk_dev_ : liveblocks-key base64url 40+ dul
sk_staging_ sk_production_ : crossmint-server-key alnum 24-48 d
sk_ sk- sk. pat_ pat- secret_ secret- token_ token- apikey_ apikey- api_key_ api_ api- access_ access- priv_ auth_ : generic-token alnum 24+ dul
sk_ sk- pat_ secret_ token_ apikey_ api_key_ sk_live_ sk_test_ sk_prod_ : generic-token lowerhex 32+ d
`

/** Whether the text is a prefix of the table. */
export const isPrefixOfFormat = (text: string): boolean => formatTable.includes(`${text} `)

/** The lines of the table. */
export const linesOfFormats = (): ReadonlyArray<string> => formatTable.trim().split("\n")

/** The line that holds this place of the table. */
export const lineAt = (place: number): string =>
  formatTable.slice(formatTable.lastIndexOf("\n", place) + 1, formatTable.indexOf("\n", place))

let madeAlphabets: Readonly<Record<string, CharacterClass>> | undefined

/** The alphabets by the names that the tables call them by. */
const alphabets = (): Readonly<Record<string, CharacterClass>> => {
  madeAlphabets ??= makeAlphabets()
  return madeAlphabets
}

const makeAlphabets = (): Readonly<Record<string, CharacterClass>> => ({
  azuread,
  digits,
  lower,
  alnum,
  alnumdash,
  anyb64,
  anyb64dot,
  anyb64eq,
  base64,
  base64url,
  bech32upper,
  django,
  hex,
  hexdash,
  loweralnum,
  lowerhex,
  upperalnum,
  uri,
  urldot,
  urldoteq,
  urleq,
  word
})

/** Reads one of the lines. */
export const readFormat = (line: string): PrefixedFormat => {
  const [prefixes = "", format = ""] = line.split(" : ")
  const [id = "", alphabet = "", length = "", flags = ""] = format.split(" ")
  const min = Number.parseInt(length, 10)
  const max = length.endsWith("+") ? open : Number(length.slice(length.indexOf("-") + 1))
  return { id, prefixes: prefixes.split(" "), characters: alphabets()[alphabet] ?? 0, min, max, flags }
}

/**
 * Tokens of several parts, and tokens whose telling part stands in the middle, one a line: id, number of the part to search for (earlier parts are read
 * backwards), flags or `-`, then the parts in order. A part is a literal (a space in it is `%20`), a choice of literals `(a|b|)`, or a run: `alnum{20}` exactly,
 * `alnum{20,24}`, `alnum{20,}` and no upper limit.
 */
export const composedTable = `
phase-token 0 - (pss_service:v1:|pss_service:v2:|pss_user:v1:|pss_user:v2:) lowerhex{64} : lowerhex{64} : lowerhex{64}
k3s-token 0 - K10 lowerhex{64} :: alnum{1,16} : urldot{16,}
rancher-token 0 d token- loweralnum{5} : loweralnum{54}
rancher-token 0 d (kubeconfig-u-|kubeconfig-user-) loweralnum{5,12} : loweralnum{54}
stripe-client-secret 1 dul alnum{20,32} _secret_ alnum{20,40}
der-private-key 1 - base64{6} (IBADANBgkqhkiG9w0BAQEFAASC|IBAAKCAQEA|IBAAKCAgEA|IBAAKCAYEA|IBAAKBgQ) base64{60,}
der-private-key 1 - base64{4} (AgEAMBMGByqGSM49AgEG|AgEAMBAGByqGSM49AgEG) base64{30,}
der-encrypted-key 1 = base64{8} BgkqhkiG9w0BBQ0w base64{60,}
der-key-store 2 = MII base64{3} IBAzCC base64{60,}
azure-ad-client-secret 1 ul azuread{3} (0Q~|1Q~|2Q~|3Q~|4Q~|5Q~|6Q~|7Q~|8Q~|9Q~) azuread{31,36}
azure-devops-pat 1 - alnum{52} JQQJ99 alnum{20,}
azure-storage-key 1 - base64{76} +ASt base64{6} ==
azure-functions-key 1 - base64url{44} (AzFu|AzSe|AzCa|ACDb) base64url{6,8} (==|)
azure-keyed-search 1 - alnum{42,44} (AzSe|ACDb|AzCa) alnum{6,8}
yandex-iam-token 0 =s t1. base64url{1,} (==|=|) . base64url{86}
flyio-v1-header 0 = FlyV1%20 (fm1a_|fm1r_|fm2_|) anyb64{60,}
cockroach-key 0 - CCDB1_ alnum{22,} _ alnum{36,}
databricks-token-suffixed 0 d dapi lowerhex{32} - digits{1,2}
jws-compact 0 dul eyJ base64url{10,} . base64url{16,} . base64url{16,}
jwt 0 = ey base64url{10,} .ey base64url{6,} . anyb64{4,}
jwe-compact 0 - eyJ base64url{10,} . base64url{0,} . base64url{10,} . base64url{16,} . base64url{16,}
harness-token 0 duls (pat.|sat.) base64url{20,24} . alnum{24} . alnum{20}
workato-token 0 - wrka lower{0,2} -eyJ base64url{8,} . base64url{16,} . base64url{40,}
docker-swarm-join 0 - SWMTKN-1- loweralnum{40,} - loweralnum{20,}
terraform-cloud-token 1 - alnum{14} .atlasv1. urleq{60,}
onepassword-secret-key 0 d A3- upperalnum{6} - upperalnum{6} - upperalnum{5} - upperalnum{5} - upperalnum{5} - upperalnum{5}
onepassword-secret-key-short 0 d A3- upperalnum{6} - upperalnum{11} - upperalnum{5} - upperalnum{5} - upperalnum{5}
cloudflare-origin-ca 0 - v1.0- lowerhex{24} - lowerhex{100,}
cloudflare-origin-ca 0 - v1.0- lowerhex{64} - lowerhex{100,} - lowerhex{64}
close-key 0 dul api_ alnum{18,26} . alnum{18,26}
block-protocol-key 0 d b10ck5. alnum{32} . alnum{36}
authress-key 0 = (sc_|ext_|scauth_|authress_) alnum{5,30} . alnum{4,6} (.acc_|.acc-) alnumdash{10,32} . anyb64{30,}
launchdarkly-sdk-key 0 xw sdk- lowerhex{8} - lowerhex{4} - lowerhex{4} - lowerhex{4} - lowerhex{12}
launchdarkly-api-token 0 xw api- lowerhex{8} - lowerhex{4} - lowerhex{4} - lowerhex{4} - lowerhex{12}
launchdarkly-mobile-key 0 xw mob- lowerhex{8} - lowerhex{4} - lowerhex{4} - lowerhex{4} - lowerhex{12}
configcat-sdk-key 0 - configcat-sdk- digits{1,2} / base64url{22} / base64url{22}
openai-key-legacy 0 - sk- alnum{20} T3BlbkFJ alnum{20}
discord-webhook 0 a /api/webhooks/ digits{17,20} / base64url{60,}
teams-webhook 0 aw .webhook.office.com/webhookb2/ hexdash{36} @ hexdash{36} /IncomingWebhook/ alnum{32} / hexdash{36}
plaid-access-token 0 w (access-sandbox-|access-development-|access-production-) lowerhex{8} - lowerhex{4} - lowerhex{4} - lowerhex{4} - lowerhex{12}
checkout-secret 0 w (sk_|sk_test_) lowerhex{8} - lowerhex{4} - lowerhex{4} - lowerhex{4} - lowerhex{12}
ebay-client-secret 0 w (PRD-|SBX-) lowerhex{8,12} - lowerhex{4,8} - lowerhex{4} - lowerhex{4} - lowerhex{4,12}
airtable-pat 0 - pat alnum{14} . lowerhex{64,}
airtable-oauth 1 d alnum{8,40} .v1. base64url{8,} . lowerhex{32,}
clickup-token 0 d pk_ digits{7,10} _ alnum{30,34}
azure-batch-key 1 - base64{76} (+ABa|+AMC|APIM|ACDb) base64{6} ==
azure-messaging-key 1 - base64{33} (+AEh|+ASb|+ARm|AIoT|AzCa|AzEG) base64{5} =
azure-registry-key 1 - base64{42} +ACR upperalnum{6}
azure-common-key 1 - alnum{52} (JQQJ9D|JQQJ9H) alnum{20,}
mercadopago-token 0 - (APP_USR-|TEST-) digits{12,18} - digits{6} - lowerhex{32} - digits{5,12}
stackhawk-key 0 - hawk. base64url{20} . base64url{20}
vercel-blob-token 0 - vercel_blob_rw_ alnum{16} _ alnum{30,}
warp-key 0 - wk-1. lowerhex{64,}
zoho-token 0 s 1000. lowerhex{32} . lowerhex{32}
paseto 0 - (v1.local.|v2.local.|v3.local.|v4.local.|v1.public.|v2.public.|v3.public.|v4.public.) urldot{60,}
itsdangerous-session 0 dul eyJ base64url{4,} . base64url{6} . base64url{27,}
itsdangerous-session 0 dula .eJ base64url{12,} . base64url{6} . base64url{27,}
django-signed 0 dula (eyJ|.eJ) base64url{8,} :1 alnum{5} : base64url{27,}
jwt-unsigned 0 - eyJhbGciOiJub25l base64url{2,} .ey base64url{10,} .
jwt-printed 0 - (ewog|ewoJ|ew0K) base64url{10,} (.ew|.ey) base64url{6,} . anyb64{16,}
convex-deploy-key 0 - (prod:|dev:|preview:) alnumdash{6,60} | anyb64eq{40,}
jetbrains-token 0 ul (perm:|perm-) anyb64eq{4,120} . anyb64eq{2,120} . alnum{24,}
biscuit-token 0 - biscuit: urleq{40,}
miro-token 0 - eyJtaXJv alnum{8,64} _ base64url{20,64}
trendmicro-key 0 - tmc1 alnum{26,32} : alnum{60,70}
voiceflow-key 0 - (VF.DM.|VF.WS.) lowerhex{24} . alnum{16}
infura-key 1 a infura (.io/v3/|.io/ws/v3/) lowerhex{32}
alchemy-key-in-url 1 dula alchemy .com/v2/ base64url{32}
quicknode-key 1 a quiknode .pro/ lowerhex{40}
fcm-server-key 2 dul AAAA base64url{7} :APA91b base64url{120,}
infisical-token 0 ds st. base64url{3,48} . base64url{3,48} . lowerhex{16,64}
thingsboard-device-token 0 a thingsboard.cloud/api/v1/ loweralnum{20}
`

let composedLines: ReadonlyArray<string> | undefined

/** The lines of that table. */
export const linesOfComposed = (): ReadonlyArray<string> => {
  composedLines ??= composedTable.trim().split("\n")
  return composedLines
}

/** The literals that a composed format is searched by. */
export const anchorsOf = (line: string): ReadonlyArray<string> => {
  // By hand: every run asks for all of them.
  let at = line.indexOf(" ") + 1
  for (let part = line.charCodeAt(at) - 48 + 2; part > 0; part--) at = line.indexOf(" ", at) + 1
  const end = line.indexOf(" ", at)
  return literalsOf(line.slice(at, end === -1 ? line.length : end))
}

const literalsOf = (part: string): ReadonlyArray<string> => {
  if (part.startsWith("(")) return part.slice(1, -1).split("|")
  return [part.includes("%20") ? part.replace("%20", " ") : part]
}

const runPart = /^([a-z]\w+)\{(\d+)(,?)(\d*)\}$/

/** Reads one of the lines. */
export const readComposed = (line: string): ComposedFormat => {
  const [id = "", anchor = "", flags = "", ...parts] = line.split(" ")
  const known = alphabets()
  return {
    id,
    anchor: Number(anchor),
    flags: flags === "-" ? "" : flags,
    parts: parts.map((part) => {
      const run = runPart.exec(part)
      if (run === null) return literalsOf(part)
      const min = Number(run[2])
      const max = run[3] === "" ? min : run[4] === "" ? open : Number(run[4])
      return { characters: known[run[1] ?? ""] ?? 0, min, max }
    })
  }
}
