import type { Category } from "../domain.ts";

/** What on-call people say when something is wrong, in the languages that teams here write (en, fr, de, es, zh). */
export const SYMPTOM =
  /\b(?:fail(?:s|ed|ing|ure|ures)?|errors?|erroring|down|broken?|brokn|dead|crash\w*|timeouts?|time[sd]? out|timing out|refus\w+|denied|reject\w*|unavailable|unreachable|unauthorized|forbidden|slow\w*|latency|lag\w*|stuck|hang\w*|hung|stall\w*|missing|lost|loop\w*|leak\w*|full|exhaust\w*|drain\w*|overload\w*|throttl\w*|expired?|expir\w+|invalid\w*|mismatch\w*|corrupt\w*|panic|fatal|exception|traceback|oom\w*|killed|evict\w*|degraded|outage|incident|alert\w*|firing|spik\w+|growing|drop\w*|duplicate\w*|twice|empty|wrong|red|locked|blocked|hammer\w*|attack\w*|hacked|phish\w*|fire|not (?:posting|working|ready|available|found|connect\w*|respond\w*|accept\w*)|no (?:space|response|route|data|space left|\w+_\w+)|can ?(?:no|')?t|cannot|unable|nobody can|won'?t|doesn'?t|isn'?t|stopped|p\d{2,3}|5\d\ds?|4(?:0[0-9]|2[29])s?|sev-?\d|revoked|rounding|burning|échoue\w*|erreur|panne|lent|délai|geht nicht|nix mehr|fehler|abgelaufen|kaputt|no acepta|caíd\w+|parad\w+|error)\b|拒绝|失败|一直报|超时|错误|:fire:|🔥|!{2,}/iu;

/** Talk that asks for nothing, when no symptom stands beside it. */
export const CHATTER =
  /^(?:\W*(?:thanks?|thank you|thx|ty|cheers|merci|danke|gracias|ok(?:ay)?|k|great|nice|cool|perfect|lol|haha+|yes|no|yep|nope|sure|done|good (?:morning|night|evening)|hi|hello|hey|bye|gm|brb|lunch|coffee|on it|looking|same here|fyi|np|welcome|congrats|well done)\W*(?:all|everyone|team|folks|you|so much|a lot|again|time|there|guys)?\W*)+$/iu;
export const ALL_CLEAR =
  /^\W*(?:\[?(?:resolved|recovered|closed|solved|mitigated|ok)\]?\b|status update\b|all clear\b|fyi\b)|\bback to normal\b|\bdeploy(?:ment)? (?:done|finished|complete\w*)\b|\bnothing to do for us\b/iu;

/** Words that point to a kind of trouble; the first in this order wins a tie. */
export const CATEGORY_WORDS: Readonly<Record<Exclude<Category, "other">, RegExp>> = {
  database:
    /\b(?:database|databases|db|dbs|postgres\w*|mysql|sql|psql|query|queries|replica\w*|replication|connection pool|pool|too many clients|deadlock|vacuum|tablet|shard|hikari\w*|redis|etcd|base de datos)\b|数据库/giu,
  certificate: /\b(?:cert|certs|certificates?|tls|ssl|x509|expired? cert\w*|handshake|acme|zertifikat)\b/giu,
  authentication:
    /\b(?:log ?in|logins?|sso|oauth\w*|token|password|401s?|403s?|unauthorized|forbidden|invalid_grant|invalid_auth|credentials?|account locked|saml|session|anmeldung|connexion)\b/giu,
  queue: /\b(?:queue\w*|backlog|kafka|rabbitmq|consumer|lag|dead.?letter|sidekiq|worker\w*|messages?)\b/giu,
  capacity:
    /\b(?:disk|cpu|memory|oom\w*|out of memory|no space|full|quota|inodes?|throttl\w*|insufficient|evict\w*|scale|capacity)\b/giu,
  network:
    /\b(?:network|dns|route|connection (?:refused|reset)|packet|firewall|ingress|gateway|egress|load ?balancer|proxy)\b/giu,
  latency: /\b(?:slow\w*|latency|timeouts?|timed out|timing out|p\d{2}|response time|délai dépassé)\b/giu,
  deployment: /\b(?:deploy\w*|release\w*|rollout|roll ?back|upgrade\w*|version|helm|pipeline|build|migration)\b/giu,
  security:
    /\b(?:attack\w*|breach|phish\w*|malware|ransomware|compromis\w*|leaked|hacked|suspicious|hammers?|brute)\b/giu,
  availability:
    /\b(?:down|outage|unavailable|unreachable|50[0234]s?|crash\w*|not ready|dead|restarts?|restarting|failed|fails?|errors?)\b/giu,
  data: /\b(?:corrupt\w*|duplicate\w*|twice|missing|lost|wrong|mismatch|rounding|drift|inconsisten\w*)\b/giu,
};

/**
 * Families of everyday words around a kind of service. A family counts for the one service of the readers' own catalogue
 * whose name or alias is among its anchors; with none or several, its words say nothing.
 */
export const SERVICE_FAMILIES: readonly { readonly anchors: readonly string[]; readonly words: RegExp }[] = [
  {
    anchors: ["postgres", "postgresql", "database", "db", "mysql", "sql"],
    words:
      /\b(?:postgres\w*|psql|pg|sql|db|database|replica lag|too many clients|relation|vacuum|base de datos)\b|数据库/giu,
  },
  {
    anchors: ["kubernetes", "k8s", "cluster", "platform"],
    words:
      /\b(?:pods?|kubelet|kubectl|nodes?|CrashLoopBackOff|FailedScheduling|ImagePull\w*|image pull|namespace|Kube\w+|deployment|clusters?)\b/giu,
  },
  {
    anchors: ["identity", "auth", "login", "sso", "iam"],
    words:
      /\b(?:log ?ins?|sso|oauth\w*|saml|realm|password|account locked|session|invalid_grant|ExpiredKey|userinfo|anmeldung|connexion)\b/giu,
  },
  {
    anchors: ["payments", "payment", "billing"],
    words:
      /\b(?:pay|paying|payments?|payouts?|refunds?|cards?|charged|stripe|checkout payment|ledger|paiement|carte|bank|ERR_PAY\w*)\b/giu,
  },
  {
    anchors: ["checkout", "checkout-api", "cart", "basket"],
    words: /\b(?:checkout|carts?|baskets?|orders?|commande|warenkorb)\b|结账/giu,
  },
  {
    anchors: ["search", "catalogue-search", "elasticsearch", "opensearch"],
    words: /\b(?:search\w*|suche|elasticsearch|opensearch|circuit_breaking_exception|shards?|index lag|indexing)\b/giu,
  },
];

const NO_TICKET =
  /^(?:UTF|SEV|P|ISO|SHA|TLS|SSL|HTTP|HTTPS|RFC|CVE|IPV|MD|AES|RSA|GPT|COVID|ERR|ERROR|E|LEVEL|V|US|EU|AP|PG|DB|ES|X|KB|WIN|CP|BASE|H|C|U|W|A|B|S|ORA)-/u;

/** `INC-2048`, but not `UTF-8`, `SEV-2` or `ERR-4012`. */
export function isTicket(word: string): boolean {
  return /^[A-Z][A-Z0-9]{1,9}-\d{1,7}$/.test(word) && !NO_TICKET.test(word);
}
