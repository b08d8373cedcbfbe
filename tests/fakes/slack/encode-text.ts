const TOKEN = /(<(?:[@#!][^<>]*|(?:https?|mailto):[^<>]*)>)/;
const ADDRESS = /\bhttps?:\/\/(?:(?!&[lg]t;)[^\s|"'])+/g;
const EMAIL = /\b[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}\b/gi;

/**
 * What people type as Slack delivers it: `& < >` as entities, addresses and e-mails as links; `<@U…>` stands for a
 * mention that was picked from the list. Assumed: bare host names stay as they are.
 */
export function encodeText(text: string): string {
  return text
    .split(TOKEN)
    .map((part, index) => (index % 2 === 1 ? part : encodeWords(part)))
    .join("");
}

/** In commands (with `should_escape` in the manifest) mentions carry the name. */
export function encodeCommand(text: string, nameOf: (id: string) => string): string {
  return encodeText(text).replace(/<([@#])([A-Z0-9]+)>/g, (_token, sign, id: string) => `<${sign}${id}|${nameOf(id)}>`);
}

function encodeWords(words: string): string {
  return words
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replace(ADDRESS, (address) => {
      const end = /[.,;:!?)\]}]*$/.exec(address)?.[0] ?? "";
      return `<${address.slice(0, address.length - end.length)}>${end}`;
    })
    .replace(EMAIL, (email, at: number, whole: string) =>
      // Not inside an address that has just been linked.
      /<[^<>]*$/.test(whole.slice(0, at)) ? email : `<mailto:${email}|${email}>`,
    );
}
