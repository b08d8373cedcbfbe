import { expect, test } from "vitest";

import { taskPrefixes } from "../../src/models/task-prefixes.ts";

const SEARCHING = "Represent this sentence for searching relevant passages: ";

test.each([
  ["intfloat/e5-large-v2", "query: ", "passage: "],
  ["intfloat/multilingual-e5-large-instruct", "Instruct: ", ""],
  ["nomic-embed-text:latest", "search_query: ", "search_document: "],
  ["google/embeddinggemma-300m", "task: search result | query: ", "title: none | text: "],
  ["Qwen/Qwen3-Embedding-0.6B", "Instruct: ", ""],
  ["BAAI/bge-small-en-v1.5", SEARCHING, ""],
  ["bge-large", SEARCHING, ""],
  ["BAAI/bge-base-zh-v1.5", "", ""],
  ["BAAI/bge-m3", "", ""],
  ["mixedbread-ai/mxbai-embed-large-v1", SEARCHING, ""],
  ["Snowflake/snowflake-arctic-embed-m-v1.5", SEARCHING, ""],
  ["snowflake-arctic-embed2", "query: ", ""],
  ["Snowflake/snowflake-arctic-embed-l-v2.0", "query: ", ""],
  ["text-embedding-3-large", "", ""],
  ["all-minilm", "", ""],
])("%s gets the prefixes of its family", (model, query, document) => {
  const found = taskPrefixes(model);

  expect(found.query.slice(0, query.length || undefined)).toBe(query);
  expect(found.document).toBe(document);
});
