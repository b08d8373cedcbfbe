import type { DatabaseSync } from "node:sqlite";

import { FIELDS } from "./bm25f.ts";
import { appendPostings, packPostings, type Posting } from "./pack-postings.ts";
import type { KeywordFields } from "./passage-store.ts";

/** Postings held back before they are written: some 15 MB. */
const MOST_POSTINGS = 100_000;

interface Group {
  readonly term: string;
  readonly service: string;
  readonly kind: number;
  readonly postings: Posting[];
}

/** Gathers postings by term, service and kind, and writes each group once or a few times. Ids must come in order. */
export function createPostingsBuffer(database: DatabaseSync): {
  add(keywords: KeywordFields, service: string, kind: number, id: number): void;
  flush(): void;
} {
  const existing = database.prepare("SELECT data FROM postings WHERE term = ? AND service = ? AND kind = ?");
  const write = database.prepare("INSERT OR REPLACE INTO postings (term, service, kind, data) VALUES (?, ?, ?, ?)");
  let groups = new Map<string, Group>();
  let held = 0;

  function flush(): void {
    for (const { term, service, kind, postings } of groups.values()) {
      const before = existing.get(term, service, kind) as { data: Uint8Array } | undefined;
      const packed = packPostings(postings);
      write.run(term, service, kind, before === undefined ? packed : appendPostings(before.data, packed));
    }
    groups = new Map();
    held = 0;
  }

  return {
    add(keywords, service, kind, id) {
      const terms = new Set(FIELDS.flatMap((field) => [...keywords[field].counts.keys()]));
      for (const term of terms) {
        const key = `${kind} ${service} ${term}`;
        const group = groups.get(key) ?? { term, service, kind, postings: [] };
        groups.set(key, group);
        group.postings.push({ id, counts: FIELDS.map((field) => keywords[field].counts.get(term) ?? 0) });
      }
      held += terms.size;
      if (held >= MOST_POSTINGS) flush();
    },
    flush,
  };
}
