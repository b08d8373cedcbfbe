/** Steps that lose data, cut people off or can't be taken back: a human decides on them. */
const DESTRUCTIVE =
  /\b(?:drop|truncate|delete|destroy|purge|wipe|erase|format|rm -[a-z]*[rf]|fail ?-?over|promote|--force|reset --hard|terminate|kill -9|revoke|overwrite|reinstall|shut ?down|scale (?:down )?(?:to|--replicas[= ])\s?0|replicas[= ]0|drain|cordon|evict|restart (?:the )?(?:primary|master|leader|database)|disable (?:writes|replication)|dd if=|mkfs|flushall)\b|\|\s*(?:sudo\s+)?(?:ba|z)?sh\b/iu;

/** The destructive words of a text, in lower case. */
export function destructiveWords(text: string): string[] {
  return [...text.matchAll(new RegExp(DESTRUCTIVE, "giu"))].map(([word]) => word.toLowerCase());
}

export function isDestructive(step: string): boolean {
  return DESTRUCTIVE.test(step);
}
